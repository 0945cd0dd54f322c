// Queries the operators of a stream, those of quantized models above all.
#ifndef ONNXCMP_RECORD_STREAMS_QUANTIZED_STREAMS_H_
#define ONNXCMP_RECORD_STREAMS_QUANTIZED_STREAMS_H_

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// True if any operator of the stream satisfies `asked`, which is called once for each.
bool AnyOperator(const ResultStream& stream, absl::FunctionRef<bool(absl::string_view)> asked);

// True if a side has nodes that quantize.
bool IsQuantized(const ResultStream& stream);

// True if only one side is quantized, or both differently. Two sides that share most of their
// integers, scales and zero points do not differ by quantization; their differences are found
// without regard to it.
bool DifferInQuantization(const ResultStream& left, const ResultStream& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_QUANTIZED_STREAMS_H_
