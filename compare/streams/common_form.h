// Values and streams in the form in which the other side has them, too (compare/forms).
#ifndef ONNXCMP_COMPARE_STREAMS_COMMON_FORM_H_
#define ONNXCMP_COMPARE_STREAMS_COMMON_FORM_H_

#include "absl/status/statusor.h"
#include "compare/streams/result_stream.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// int8 and uint8 of each other, int16 and uint16; kUndefined of other types.
DType WithOtherSign(DType dtype);

// A result's own value in its common form, and the other way round.
absl::StatusOr<Value> InForm(const Value& value, const CommonForm& form);
absl::StatusOr<Value> FromForm(const Value& value, const CommonForm& form);

bool HasForms(const ResultStream& stream);
// A stream whose results have the types and shapes of their forms.
ResultStream InCommonForm(const ResultStream& stream);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STREAMS_COMMON_FORM_H_
