#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/products/matmul.h"
#include "ops/common/shapes/check_shape.h"

namespace onnxcmp {
namespace {

// sigmoid(gate * gate_weight), rounded to bfloat16 after the product and after the sigmoid.
absl::StatusOr<Tensor> ProjectedGate(const KernelContext& ctx, const Tensor& gate,
                                     const Tensor& weight) {
  const DType dtype = gate.dtype();
  if (dtype != DType::kBfloat16) {
    return absl::UnimplementedError(absl::StrCat(
        "gate_weight is given, which is defined for bfloat16 alone, not for ", DTypeName(dtype)));
  }
  OC_RETURN_IF_ERROR(CheckShape("gate_weight", weight, {gate.shape().back(), 1}));
  OC_ASSIGN_OR_RETURN(const Tensor product, MatMulTensors(ctx, gate, weight));
  OC_ASSIGN_OR_RETURN(const Tensor logits, LoadTensor<float>(ctx, product));
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kFloat, logits.shape()));
  vec::Sigmoid(logits.data<float>(), logits.num_elements(), result.mutable_data<float>());
  return StoreTensor<float>(ctx, result, dtype);
}

// GatedAdd (com.microsoft 1): output = X + Y * gate, the product rounded to the type of Y. X and Y
// (..., C), gate (..., 1). With gate_weight (K, 1), of bfloat16, gate is (..., K) and
// sigmoid(gate * gate_weight) in its place, rounded after each step.
absl::Status GatedAdd(KernelContext& ctx) {
  const Tensor& x = ctx.Input(0);
  const Tensor& y = ctx.Input(1);
  Tensor gate = ctx.Input(2);
  const bool projects = ctx.HasInput(3);
  Shape gate_shape = x.shape();
  if (!gate_shape.empty())
    gate_shape.back() = projects && gate.rank() > 0 ? gate.shape().back() : 1;
  if (x.rank() < 1 || y.shape() != x.shape() || gate.shape() != gate_shape) {
    return absl::InvalidArgumentError(absl::StrCat(
        "X (..., C), Y (..., C) and gate (..., ", projects ? "K" : "1",
        ") do not fit: ", x.TypeString(), ", ", y.TypeString(), " and ", gate.TypeString()));
  }
  if (projects) {
    OC_ASSIGN_OR_RETURN(gate, ProjectedGate(ctx, gate, ctx.Input(3)));
  }
  OC_ASSIGN_OR_RETURN(const Tensor product,
                      (Elementwise(Floats{}, ctx, std::array<const Tensor*, 2>{&y, &gate},
                                   y.dtype(), [](auto a, auto b) { return a * b; })));
  return EmitBinary<Floats>(ctx, x, product, [](auto a, auto b) { return a + b; });
}

}  // namespace

void RegisterContribGatedAdd(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GatedAdd", {1}, GatedAdd);
}

}  // namespace onnxcmp
