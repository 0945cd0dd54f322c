// Products with a layer's weights that were made numbers: y = a * W^T + bias.
#ifndef ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_WEIGHT_PRODUCT_H_
#define ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_WEIGHT_PRODUCT_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/matmul.h"

namespace onnxcmp {

// a (..., K) of type C times the transposed `weights` (N x K, contiguous, any floats), plus input
// `bias` (N), which may be left out.
template <typename C>
absl::StatusOr<Tensor> WeightProduct(const KernelContext& ctx, const Tensor& a,
                                     const Tensor& weights, int bias) {
  OC_ASSIGN_OR_RETURN(const Tensor w, LoadTensor<C>(ctx, weights));
  const int64_t n = w.dim(0);
  const int64_t k = w.dim(1);
  OC_ASSIGN_OR_RETURN(Tensor y, MatMulTensors(ctx, a, w.Strided({k, n}, {1, k}, w.offset())));
  if (!ctx.HasInput(bias)) return y;
  if (ctx.Input(bias).shape() != Shape{n}) {
    return absl::InvalidArgumentError(
        absl::StrCat("bias is ", ctx.Input(bias).TypeString(), ", but there are ", n, " outputs"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor addend, LoadTensor<C>(ctx, ctx.Input(bias)));
  C* data = y.template mutable_data<C>();
  for (int64_t i = 0; i < y.num_elements(); ++i) data[i] += addend.data<C>()[i % n];
  return y;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_WEIGHT_PRODUCT_H_
