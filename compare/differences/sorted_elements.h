// The elements of a tensor in order of size.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_SORTED_ELEMENTS_H_
#define ONNXCMP_COMPARE_DIFFERENCES_SORTED_ELEMENTS_H_

#include "absl/status/statusor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// A tensor of rank 1 of the same type: the least elements first, NaNs last, complex numbers by
// their real parts. What two tensors with the same elements in other layouts can be compared by.
// Values that are not numeric tensors come back as they are.
absl::StatusOr<Value> SortedElements(const Value& value);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_SORTED_ELEMENTS_H_
