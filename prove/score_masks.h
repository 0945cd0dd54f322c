// Large negative numbers that masks add to the scores of a Softmax: -10000, the lowest float. There
// they stand for -infinity, whichever it is, where they leave nothing of a score.
#ifndef ONNXCMP_PROVE_SCORE_MASKS_H_
#define ONNXCMP_PROVE_SCORE_MASKS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "absl/types/span.h"
#include "compare/sides/side.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "prove/field/prime_field.h"
#include "prove/field/residues.h"
#include "prove/field_value.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// 1 for elements of the node's first output to which a mask has been added, or in whose place it
// has been put, whatever the inputs of the model are; else 0. It is broadcast to the output. Not
// defined() if there are none.
Tensor MaskedElements(const Node& node, absl::Span<const FieldValue> inputs, const Value& output);

// The scores with -infinity for these elements, but for lanes along `axes` that are masked whole.
// Nothing if some of these are not 0 in `softmax`, on numbers: what the mask took away is given
// back before or after it.
std::optional<Residues> WithoutMasked(const PrimeField& field, const Residues& scores,
                                      const Residues& masked, absl::Span<const int> axes,
                                      const Value& softmax);

// Inputs that are called masks and hold whole numbers 0 and 1 alone. Optimizers take for granted
// that they do, or that the zeros come last.
std::set<std::string> MaskInputs(const PerSide<Side*>& sides);
// The forms of such a mask: as it was fed, with zeros in the second half of each row, in all of it
// but the first element, in its first half, or here and there: with ones alone, models may be
// proved equal of which one does not read it.
enum class MaskForm : uint8_t { kAsFed, kHalf, kFirstAlone, kLeft, kHoles };
Value MaskInForm(const Value& mask, MaskForm form);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_SCORE_MASKS_H_
