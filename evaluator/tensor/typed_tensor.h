// Checks before a tensor's elements are handed out as C++ numbers (xtensor.h, eigen.h).
#ifndef ONNXCMP_EVALUATOR_TENSOR_TYPED_TENSOR_H_
#define ONNXCMP_EVALUATOR_TENSOR_TYPED_TENSOR_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The value as a tensor whose elements are of the C++ type T. InvalidArgument, naming both types,
// if it is none. No T fits packed types.
template <typename T>
absl::StatusOr<Tensor> TypedTensor(const Value& value) {
  if (value.is_tensor() && value.tensor().dtype() == kDTypeOf<T> && value.tensor().defined()) {
    return value.tensor();
  }
  return absl::InvalidArgumentError(absl::StrCat("the value is ", value.TypeString(),
                                                 ", not a tensor of ", DTypeName(kDTypeOf<T>)));
}

// Element [0, 0, ...].
template <typename T>
const T* FirstElement(const Tensor& tensor) {
  if constexpr (std::is_same_v<T, std::string>) {
    return tensor.string_data();
  } else {
    return tensor.data<T>();
  }
}

// Writes to a tensor that was just allocated; T as for FirstElement.
template <typename T>
T* FirstMutableElement(Tensor& tensor) {
  if constexpr (std::is_same_v<T, std::string>) {
    return tensor.mutable_string_data();
  } else {
    return tensor.mutable_data<T>();
  }
}

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_TYPED_TENSOR_H_
