#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// ImageScaler (ai.onnx 1, experimental, removed in 10): output[n, c] = scale * input[n, c] +
// bias[c], for N x C x H x W.
Kernel ImageScaler(const KernelInit& node) {
  const std::vector<float> bias = node.Floats("bias");
  const float scale = node.Float("scale");
  return [=](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    if (x.rank() != 4 || x.dim(1) != static_cast<int64_t>(bias.size())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a bias of ", bias.size(), " channels does not fit an input of ", x.TypeString()));
    }
    const Tensor channels = Tensor::Of<float>({x.dim(1), 1, 1}, bias);
    return EmitBinary<Floats>(ctx, x, channels, [=](auto v, auto b) {
      using T = typename decltype(v)::Scalar;
      return v * T{scale} + b;
    });
  };
}

}  // namespace

void RegisterLegacyImageScaler(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ImageScaler", {1}, ImageScaler);
}

}  // namespace onnxcmp
