#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/products/integer_product.h"

namespace onnxcmp {
namespace {

// MatMulInteger (ai.onnx 10): Y = numpy.matmul(A - a_zero_point, B - b_zero_point) in int32; zero
// points for all of A or for its rows, for all of B or for its columns.
absl::Status MatMulInteger(KernelContext& ctx) {
  const auto factor = [&](int values, int zero_point) {
    return ByteFactor{&ctx.Input(values),
                      ctx.HasInput(zero_point) ? &ctx.Input(zero_point) : nullptr};
  };
  OC_ASSIGN_OR_RETURN(const MatMulLayout layout, LayOutBytes(ctx, ctx.Input(0), ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kInt32, layout.output));
  OC_RETURN_IF_ERROR(
      MultiplyIntegers(ctx, layout, factor(0, 2), factor(1, 3), y.mutable_data<int32_t>()));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

void RegisterMatMulInteger(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "MatMulInteger", {10}, MatMulInteger);
}

}  // namespace onnxcmp
