// What a recording can tell of a model that ran on inputs of which the recording says nothing.
#ifndef ONNXCMP_COMPARE_VERDICT_UNKNOWN_INPUTS_H_
#define ONNXCMP_COMPARE_VERDICT_UNKNOWN_INPUTS_H_

#include <string>

#include "absl/types/span.h"
#include "compare/streams/result_stream.h"
#include "compare/verdict/output_comparison.h"

namespace onnxcmp {

// Whether a judgement says nothing because these inputs of the model were made up: a value that
// depends on them differs whatever the model is. That an input is the recorded one after all is
// known where values that depend on it agree, which are no ids, masks or the like. A side is a
// recording, the other one the model.
bool IsUntestedBecauseOf(absl::Span<const std::string> made_up, const ResultStream& left,
                         const ResultStream& right, const OutputComparison& judged);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_VERDICT_UNKNOWN_INPUTS_H_
