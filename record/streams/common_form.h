// Values and streams in the canonical form that both sides share (compare/common_forms).
#ifndef ONNXCMP_RECORD_STREAMS_COMMON_FORM_H_
#define ONNXCMP_RECORD_STREAMS_COMMON_FORM_H_

#include "absl/status/statusor.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// The type with the other sign: int8 for uint8, int16 for uint16, and back; kUndefined for other
// types.
DType WithOtherSign(DType dtype);

// Converts a result's own value to its common form, and back. A value around a part takes the rest
// from the whole.
absl::StatusOr<Value> InForm(const Value& value, const CommonForm& form);
absl::StatusOr<Value> FromForm(const Value& value, const CommonForm& form);

bool HasForms(const ResultStream& stream);
// True if the channels of a result lie in blocks, as onnxruntime has them for its own convolutions:
// elements of one shape are in another order.
bool IsBlocked(const StreamResult& result, const ResultStream& stream);
// A stream whose results have the types and shapes of their forms.
ResultStream InCommonForm(const ResultStream& stream);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_COMMON_FORM_H_
