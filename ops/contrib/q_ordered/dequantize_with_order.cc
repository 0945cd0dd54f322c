#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/quantized/quantization.h"
#include "ops/contrib/q_ordered/matrix_order.h"

namespace onnxcmp {
namespace {

// DequantizeWithOrder (com.microsoft 1): output = input * scale_input as float or float16 (`to`),
// its matrices moved from order_input to order_output.
absl::StatusOr<Kernel> DequantizeWithOrder(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const MatrixOrder from,
                      MatrixOrderOf(node.Int("order_input"), "order_input"));
  OC_ASSIGN_OR_RETURN(const MatrixOrder to,
                      MatrixOrderOf(node.Int("order_output"), "order_output"));
  const int64_t type = node.Int("to");
  if (type != static_cast<int64_t>(DType::kFloat) &&
      type != static_cast<int64_t>(DType::kFloat16)) {
    return absl::InvalidArgumentError(
        absl::StrCat("to ", type, " is neither float (1) nor float16 (10)"));
  }
  const DType dtype = static_cast<DType>(type);
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const float scale, ctx.ScalarInput<float>(1));
    OC_ASSIGN_OR_RETURN(const Tensor bytes, Reordered(ctx, ctx.Input(0), from, to));
    OC_ASSIGN_OR_RETURN(
        Tensor y, DequantizeTensor(ctx, bytes, Tensor::Scalar<float>(scale), nullptr, {}, dtype));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterContribDequantizeWithOrder(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "DequantizeWithOrder", {1}, DequantizeWithOrder);
}

}  // namespace onnxcmp
