#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/shapes/work.h"

namespace onnxcmp {
namespace {

struct Options {
  bool takes_max;
  bool half_pixel;
  int64_t output_height;
  int64_t output_width;
  int64_t sampling_ratio;
  float spatial_scale;
};

// Samples along an axis; more would only be asked for by a mistake.
constexpr int64_t kMaxSamples = int64_t{1} << 24;

// A sample's position along one axis: between two elements, or outside.
template <typename C>
struct Sample {
  bool inside;
  int64_t low, high;
  C low_weight, high_weight;
};

template <typename C>
struct AxisSamples {
  int64_t per_bin = 0;
  std::vector<Sample<C>> samples;  // bin by bin
};

// The samples along one axis of `size` elements for a region of interest.
template <typename C>
absl::StatusOr<AxisSamples<C>> SampleAxis(const KernelContext& ctx, const Options& options, C begin,
                                          C end, int64_t size, int64_t bins) {
  const C scale = options.spatial_scale;
  const C shift = options.half_pixel ? C{0.5} : C{0};
  const C start = begin * scale - shift;
  C length = end * scale - shift - start;
  if (!options.half_pixel) length = std::max(length, C{1});
  const C bin = length / static_cast<C>(bins);
  const C wanted = options.sampling_ratio > 0 ? static_cast<C>(options.sampling_ratio)
                                              : std::ceil(length / static_cast<C>(bins));
  if (!(wanted * static_cast<C>(bins) <= static_cast<C>(kMaxSamples))) {
    return absl::InvalidArgumentError(absl::StrCat("a region from ", begin, " to ", end, " takes ",
                                                   wanted, " samples for each of ", bins, " bins"));
  }
  AxisSamples<C> axis;
  axis.per_bin = std::max<int64_t>(0, static_cast<int64_t>(wanted));
  // They are kept, if only for a while.
  OC_RETURN_IF_ERROR(ctx.CheckSize(
      DType::kUint8, {axis.per_bin * bins * static_cast<int64_t>(sizeof(Sample<C>))}));
  for (int64_t b = 0; b < bins; ++b) {
    for (int64_t i = 0; i < axis.per_bin; ++i) {
      C at = start + static_cast<C>(b) * bin +
             (static_cast<C>(i) + C{0.5}) * bin / static_cast<C>(axis.per_bin);
      if (!(at >= -1 && at <= static_cast<C>(size)) || size == 0) {
        axis.samples.push_back({false, 0, 0, 0, 0});
        continue;
      }
      at = std::max(at, C{0});
      const auto low = std::min(static_cast<int64_t>(at), size - 1);
      const int64_t high = std::min(low + 1, size - 1);
      const C fraction = low == high ? C{0} : at - static_cast<C>(low);
      axis.samples.push_back({true, low, high, 1 - fraction, fraction});
    }
  }
  return axis;
}

// One bin of one channel.
template <typename C>
C Pool(const Options& options, const C* plane, int64_t width, const Sample<C>* ys, int64_t y_count,
       const Sample<C>* xs, int64_t x_count) {
  C result = 0;
  bool first = true;
  for (int64_t i = 0; i < y_count; ++i) {
    for (int64_t j = 0; j < x_count; ++j) {
      const Sample<C>& y = ys[i];
      const Sample<C>& x = xs[j];
      C terms[4] = {0, 0, 0, 0};
      if (y.inside && x.inside) {
        terms[0] = y.low_weight * x.low_weight * plane[y.low * width + x.low];
        terms[1] = y.low_weight * x.high_weight * plane[y.low * width + x.high];
        terms[2] = y.high_weight * x.low_weight * plane[y.high * width + x.low];
        terms[3] = y.high_weight * x.high_weight * plane[y.high * width + x.high];
      }
      if (options.takes_max) {
        for (C term : terms) {
          result = first || !(term <= result) ? term : result;
          first = false;
        }
      } else {
        result += terms[0] + terms[1] + terms[2] + terms[3];
      }
    }
  }
  return options.takes_max ? result
                           : result / static_cast<C>(std::max<int64_t>(1, y_count * x_count));
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor rois, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> batches, ctx.IntsInput(2));
  if (x.rank() != 4 || rois.rank() != 2 || rois.dim(1) != 4 || ctx.Input(2).rank() != 1 ||
      ctx.Input(2).dim(0) != rois.dim(0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "X must have four dimensions, rois be n x 4 and batch_indices n, but they are ",
        x.TypeString(), ", ", rois.TypeString(), " and ", ctx.Input(2).TypeString()));
  }
  const int64_t channels = x.dim(1);
  const int64_t height = x.dim(2);
  const int64_t width = x.dim(3);
  const int64_t bins = options.output_height * options.output_width;
  OC_ASSIGN_OR_RETURN(
      Tensor y, ctx.Allocate(kDTypeOf<C>,
                             {rois.dim(0), channels, options.output_height, options.output_width}));
  C* out = y.mutable_data<C>();
  double samples = 0;  // of a bin, over all regions so far
  for (int64_t r = 0; r < rois.dim(0) && y.num_elements() > 0; ++r) {
    const C* roi = rois.data<C>() + 4 * r;
    const int64_t batch = batches[static_cast<size_t>(r)];
    if (batch < 0 || batch >= x.dim(0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("batch index ", batch, " is out of range for a batch of ", x.dim(0)));
    }
    OC_ASSIGN_OR_RETURN(const AxisSamples<C> ys,
                        SampleAxis<C>(ctx, options, roi[1], roi[3], height, options.output_height));
    OC_ASSIGN_OR_RETURN(const AxisSamples<C> xs,
                        SampleAxis<C>(ctx, options, roi[0], roi[2], width, options.output_width));
    samples += static_cast<double>(ys.per_bin) * static_cast<double>(xs.per_bin);
    OC_RETURN_IF_ERROR(CheckWork(ctx, samples * static_cast<double>(bins * channels)));
    const C* image = x.data<C>() + batch * channels * height * width;
    const int64_t work = std::max<int64_t>(1, bins * ys.per_bin * xs.per_bin);
    ctx.pool().ParallelRanges(
        channels, std::max<int64_t>(1, 8192 / work), [&](int64_t begin, int64_t end) {
          for (int64_t c = begin; c < end; ++c) {
            C* to = out + (r * channels + c) * bins;
            for (int64_t bin = 0; bin < bins; ++bin) {
              const int64_t row = bin / options.output_width;
              const int64_t column = bin % options.output_width;
              to[bin] = Pool(options, image + c * height * width, width,
                             ys.samples.data() + row * ys.per_bin, ys.per_bin,
                             xs.samples.data() + column * xs.per_bin, xs.per_bin);
            }
          }
        });
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// RoiAlign (ai.onnx 10, 16, 22): each region of X is cut into output_height x output_width bins; a
// bin is the mean (or maximum) of samples that are interpolated bilinearly. A sample that lies more
// than one element outside of X is 0. Since 16 coordinates are shifted by half a pixel by default.
// Mode max takes the greatest of the weighted elements, not of their sums: so do onnxruntime and
// ONNX's own evaluator.
absl::StatusOr<Kernel> RoiAlign(const KernelInit& node) {
  const std::string mode = node.String("mode");
  const std::string coordinates =
      node.String("coordinate_transformation_mode", "output_half_pixel");
  const Options options = {mode == "max",
                           coordinates == "half_pixel",
                           node.Int("output_height"),
                           node.Int("output_width"),
                           node.Int("sampling_ratio"),
                           node.Float("spatial_scale")};
  if (mode != "avg" && mode != "max") {
    return absl::InvalidArgumentError(absl::StrCat("mode must be avg or max, not \"", mode, "\""));
  }
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel") {
    return absl::InvalidArgumentError(
        absl::StrCat("coordinate_transformation_mode must be half_pixel or output_half_pixel, not ",
                     "\"", coordinates, "\""));
  }
  constexpr int64_t kMaxBins = int64_t{1} << 30;  // along an axis
  if (options.output_height < 1 || options.output_width < 1 || options.output_height > kMaxBins ||
      options.output_width > kMaxBins || options.sampling_ratio < 0) {
    return absl::InvalidArgumentError(absl::StrCat("output_height ", options.output_height,
                                                   ", output_width ", options.output_width,
                                                   ", sampling_ratio ", options.sampling_ratio));
  }
  return FloatKernel(0, [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterRoiAlign(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "RoiAlign", {10, 16, 22}, RoiAlign);
}

}  // namespace onnxcmp
