#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/quantized/quantization.h"
#include "ops/contrib/block_quantized/weight_product.h"

namespace onnxcmp {
namespace {

// a = fp8_e4m3(a / scale) * scale, too large numbers saturating.
template <typename C>
absl::StatusOr<Tensor> RoundToFloat8(const KernelContext& ctx, const Tensor& a, C scale) {
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(kDTypeOf<C>, a.shape()));
  C* to = result.template mutable_data<C>();
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const double rounded =
        RoundTo(DType::kFloat8E4M3FN, a.data<C>()[i] / scale, Overflow::kSaturate);
    to[i] = static_cast<C>(rounded) * scale;
  }
  return result;
}

// MatMulBlockQuantizedFp8Weight (com.microsoft 1): Y = A' * W^T + bias,
//   W[n, k] = e4m3(B[n, k]) * b_scale[n, k / block_size]
//   A' = e4m3(A / a_scale) * a_scale with an a_scale, else A
// Computed in float and rounded once, after the bias.
absl::StatusOr<Kernel> MatMulBlockQuantizedFp8Weight(const KernelInit& node) {
  const int64_t block_size = node.Int("block_size");
  if (block_size < 1) {
    return absl::InvalidArgumentError(absl::StrCat("block_size is ", block_size));
  }
  return [block_size](KernelContext& ctx) -> absl::Status {
    const DType dtype = ctx.Input(0).dtype();
    return DispatchFloat(dtype, [&]<typename C>() -> absl::Status {
      if (ctx.Input(1).rank() != 2) {
        return absl::InvalidArgumentError(
            absl::StrCat("B is ", ctx.Input(1).TypeString(), ", not (N, K)"));
      }
      OC_ASSIGN_OR_RETURN(
          const Tensor weights,
          DequantizeTensor(ctx, ctx.Input(1), ctx.Input(2), nullptr, {1, block_size}, kDTypeOf<C>));
      OC_ASSIGN_OR_RETURN(Tensor a, LoadTensor<C>(ctx, ctx.Input(0)));
      if (ctx.HasInput(3)) {
        OC_ASSIGN_OR_RETURN(const C scale, ctx.ScalarInput<C>(3));
        OC_ASSIGN_OR_RETURN(a, RoundToFloat8<C>(ctx, a, scale));
      }
      OC_ASSIGN_OR_RETURN(Tensor y, WeightProduct<C>(ctx, a, weights, /*bias=*/4));
      OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
      return ctx.SetOutput(0, std::move(y));
    });
  };
}

}  // namespace

void RegisterContribMatMulBlockQuantizedFp8Weight(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MatMulBlockQuantizedFp8Weight", {1},
               MatMulBlockQuantizedFp8Weight);
}

}  // namespace onnxcmp
