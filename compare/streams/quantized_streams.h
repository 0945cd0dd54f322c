// Which operators streams have: those of quantized models.
#ifndef ONNXCMP_COMPARE_STREAMS_QUANTIZED_STREAMS_H_
#define ONNXCMP_COMPARE_STREAMS_QUANTIZED_STREAMS_H_

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

// Whether a side has a node of an operator that is `asked` for, once each.
bool AnyOperator(const ResultStream& stream, absl::FunctionRef<bool(absl::string_view)> asked);

// Whether a side has nodes that quantize.
bool IsQuantized(const ResultStream& stream);

// Whether one side is quantized, or both otherwise: two that have most of their integers, scales
// and zero points in common do not differ by that, and what does is found without looking at it.
bool DifferInQuantization(const ResultStream& left, const ResultStream& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STREAMS_QUANTIZED_STREAMS_H_
