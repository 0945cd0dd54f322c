#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/movement/resize.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

template <typename E, size_t N>
std::optional<E> Choose(const std::array<std::pair<absl::string_view, E>, N>& names,
                        absl::string_view name) {
  for (const auto& [known, value] : names) {
    if (known == name) return value;
  }
  return std::nullopt;
}

constexpr std::array<std::pair<absl::string_view, Interpolation>, 3> kModes = {{
    {"nearest", Interpolation::kNearest},
    {"linear", Interpolation::kLinear},
    {"cubic", Interpolation::kCubic},
}};
constexpr std::array<std::pair<absl::string_view, Coordinates>, 7> kCoordinates = {{
    {"half_pixel", Coordinates::kHalfPixel},
    {"half_pixel_symmetric", Coordinates::kHalfPixelSymmetric},
    {"pytorch_half_pixel", Coordinates::kPytorchHalfPixel},
    {"align_corners", Coordinates::kAlignCorners},
    {"asymmetric", Coordinates::kAsymmetric},
    {"tf_half_pixel_for_nn", Coordinates::kTfHalfPixelForNn},
    {"tf_crop_and_resize", Coordinates::kTfCropAndResize},
}};
constexpr std::array<std::pair<absl::string_view, Nearest>, 4> kNearestModes = {{
    {"round_prefer_floor", Nearest::kRoundPreferFloor},
    {"round_prefer_ceil", Nearest::kRoundPreferCeil},
    {"floor", Nearest::kFloor},
    {"ceil", Nearest::kCeil},
}};

enum class AspectRatio : uint8_t { kStretch, kNotLarger, kNotSmaller };
constexpr std::array<std::pair<absl::string_view, AspectRatio>, 3> kAspectRatios = {{
    {"stretch", AspectRatio::kStretch},
    {"not_larger", AspectRatio::kNotLarger},
    {"not_smaller", AspectRatio::kNotSmaller},
}};

struct Attributes {
  ResizeOptions options;
  AspectRatio aspect_ratio = AspectRatio::kStretch;
  bool has_axes = false;
  std::vector<int64_t> axes;
};

// Nothing that is larger can be held in memory.
constexpr double kLimit = 1e12;

// The sizes and scales along the axes. One of the inputs has a value for each axis, the other is
// absent or empty.
absl::Status SetSizes(const KernelContext& ctx, const Attributes& attributes, int scales_input,
                      std::vector<ResizeAxis>* axes) {
  const Tensor& x = ctx.Input(0);
  const int sizes_input = scales_input + 1;
  const bool has_scales = ctx.HasInput(scales_input) && ctx.Input(scales_input).num_elements() > 0;
  const bool has_sizes = ctx.HasInput(sizes_input) && ctx.Input(sizes_input).num_elements() > 0;
  if (has_scales && has_sizes) {
    return absl::InvalidArgumentError("both scales and sizes are given");
  }
  if (!has_scales && !has_sizes) {
    if (axes->empty()) return absl::OkStatus();
    return absl::InvalidArgumentError("neither scales nor sizes are given");
  }
  const Tensor& given = ctx.Input(has_scales ? scales_input : sizes_input);
  if (given.num_elements() != static_cast<int64_t>(axes->size())) {
    return absl::InvalidArgumentError(absl::StrCat(has_scales ? "scales" : "sizes", " has ",
                                                   given.num_elements(), " values for ",
                                                   axes->size(), " axes"));
  }
  if (has_scales) {
    OC_ASSIGN_OR_RETURN(const Tensor scales, LoadTensor<float>(ctx, given));
    for (size_t i = 0; i < axes->size(); ++i) {
      ResizeAxis& axis = (*axes)[i];
      axis.scale = scales.data<float>()[i];
      const float size = axis.scale * static_cast<float>(x.dim(axis.axis));
      if (!(axis.scale > 0) || !(size < kLimit)) {
        return absl::InvalidArgumentError(
            absl::StrCat("scale ", axis.scale, " of axis ", axis.axis));
      }
      axis.output = static_cast<int64_t>(size);
      axis.length = size;
    }
    return absl::OkStatus();
  }
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, ctx.IntsInput(sizes_input));
  std::vector<double> scales;
  for (size_t i = 0; i < axes->size(); ++i) {
    ResizeAxis& axis = (*axes)[i];
    if (sizes[i] < 0 || static_cast<double>(sizes[i]) > kLimit) {
      return absl::InvalidArgumentError(absl::StrCat("size ", sizes[i], " of axis ", axis.axis));
    }
    const auto input = static_cast<double>(x.dim(axis.axis));
    axis.output = sizes[i];
    scales.push_back(input == 0 ? 1 : static_cast<double>(sizes[i]) / input);
    axis.scale = static_cast<float>(scales.back());
    axis.length = static_cast<float>(axis.output);
  }
  if (attributes.aspect_ratio == AspectRatio::kStretch || axes->empty()) return absl::OkStatus();
  const double scale = attributes.aspect_ratio == AspectRatio::kNotLarger
                           ? *std::min_element(scales.begin(), scales.end())
                           : *std::max_element(scales.begin(), scales.end());
  for (ResizeAxis& axis : *axes) {
    const double size = std::floor(scale * static_cast<double>(x.dim(axis.axis)) + 0.5);
    if (size > kLimit) {
      return absl::InvalidArgumentError(absl::StrCat("size ", size, " of axis ", axis.axis));
    }
    axis.output = static_cast<int64_t>(size);
    axis.scale = static_cast<float>(scale);
    axis.length = static_cast<float>(scale * static_cast<double>(x.dim(axis.axis)));
  }
  return absl::OkStatus();
}

