#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/contrib/q_ordered/matrix_order.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

constexpr int kNoZeroPoint = 3;  // an input that the operator does not have

// QOrderedGelu (com.microsoft 1): Y = 0.5 * X * (1 + erf(X / sqrt(2))) of the real values. X and Y
// have one order, so which does not matter.
absl::StatusOr<Kernel> QOrderedGelu(const KernelInit& node) {
  const int64_t x_order = node.Int("order_X", 1);
  const int64_t y_order = node.Int("order_Y", x_order);
  OC_RETURN_IF_ERROR(MatrixOrderOf(x_order, "order_X").status());
  if (node.Has("order_X") && y_order != x_order) {
    return absl::InvalidArgumentError(
        absl::StrCat("order_X is ", x_order, ", but order_Y ", y_order));
  }
  OC_RETURN_IF_ERROR(MatrixOrderOf(y_order, "order_Y").status());
  return [](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, RealInput(ctx, {0, 1, kNoZeroPoint}));
    OC_ASSIGN_OR_RETURN(
        const Tensor y,
        (ElementwiseIn<double, 1>(ctx, {&x}, DType::kDouble, [](auto v) { return vec::Gelu(v); })));
    return EmitQuantized(ctx, y, {2, kNoZeroPoint}, DType::kInt8);
  };
}

}  // namespace

void RegisterContribQOrderedGelu(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QOrderedGelu", {1}, QOrderedGelu);
}

}  // namespace onnxcmp
