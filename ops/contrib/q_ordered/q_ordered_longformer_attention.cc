#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/integer_product.h"
#include "ops/contrib/attention/longformer.h"
#include "ops/contrib/q_ordered/matrix_order.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

enum Inputs {
  kInput,
  kInputScale,
  kWeight,
  kWeightScale,
  kBias,
  kBiasScale,
  kGemmScale,
  kMask,
  kGlobalWeight,
  kGlobalWeightScale,
  kGlobalBias,
  kGlobalGemmScale,
  kGlobal,
  kOutputScale,
  kNoZeroPoint,
};

// Q, K and V of all heads, as the int8 numbers that the product is quantized to stand for them.
absl::StatusOr<ProjectedHeads> ProjectToInt8(const KernelContext& ctx, int weight, int bias,
                                             int gemm_scale, int64_t heads) {
  const Tensor& input = ctx.Input(kInput);
  const int64_t hidden = input.dim(2);
  const Tensor& given = ctx.Input(weight);
  if (given.shape() != Shape{hidden, 3 * hidden} || hidden % heads != 0) {
    return absl::InvalidArgumentError(absl::StrCat("the weight, input ", weight, ", is ",
                                                   given.TypeString(), ", which is not for ", heads,
                                                   " heads of ", input.TypeString()));
  }
  OC_ASSIGN_OR_RETURN(const Tensor ordered,
                      Reordered(ctx, given, MatrixOrder::kColumn, MatrixOrder::kRow));
  OC_ASSIGN_OR_RETURN(const double scale, ctx.ScalarInput<double>(gemm_scale));
  OC_ASSIGN_OR_RETURN(Tensor product, RealProduct(ctx, {&input, &ctx.Input(kInputScale), nullptr},
                                                  {&ordered, &ctx.Input(weight + 1), nullptr},
                                                  nullptr, DType::kDouble));
  if (ctx.Input(bias).shape() != Shape{3 * hidden}) {
    return absl::InvalidArgumentError(absl::StrCat("the bias, input ", bias, ", is ",
                                                   ctx.Input(bias).TypeString(), ", not [",
                                                   3 * hidden, "]"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor steps, LoadTensor<double>(ctx, ctx.Input(bias)));
  OC_ASSIGN_OR_RETURN(Tensor values, ctx.Allocate(DType::kFloat, product.shape()));
  const double* from = product.data<double>();
  float* to = values.mutable_data<float>();
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    const double rounded = std::nearbyint(from[i] / scale + steps.data<double>()[i % (3 * hidden)]);
    to[i] = static_cast<float>(std::clamp(rounded, -128.0, 127.0) * scale);
  }
  const int64_t size = hidden / heads;
  const auto part = [&](int64_t i) {
    return values.Strided({input.dim(0), heads, input.dim(1), size},
                          {input.dim(1) * 3 * hidden, size, 3 * hidden, 1}, i * hidden);
  };
  return ProjectedHeads{part(0), part(1), part(2)};
}

// QOrderedLongformerAttention (com.microsoft 1): LongformerAttention in float with
//   Q, K, V = saturate(round(input * weight / scale_gemm + bias)) * scale_gemm
//   output = saturate(round(result / scale_output))
// input and output are in row-major order, the weights in column-major order whatever their shape
// says. As onnxruntime's kernel has it, the biases count steps of their product's scale, and
// scale_bias has no meaning.
absl::StatusOr<Kernel> QOrderedLongformerAttention(const KernelInit& node) {
  OC_RETURN_IF_ERROR(RequireOrder(node.Int("order_input"), "order_input", MatrixOrder::kRow));
  OC_RETURN_IF_ERROR(RequireOrder(node.Int("order_weight"), "order_weight", MatrixOrder::kColumn));
  OC_RETURN_IF_ERROR(
      RequireOrder(node.Int("order_global_weight"), "order_global_weight", MatrixOrder::kColumn));
  OC_RETURN_IF_ERROR(RequireOrder(node.Int("order_output"), "order_output", MatrixOrder::kRow));
  const int64_t heads = node.Int("num_heads");
  const int64_t window = node.Int("window");
  if (heads < 1 || window < 1 || window > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("num_heads is ", heads, " and window ", window));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    OC_RETURN_IF_ERROR(CheckLongformer(ctx, kMask, kGlobal, window));
    ctx.IgnoreInput(kBiasScale);
    OC_ASSIGN_OR_RETURN(const ProjectedHeads local,
                        ProjectToInt8(ctx, kWeight, kBias, kGemmScale, heads));
    OC_ASSIGN_OR_RETURN(const ProjectedHeads of_global,
                        ProjectToInt8(ctx, kGlobalWeight, kGlobalBias, kGlobalGemmScale, heads));
    OC_ASSIGN_OR_RETURN(const Tensor out,
                        AttendLongformer<float>(ctx, local, of_global, kMask, kGlobal, window));
    return EmitQuantized(ctx, out, {kOutputScale, kNoZeroPoint}, DType::kInt8);
  };
}

}  // namespace

void RegisterContribQOrderedLongformerAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QOrderedLongformerAttention", {1}, QOrderedLongformerAttention);
}

}  // namespace onnxcmp
