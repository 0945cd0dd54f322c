// Decides if a recording without its inputs says anything about a model.
#ifndef ONNXCMP_COMPARE_OUTPUTS_UNKNOWN_INPUTS_H_
#define ONNXCMP_COMPARE_OUTPUTS_UNKNOWN_INPUTS_H_

#include <string>

#include "absl/types/span.h"
#include "compare/outputs/output_comparison.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// True if a judgement is worthless because these inputs of the model were made up: values that
// depend on them differ whatever the model does. An input equals the recorded one after all if
// values that depend on it agree, except ids, masks and the like. One side is a recording, the
// other one the model.
bool IsUntestedBecauseOf(absl::Span<const std::string> made_up, const ResultStream& left,
                         const ResultStream& right, const OutputComparison& judged);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTPUTS_UNKNOWN_INPUTS_H_