absl::Status Run(KernelContext& ctx, const Attributes& attributes, int version) {
  const Tensor& x = ctx.Input(0);
  Axes chosen;
  for (int i = 0; i < x.rank() && !attributes.has_axes; ++i) chosen.push_back(i);
  if (attributes.has_axes) {
    OC_ASSIGN_OR_RETURN(chosen, NormalizeAxes(attributes.axes, x.rank()));
  }
  std::vector<ResizeAxis> axes;
  for (int axis : chosen) axes.push_back({axis, x.dim(axis), 1, 0});
  OC_RETURN_IF_ERROR(SetSizes(ctx, attributes, version == 10 ? 1 : 2, &axes));
  ctx.IgnoreInput(1);  // the roi, which only tf_crop_and_resize looks at
  if (attributes.options.coordinates == Coordinates::kTfCropAndResize) {
    if (!ctx.HasInput(1) || ctx.Input(1).num_elements() != 2 * static_cast<int64_t>(axes.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("tf_crop_and_resize needs a roi of ", 2 * axes.size(), " values"));
    }
    OC_ASSIGN_OR_RETURN(const Tensor roi, LoadTensor<float>(ctx, ctx.Input(1)));
    for (size_t i = 0; i < axes.size(); ++i) {
      axes[i].roi_start = roi.data<float>()[i];
      axes[i].roi_end = roi.data<float>()[i + axes.size()];
    }
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ResizeTensor(ctx, x, attributes.options, axes));
  return ctx.SetOutput(0, std::move(y));
}

// Resize (ai.onnx 10, 11, 13, 18, 19): y at an index is x interpolated at the position that the
// index stands for, axis by axis. Version 10 has nearest and linear at position index / scale,
// nearest rounding down, or up along axes that become shorter (as onnxruntime; the text is silent).
// Later ones have all of the attributes' modes. Differs from the text as others do: sizes that
// follow from scales do not depend on the roi, and an axis of scale 1 stays as it is.
absl::StatusOr<Kernel> Resize(const KernelInit& node) {
  Attributes attributes;
  ResizeOptions& options = attributes.options;
  const auto choose = [&](const auto& names, absl::string_view attribute,
                          auto* value) -> absl::Status {
    const std::string name = node.String(attribute);
    const auto chosen = Choose(names, name);
    if (!chosen.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(attribute, " \"", name, "\""));
    }
    *value = *chosen;
    return absl::OkStatus();
  };
  OC_RETURN_IF_ERROR(choose(kModes, "mode", &options.interpolation));
  if (node.version() >= 11) {
    OC_RETURN_IF_ERROR(
        choose(kCoordinates, "coordinate_transformation_mode", &options.coordinates));
    OC_RETURN_IF_ERROR(choose(kNearestModes, "nearest_mode", &options.nearest));
    options.cubic_a = node.Float("cubic_coeff_a");
    options.exclude_outside = node.Flag("exclude_outside");
    options.extrapolation_value = node.Float("extrapolation_value");
  }
  if (node.version() >= 18) {
    OC_RETURN_IF_ERROR(choose(kAspectRatios, "keep_aspect_ratio_policy", &attributes.aspect_ratio));
    options.antialias = node.Flag("antialias");
    attributes.has_axes = node.Has("axes");
    attributes.axes = node.Ints("axes");
  }
  return [attributes = std::move(attributes), version = node.version()](KernelContext& ctx) {
    return Run(ctx, attributes, version);
  };
}

}  // namespace

void RegisterResize(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Resize", {10, 11, 13, 18, 19}, Resize);
}

}  // namespace onnxcmp
