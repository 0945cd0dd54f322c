#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/movement/resize.h"

namespace onnxcmp {
namespace {

// Upsample (ai.onnx 1, 7, 9, 10): Resize 10 with scales of at least 1, which are the attributes
// height_scale and width_scale of an image (1), the attribute `scales` (7), or an input. Version 10
// deprecates it.
absl::StatusOr<Kernel> Upsample(const KernelInit& node) {
  const int version = node.version();
  std::vector<float> attribute;
  if (version == 1) {
    attribute = {1, 1, node.Float("height_scale"), node.Float("width_scale")};
  } else if (version == 7) {
    attribute = node.Floats("scales");
  }
  const std::string mode = node.String("mode");
  ResizeOptions options;
  if (mode == "linear" || mode == "bilinear") {
    options.interpolation = Interpolation::kLinear;
  } else if (mode != "nearest") {
    return absl::InvalidArgumentError(absl::StrCat("mode \"", mode, "\""));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    std::vector<float> scales = attribute;
    if (version >= 9) {
      OC_ASSIGN_OR_RETURN(const Tensor input, LoadTensor<float>(ctx, ctx.Input(1)));
      scales.assign(input.data<float>(), input.data<float>() + input.num_elements());
    }
    if (scales.size() != x.shape().size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(scales.size(), " scales for ", x.rank(), " axes"));
    }
    std::vector<ResizeAxis> axes;
    for (int i = 0; i < x.rank(); ++i) {
      const float scale = scales[static_cast<size_t>(i)];
      const float size = scale * static_cast<float>(x.dim(i));
      if (!(scale >= 1) || !(size < 1e12f)) {
        return absl::InvalidArgumentError(absl::StrCat("scale ", scale, " of axis ", i));
      }
      axes.push_back({i, static_cast<int64_t>(size), scale, size});
    }
    OC_ASSIGN_OR_RETURN(Tensor y, ResizeTensor(ctx, x, options, axes));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterUpsample(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Upsample", {1, 7, 9, 10}, Upsample);
}

}  // namespace onnxcmp
