#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/integer_product.h"
#include "ops/common/quantized/dynamic_quantization.h"
#include "ops/common/quantized/quantization.h"

namespace onnxcmp {
namespace {

enum Inputs { kA, kB, kBScale, kBZero, kBias };

template <typename C>
absl::Status Multiply(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor a, LoadTensor<C>(ctx, ctx.Input(kA)));
  const ByteScale<C> range = ByteScaleOf(a.data<C>(), a.num_elements());
  const Tensor scale = Tensor::Scalar<C>(range.scale == 0 ? C{1} : range.scale);
  const Tensor zero_point = Tensor::Scalar<uint8_t>(range.zero_point);
  OC_ASSIGN_OR_RETURN(const Tensor bytes, QuantizeTensor(ctx, a, scale, &zero_point, {}));
  OC_ASSIGN_OR_RETURN(
      Tensor y,
      RealProduct(ctx, {&bytes, &scale, &zero_point}, FactorFromInputs(ctx, kB, kBScale, kBZero),
                  ctx.HasInput(kBias) ? &ctx.Input(kBias) : nullptr, kDTypeOf<C>));
  return ctx.SetOutput(0, std::move(y));
}

// DynamicQuantizeMatMul (com.microsoft 1): A is quantized to uint8 by its range, as
// DynamicQuantizeLinear does it, and
//   Y = numpy.matmul((A' - a_zero_point) * a_scale, (B - b_zero_point) * b_scale) + bias
// with parameters for all of B or for its columns.
absl::Status DynamicQuantizeMatMul(KernelContext& ctx) {
  return DispatchFloat(ctx.Input(kA).dtype(), [&]<typename C>() { return Multiply<C>(ctx); });
}

}  // namespace

void RegisterContribDynamicQuantizeMatMul(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "DynamicQuantizeMatMul", {1}, DynamicQuantizeMatMul);
}

}  // namespace onnxcmp
