#include <utility>

#include "evaluator/op_registry.h"
#include "ops/common/integer_product.h"

namespace onnxcmp {
namespace {

// MatMulInteger (ai.onnx 10): Y = numpy.matmul(A - a_zero_point, B - b_zero_point) in int32; zero
// points for all of A or for its rows, for all of B or for its columns.
absl::Status MatMulInteger(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(
      const Tensor a,
      SubtractZeroPoint(ctx, ctx.Input(0), ctx.HasInput(2) ? &ctx.Input(2) : nullptr, Side::kLeft));
  OC_ASSIGN_OR_RETURN(const Tensor b,
                      SubtractZeroPoint(ctx, ctx.Input(1),
                                        ctx.HasInput(3) ? &ctx.Input(3) : nullptr, Side::kRight));
  OC_ASSIGN_OR_RETURN(const MatMulLayout layout,
                      LayOutMatMul(ctx, a.shape(), a.strides(), b.shape(), b.strides()));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kInt32, layout.output));
  OC_RETURN_IF_ERROR(MultiplyIntegers(ctx, layout, a, b, y.mutable_data<int32_t>()));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

void RegisterMatMulInteger(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "MatMulInteger", {10}, MatMulInteger);
}

}  // namespace onnxcmp
