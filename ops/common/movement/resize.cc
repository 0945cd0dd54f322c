#include "ops/common/movement/resize.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elements/complex_parts.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/movement/movement.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {
namespace {

// The position in the input that position `x` of the result stands for.
float Original(const ResizeOptions& options, const ResizeAxis& axis, int64_t input, int64_t x) {
  const auto length = static_cast<float>(input);
  const auto resized = static_cast<float>(axis.output);
  const auto at = static_cast<float>(x);
  switch (options.coordinates) {
    case Coordinates::kHalfPixel:
      return (at + 0.5f) / axis.scale - 0.5f;
    case Coordinates::kHalfPixelSymmetric: {
      const float adjustment = resized / axis.length;
      return length / 2 * (1 - adjustment) + (at + 0.5f) / axis.scale - 0.5f;
    }
    case Coordinates::kPytorchHalfPixel:
      return axis.output > 1 ? (at + 0.5f) / axis.scale - 0.5f : 0;
    case Coordinates::kAlignCorners:
      return x == 0 ? 0 : at * (length - 1) / (axis.length - 1);
    case Coordinates::kAsymmetric:
      return at / axis.scale;
    case Coordinates::kTfHalfPixelForNn:
      return (at + 0.5f) / axis.scale;
    case Coordinates::kTfCropAndResize:
      break;
  }
  return axis.output > 1 ? axis.roi_start * (length - 1) +
                               at * (axis.roi_end - axis.roi_start) * (length - 1) / (resized - 1)
                         : 0.5f * (axis.roi_start + axis.roi_end) * (length - 1);
}

int64_t NearestIndex(Nearest nearest, float scale, float position) {
  const float floor = std::floor(position);
  float index = floor;
  switch (nearest) {
    case Nearest::kRoundPreferFloor:
      index = position - floor > 0.5f ? floor + 1 : floor;
      break;
    case Nearest::kRoundPreferCeil:
      index = position - floor >= 0.5f ? floor + 1 : floor;
      break;
    case Nearest::kFloor:
      break;
    case Nearest::kCeil:
      index = std::ceil(position);
      break;
    case Nearest::kLegacy:
      index = scale < 1 ? std::ceil(position) : floor;
      break;
  }
  return static_cast<int64_t>(index);
}

float CubicFilter(float x, float a) {
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// For each element of the result, `taps` elements of the input and their weights.
struct AxisPlan {
  int64_t input;
  int64_t output;
  int64_t taps;
  std::vector<int64_t> indices;
  std::vector<float> weights;
  std::vector<int64_t> outside;  // elements of the result that are extrapolated
};

// Where positions may lie: beyond it all see the same elements.
float Clamped(float position, int64_t input) {
  const auto limit = static_cast<float>(input);
  return position == position ? std::clamp(position, -limit - 4, 2 * limit + 4) : 0;
}

AxisPlan PlanAxis(const ResizeOptions& options, const ResizeAxis& axis, int64_t input) {
  const bool is_nearest = options.interpolation == Interpolation::kNearest;
  const bool is_cubic = options.interpolation == Interpolation::kCubic;
  // The filter is stretched by 1 / squeeze, so that it covers what one result stands for.
  const float squeeze =
      options.antialias && !is_nearest ? std::clamp(axis.scale, 1e-6f, 1.0f) : 1.0f;
  const float radius = (is_cubic ? 2.0f : 1.0f) / squeeze;
  // Whatever the filter covers beyond the input's ends belongs to their elements.
  const int64_t beyond = std::min(static_cast<int64_t>(radius) + 1, 2 * input + 4);
  AxisPlan plan = {input, axis.output, is_nearest ? 1 : 2 * beyond, {}, {}, {}};
  for (int64_t x = 0; x < axis.output; ++x) {
    const float original = Original(options, axis, input, x);
    if (options.coordinates == Coordinates::kTfCropAndResize &&
        !(original >= 0 && original <= static_cast<float>(input - 1))) {
      plan.outside.push_back(x);
    }
    const float position = Clamped(original, input);
    if (is_nearest) {
      const int64_t index = NearestIndex(options.nearest, axis.scale, position);
      plan.indices.push_back(std::clamp<int64_t>(index, 0, input - 1));
      continue;
    }
    const auto first = static_cast<int64_t>(std::floor(position)) - beyond + 1;
    const size_t begin = plan.weights.size();
    float sum = 0;
    for (int64_t i = first; i < first + plan.taps; ++i) {
      const float distance = (static_cast<float>(i) - position) * squeeze;
      float weight = is_cubic ? CubicFilter(distance, options.cubic_a)
                              : std::max(0.0f, 1 - std::abs(distance));
      if (options.exclude_outside && (i < 0 || i >= input)) weight = 0;
      sum += weight;
      plan.indices.push_back(std::clamp<int64_t>(i, 0, input - 1));
      plan.weights.push_back(weight);
    }
    // The weights of a filter that is not stretched add up to 1.
    if (squeeze != 1 || options.exclude_outside) {
      for (size_t i = begin; i < plan.weights.size(); ++i) plan.weights[i] /= sum;
    }
  }
  return plan;
}

// Leaves out taps that no result needs: at the ends of all filters weights are 0.
void DropIdleTaps(AxisPlan* plan) {
  const auto is_idle = [&](int64_t tap) {
    for (int64_t x = 0; x < plan->output; ++x) {
      if (plan->weights[static_cast<size_t>(x * plan->taps + tap)] != 0) return false;
    }
    return true;
  };
  int64_t begin = 0;
  int64_t end = plan->taps;
  while (begin + 1 < end && is_idle(begin)) ++begin;
  while (begin + 1 < end && is_idle(end - 1)) --end;
  const auto taps = static_cast<size_t>(plan->taps);
  const auto kept = static_cast<size_t>(end - begin);
  for (size_t x = 0; x < static_cast<size_t>(plan->output); ++x) {
    for (size_t k = 0; k < kept; ++k) {
      plan->indices[x * kept + k] = plan->indices[x * taps + static_cast<size_t>(begin) + k];
      plan->weights[x * kept + k] = plan->weights[x * taps + static_cast<size_t>(begin) + k];
    }
  }
  plan->taps = end - begin;
}

// One axis of a tensor as (outer, input, inner) to (outer, output, inner). Weights of 0 are left
// out, so that infinities beyond the filter do not become NaN.
template <typename C>
void InterpolateRow(const AxisPlan& plan, int64_t x, int64_t inner, const C* from, C* to) {
  std::fill_n(to, inner, C{0});
  for (int64_t k = 0; k < plan.taps; ++k) {
    const auto at = static_cast<size_t>(x * plan.taps + k);
    const C weight = plan.weights[at];
    if (weight == 0) continue;
    const C* row = from + plan.indices[at] * inner;
    for (int64_t i = 0; i < inner; ++i) to[i] += weight * row[i];
  }
}

// The same for the innermost axis: all elements of the result. kTaps: 0 if it is not known.
template <int64_t kTaps, typename C>
void InterpolateLine(const AxisPlan& plan, const C* from, C* to) {
  const int64_t taps = kTaps == 0 ? plan.taps : kTaps;
  const int64_t* index = plan.indices.data();
  const float* weight = plan.weights.data();
  for (int64_t x = 0; x < plan.output; ++x, index += taps, weight += taps) {
    C sum = 0;
    for (int64_t k = 0; k < taps; ++k) {
      const C term = static_cast<C>(weight[k]) * from[index[k]];
      sum += weight[k] != 0 ? term : 0;
    }
    to[x] = sum;
  }
}

template <typename C>
absl::StatusOr<Tensor> Interpolate(const KernelContext& ctx, const Tensor& x, int axis,
                                   const AxisPlan& plan) {
  Shape shape = x.shape();
  shape[static_cast<size_t>(axis)] = plan.output;
  const LaneShape lanes = LanesAlong(x.shape(), axis);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, shape));
  const C* from = x.data<C>();
  C* to = y.mutable_data<C>();
  if (lanes.inner == 1) {
    const auto interpolate = plan.taps == 2   ? InterpolateLine<2, C>
                             : plan.taps == 4 ? InterpolateLine<4, C>
                                              : InterpolateLine<0, C>;
    const int64_t lines = std::max<int64_t>(1, 32768 / (plan.output * plan.taps));
    ctx.pool().ParallelRanges(lanes.outer, lines, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        interpolate(plan, from + i * plan.input, to + i * plan.output);
      }
    });
    return y;
  }
  const int64_t grain = std::max<int64_t>(1, 32768 / std::max<int64_t>(1, lanes.inner * plan.taps));
  ctx.pool().ParallelRanges(lanes.outer * plan.output, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      InterpolateRow(plan, i % plan.output, lanes.inner,
                     from + i / plan.output * plan.input * lanes.inner, to + i * lanes.inner);
    }
  });
  return y;
}

