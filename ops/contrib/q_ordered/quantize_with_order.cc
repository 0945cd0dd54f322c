#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/quantized/quantization.h"
#include "ops/contrib/q_ordered/matrix_order.h"

namespace onnxcmp {
namespace {

// QuantizeWithOrder (com.microsoft 1): output = saturate(round(input / scale_input)) in int8, its
// matrices moved from order_input to order_output.
absl::StatusOr<Kernel> QuantizeWithOrder(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const MatrixOrder from,
                      MatrixOrderOf(node.Int("order_input"), "order_input"));
  OC_ASSIGN_OR_RETURN(const MatrixOrder to,
                      MatrixOrderOf(node.Int("order_output"), "order_output"));
  return [from, to](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const double scale, ctx.ScalarInput<double>(1));
    QuantizeOptions options;
    options.output = DType::kInt8;
    OC_ASSIGN_OR_RETURN(
        const Tensor bytes,
        QuantizeTensor(ctx, ctx.Input(0), Tensor::Scalar<double>(scale), nullptr, options));
    OC_ASSIGN_OR_RETURN(Tensor y, Reordered(ctx, bytes, from, to));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterContribQuantizeWithOrder(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QuantizeWithOrder", {1}, QuantizeWithOrder);
}

}  // namespace onnxcmp
