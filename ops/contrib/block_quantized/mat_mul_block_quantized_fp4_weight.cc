#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/quantized/quantization.h"
#include "ops/contrib/block_quantized/block_quantization.h"
#include "ops/contrib/block_quantized/weight_product.h"

namespace onnxcmp {
namespace {

// N x K weights in the type of A, as the definition has it.
template <typename C>
absl::StatusOr<Tensor> Dequantize(const KernelContext& ctx, int64_t block_size, DType dtype) {
  const Tensor& b = ctx.Input(1);
  if (b.rank() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("B is ", b.TypeString(), ", not (N, K / 2)"));
  }
  const std::optional<int64_t> k = NumElements(Shape{b.dim(1), 2});
  if (!k.has_value()) return absl::InvalidArgumentError("B has too many columns");
  const int64_t n = b.dim(0);
  const int64_t blocks = *k / block_size + (*k % block_size != 0 ? 1 : 0);
  if (ctx.Input(2).shape() != Shape{n, blocks}) {
    return absl::InvalidArgumentError(absl::StrCat("weight_scale is ", ctx.Input(2).TypeString(),
                                                   ", but must be [", n, ",", blocks, "]"));
  }
  OC_ASSIGN_OR_RETURN(const C global, ctx.ScalarInput<C>(3));
  OC_ASSIGN_OR_RETURN(const Tensor codes, ViewBytesAs(ctx, b, DType::kFloat4E2M1, {n, *k}));
  OC_ASSIGN_OR_RETURN(const Tensor scales,
                      ViewBytesAs(ctx, ctx.Input(2), DType::kFloat8E4M3FN, {n, blocks}));
  OC_ASSIGN_OR_RETURN(const Tensor own, LoadTensor<C>(ctx, scales));
  OC_ASSIGN_OR_RETURN(Tensor product, ctx.Allocate(kDTypeOf<C>, {n, blocks}));
  for (int64_t i = 0; i < n * blocks; ++i) {
    product.template mutable_data<C>()[i] = global * own.data<C>()[i];
  }
  return DequantizeTensor(ctx, codes, product, nullptr, {1, block_size}, dtype);
}

// MatMulBlockQuantizedFp4Weight (com.microsoft 1): Y = A * W^T + bias,
//   W[n, k] = e2m1(B[n, k]) * weight_scale_2 * e4m3(weight_scale[n, k / block_size]),
// rounded to A's type; two codes a byte, the first in the low bits. The sum is in float and rounded
// once, after the bias. input_scale has no effect with activations that are not quantized.
absl::StatusOr<Kernel> MatMulBlockQuantizedFp4Weight(const KernelInit& node) {
  const int64_t block_size = node.Int("block_size");
  if (block_size < 1) {
    return absl::InvalidArgumentError(absl::StrCat("block_size is ", block_size));
  }
  return [block_size](KernelContext& ctx) -> absl::Status {
    ctx.IgnoreInput(4);
    const DType dtype = ctx.Input(0).dtype();
    return DispatchFloat(dtype, [&]<typename C>() -> absl::Status {
      OC_ASSIGN_OR_RETURN(const Tensor weights, Dequantize<C>(ctx, block_size, dtype));
      OC_ASSIGN_OR_RETURN(const Tensor a, LoadTensor<C>(ctx, ctx.Input(0)));
      OC_ASSIGN_OR_RETURN(Tensor y, WeightProduct<C>(ctx, a, weights, /*bias=*/5));
      OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
      return ctx.SetOutput(0, std::move(y));
    });
  };
}

}  // namespace

void RegisterContribMatMulBlockQuantizedFp4Weight(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MatMulBlockQuantizedFp4Weight", {1},
               MatMulBlockQuantizedFp4Weight);
}

}  // namespace onnxcmp
