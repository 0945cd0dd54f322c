#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/quantized/dynamic_quantization.h"
#include "ops/common/quantized/quantization.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Quantize(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  const ByteScale<C> range = ByteScaleOf(x.data<C>(), x.num_elements());
  const Tensor y_scale = Tensor::Scalar<C>(range.scale);
  const Tensor y_zero_point = Tensor::Scalar<uint8_t>(range.zero_point);
  OC_ASSIGN_OR_RETURN(Tensor y, QuantizeTensor(ctx, x, y_scale, &y_zero_point, {}));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  OC_RETURN_IF_ERROR(ctx.SetOutput(1, y_scale));
  return ctx.SetOutput(2, y_zero_point);
}

// DynamicQuantizeLinear (ai.onnx 11): y_scale = (max(0, max(x)) - min(0, min(x))) / 255,
// y_zero_point = round(-min(0, min(x)) / y_scale), y = QuantizeLinear(x, y_scale, y_zero_point).
// A tensor of zeros (or of nothing) has scale 0 and zero point 0.
absl::Status DynamicQuantizeLinear(KernelContext& ctx) {
  return DispatchFloat(ctx.Input(0).dtype(), [&]<typename C>() { return Quantize<C>(ctx); });
}

}  // namespace

void RegisterDynamicQuantizeLinear(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "DynamicQuantizeLinear", {11}, DynamicQuantizeLinear);
}

}  // namespace onnxcmp