// True if each element is taken twice, as by most of the networks that scale up.
bool IsDoubling(const AxisPlan& plan) {
  for (int64_t x = 0; x < plan.output; ++x) {
    if (plan.indices[static_cast<size_t>(x)] != x / 2) return false;
  }
  return plan.output == 2 * plan.input;
}

absl::StatusOr<Tensor> TakeNearest(const KernelContext& ctx, const Tensor& x, int axis,
                                   const AxisPlan& plan) {
  Shape shape = x.shape();
  shape[static_cast<size_t>(axis)] = plan.output;
  const LaneShape lanes = LanesAlong(x.shape(), axis);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), shape));
  if (lanes.inner == 1 && IsDoubling(plan) && BitWidth(x.dtype()) == 32) {
    ctx.pool().ParallelRanges(x.num_elements(), 32768, [&](int64_t begin, int64_t end) {
      const auto* from = x.data<uint32_t>();
      auto* to = y.mutable_data<uint32_t>();
      for (int64_t i = begin; i < end; ++i) {
        to[2 * i] = from[i];
        to[2 * i + 1] = from[i];
      }
    });
    return y;
  }
  std::vector<int64_t> offsets = plan.indices;
  for (int64_t& offset : offsets) offset *= lanes.inner;
  GatherBlocks(x, lanes.outer, plan.input * lanes.inner, offsets, lanes.inner, ctx.pool(), &y);
  return y;
}

