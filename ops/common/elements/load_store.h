// Tensors and their rows between their storage type and the type that a kernel computes in.
#ifndef ONNXCMP_OPS_COMMON_ELEMENTS_LOAD_STORE_H_
#define ONNXCMP_OPS_COMMON_ELEMENTS_LOAD_STORE_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Row `index` of `width` elements of a contiguous tensor: where it is if it is stored as C, else
// converted into `scratch`.
template <typename C>
const C* LoadRow(const Tensor& contiguous, int64_t index, int64_t width, C* scratch) {
  if (contiguous.dtype() == kDTypeOf<C>) {
    return contiguous.data<C>() + index * width;
  }
  LoadElements(contiguous.dtype(), contiguous.raw_data(), index * width, width, scratch);
  return scratch;
}

// The elements as C, contiguous: the tensor itself if it is that already. C: float, double,
// int64_t, uint64_t.
template <typename C>
absl::StatusOr<Tensor> LoadTensor(const KernelContext& ctx, const Tensor& tensor);

// The same for factors of a product, which may be strided: a tensor of type C is left as it is.
template <typename C>
absl::StatusOr<Tensor> LoadStridedTensor(const KernelContext& ctx, const Tensor& tensor) {
  if (tensor.dtype() == kDTypeOf<C>) return tensor;
  return LoadTensor<C>(ctx, tensor);
}

// A contiguous tensor of type C as dtype, with one rounding: the tensor itself if it is that
// already.
template <typename C>
absl::StatusOr<Tensor> StoreTensor(const KernelContext& ctx, const Tensor& tensor, DType dtype,
                                   Overflow overflow = Overflow::kIeee);

// The tensor with every element rounded to dtype, still of type C: what a node of that type would
// have passed on.
template <typename C>
absl::StatusOr<Tensor> RoundTensor(const KernelContext& ctx, const Tensor& tensor, DType dtype) {
  OC_ASSIGN_OR_RETURN(const Tensor stored, StoreTensor<C>(ctx, tensor, dtype));
  return LoadTensor<C>(ctx, stored);
}

// The same for a few elements, in place. `dtype` is a whole number of bytes.
template <typename C>
void RoundElements(DType dtype, int64_t count, C* values) {
  if (dtype == kDTypeOf<C>) return;
  constexpr int64_t kPart = 256;
  alignas(8) std::byte stored[8 * kPart];
  for (; count > 0; values += kPart, count -= kPart) {
    const int64_t part = count < kPart ? count : kPart;
    StoreElements(dtype, values, part, stored, 0);
    LoadElements(dtype, stored, 0, part, values);
  }
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ELEMENTS_LOAD_STORE_H_
