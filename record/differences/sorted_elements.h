// The elements of a tensor in order of size.
#ifndef ONNXCMP_RECORD_DIFFERENCES_SORTED_ELEMENTS_H_
#define ONNXCMP_RECORD_DIFFERENCES_SORTED_ELEMENTS_H_

#include "absl/status/statusor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// A tensor of rank 1 of the same type: the least elements first, NaNs last, complex numbers by
// their real parts. Makes two tensors comparable that have the same elements in different layouts.
// Values that are not numeric tensors are returned unchanged.
absl::StatusOr<Value> SortedElements(const Value& value);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_SORTED_ELEMENTS_H_
