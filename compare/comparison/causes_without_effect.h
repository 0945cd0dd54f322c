// What differs inside by itself although every output has the same bits.
#ifndef ONNXCMP_COMPARE_COMPARISON_CAUSES_WITHOUT_EFFECT_H_
#define ONNXCMP_COMPARE_COMPARISON_CAUSES_WITHOUT_EFFECT_H_

namespace onnxcmp {

struct Comparison;

// Outputs of the same bits have no cause of a difference: what was found becomes a note of the
// comparison.
void NoteCausesWithoutEffect(Comparison* comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_COMPARISON_CAUSES_WITHOUT_EFFECT_H_
