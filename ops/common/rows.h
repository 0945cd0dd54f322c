// Rows of contiguous tensors in the type that they are computed in.
#ifndef ONNXCMP_OPS_COMMON_ROWS_H_
#define ONNXCMP_OPS_COMMON_ROWS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/convert.h"
#include "evaluator/kernel.h"
#include "evaluator/tensor.h"

namespace onnxcmp {

// Row `index` of `width` elements: where it is if it is stored as C, else converted into `scratch`.
template <typename C>
const C* LoadRow(const Tensor& contiguous, int64_t index, int64_t width, C* scratch) {
  if (contiguous.dtype() == kDTypeOf<C>) {
    return contiguous.data<C>() + index * width;
  }
  LoadElements(contiguous.dtype(), contiguous.raw_data(), index * width, width, scratch);
  return scratch;
}

// A contiguous tensor of C with the elements of `tensor`, which may be itself.
template <typename C>
absl::StatusOr<Tensor> InComputeType(const KernelContext& ctx, const Tensor& tensor) {
  OC_ASSIGN_OR_RETURN(Tensor contiguous, tensor.Contiguous());
  if (contiguous.dtype() == kDTypeOf<C>) {
    return contiguous;
  }
  OC_ASSIGN_OR_RETURN(Tensor converted, ctx.Allocate(kDTypeOf<C>, contiguous.shape()));
  LoadElements(contiguous.dtype(), contiguous.raw_data(), 0, contiguous.num_elements(),
               converted.mutable_data<C>());
  return converted;
}

// A contiguous tensor of `dtype` with the elements of a contiguous one of C, each rounded once.
template <typename C>
absl::StatusOr<Tensor> Rounded(const KernelContext& ctx, DType dtype, Tensor tensor) {
  if (dtype == kDTypeOf<C>) {
    return tensor;
  }
  OC_ASSIGN_OR_RETURN(Tensor rounded, ctx.Allocate(dtype, tensor.shape()));
  StoreElements(dtype, tensor.data<C>(), tensor.num_elements(), rounded.mutable_raw_data(), 0);
  return rounded;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ROWS_H_