// True if an axis stays as it is.
bool IsIdentity(const ResizeOptions& options, const ResizeAxis& axis, int64_t input) {
  return axis.output == input && axis.scale == 1 &&
         (options.coordinates != Coordinates::kTfCropAndResize ||
          (axis.roi_start == 0 && axis.roi_end == 1));
}

// Writes `value` over the elements at `outside` along an axis of an unshared tensor.
void Overwrite(const AxisPlan& plan, int axis, float value, Tensor* y) {
  if (plan.outside.empty()) return;
  const LaneShape lanes = LanesAlong(y->shape(), axis);
  const std::vector<float> row(static_cast<size_t>(lanes.inner), value);
  for (int64_t o = 0; o < lanes.outer; ++o) {
    for (int64_t x : plan.outside) {
      StoreElements(y->dtype(), row.data(), lanes.inner, y->mutable_raw_data(),
                    (o * plan.output + x) * lanes.inner, Overflow::kSaturate);
    }
  }
}

template <typename C>
absl::StatusOr<Tensor> InterpolateAll(const KernelContext& ctx, const Tensor& x,
                                      absl::Span<const ResizeAxis> axes,
                                      const std::vector<AxisPlan>& plans, bool rounds) {
  OC_ASSIGN_OR_RETURN(Tensor y, LoadTensor<C>(ctx, x));
  for (size_t i = 0; i < plans.size(); ++i) {
    OC_ASSIGN_OR_RETURN(y, Interpolate<C>(ctx, y, axes[i].axis, plans[i]));
  }
  if (IsInteger(x.dtype())) {
    // Weights are floats: what is a whole number but for their error is meant to be one.
    constexpr C kError = 1e-4;
    C* values = y.mutable_data<C>();
    for (int64_t i = 0; i < y.num_elements(); ++i) {
      const C whole = std::nearbyint(values[i]);
      if (rounds || std::abs(values[i] - whole) < kError) values[i] = whole;
    }
  }
  return StoreTensor<C>(ctx, y, x.dtype(), Overflow::kSaturate);
}

}  // namespace

