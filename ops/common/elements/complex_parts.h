// Complex tensors as real ones, for operators that compute both parts alike.
#ifndef ONNXCMP_OPS_COMMON_ELEMENTS_COMPLEX_PARTS_H_
#define ONNXCMP_OPS_COMMON_ELEMENTS_COMPLEX_PARTS_H_

#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The real and the imaginary part of each element, in a new last dimension of 2: a view of a
// contiguous tensor.
inline absl::StatusOr<Tensor> PartsOf(const KernelContext& ctx, const Tensor& complex) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.Contiguous(complex));
  Shape shape = x.shape();
  shape.push_back(2);
  return Tensor::FromBuffer(x.dtype() == DType::kComplex64 ? DType::kFloat : DType::kDouble, shape,
                            x.buffer(), x.raw_data() - x.buffer()->data());
}

// The inverse.
inline absl::StatusOr<Tensor> FromParts(const KernelContext& ctx, const Tensor& parts) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.Contiguous(parts));
  const Shape shape(x.shape().begin(), x.shape().end() - 1);
  return Tensor::FromBuffer(x.dtype() == DType::kFloat ? DType::kComplex64 : DType::kComplex128,
                            shape, x.buffer(), x.raw_data() - x.buffer()->data());
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ELEMENTS_COMPLEX_PARTS_H_
