// Internal differences without effect: every output has the same bits.
#ifndef ONNXCMP_COMPARE_OUTCOME_CAUSES_WITHOUT_EFFECT_H_
#define ONNXCMP_COMPARE_OUTCOME_CAUSES_WITHOUT_EFFECT_H_

#include <string>

#include "absl/types/span.h"
#include "compare/causes/cause.h"
#include "compare/outputs/output_comparison.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// A note about causes that were found although the outputs have the same bits, so that there is no
// difference to explain. "" if there are none, or if outputs differ.
std::string NoteOfCausesWithoutEffect(const ResultStream& left, const ResultStream& right,
                                      const OutputComparison& outputs,
                                      absl::Span<const Cause> causes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTCOME_CAUSES_WITHOUT_EFFECT_H_