absl::StatusOr<Tensor> ResizeTensor(const KernelContext& ctx, const Tensor& x,
                                    const ResizeOptions& options,
                                    absl::Span<const ResizeAxis> axes) {
  Shape shape = x.shape();
  std::vector<ResizeAxis> resized;
  for (const ResizeAxis& axis : axes) {
    const int64_t input = x.dim(axis.axis);
    if (IsIdentity(options, axis, input)) continue;
    shape[static_cast<size_t>(axis.axis)] = axis.output;
    if (input == 0 && axis.output != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis ", axis.axis, " of size 0 cannot become ", axis.output));
    }
    resized.push_back(axis);
  }
  if (resized.empty()) return x;
  // Axes that become shorter go first, from the outside: rows are left out before what lies in them
  // is computed. Those that become longer go last, from the inside.
  std::sort(resized.begin(), resized.end(), [&](const ResizeAxis& a, const ResizeAxis& b) {
    const bool a_shrinks = a.output < x.dim(a.axis);
    const bool b_shrinks = b.output < x.dim(b.axis);
    if (a_shrinks != b_shrinks) return a_shrinks;
    return a_shrinks ? a.axis < b.axis : a.axis > b.axis;
  });
  OC_RETURN_IF_ERROR(ctx.CheckSize(x.dtype(), shape));
  if (*NumElements(shape) == 0) return ctx.Allocate(x.dtype(), shape);

  const bool is_nearest = options.interpolation == Interpolation::kNearest;
  // Elements outside of a cropping roi would have extrapolation_value in both parts.
  if (IsComplex(x.dtype()) && !is_nearest && options.coordinates != Coordinates::kTfCropAndResize) {
    OC_ASSIGN_OR_RETURN(const Tensor parts, PartsOf(ctx, x));
    OC_ASSIGN_OR_RETURN(const Tensor y, ResizeTensor(ctx, parts, options, axes));
    return FromParts(ctx, y);
  }
  std::vector<AxisPlan> plans;
  for (const ResizeAxis& axis : resized) {
    // An index and a weight for each element, and a few more where the axis shrinks.
    OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kComplex128, {axis.output, 4}));
    plans.push_back(PlanAxis(options, axis, x.dim(axis.axis)));
    if (!is_nearest) DropIdleTaps(&plans.back());
  }
  Tensor y;
  if (is_nearest) {
    OC_ASSIGN_OR_RETURN(y, ctx.Contiguous(x));
    for (size_t i = 0; i < plans.size(); ++i) {
      OC_ASSIGN_OR_RETURN(y, TakeNearest(ctx, y, resized[i].axis, plans[i]));
    }
  } else if (ComputeClassOf(x.dtype()) == ComputeClass::kFloat || x.dtype() == DType::kBool) {
    OC_ASSIGN_OR_RETURN(y, InterpolateAll<float>(ctx, x, resized, plans, false));
  } else if (x.dtype() == DType::kDouble || IsInteger(x.dtype())) {
    OC_ASSIGN_OR_RETURN(y, InterpolateAll<double>(ctx, x, resized, plans,
                                                  options.antialias && IsInteger(x.dtype())));
  } else {
    return absl::UnimplementedError(
        absl::StrCat("elements of ", x.TypeString(), " cannot be interpolated"));
  }
  for (size_t i = 0; i < plans.size() && x.dtype() != DType::kString; ++i) {
    Overwrite(plans[i], resized[i].axis, options.extrapolation_value, &y);
  }
  return y;
}

}  // namespace onnxcmp
