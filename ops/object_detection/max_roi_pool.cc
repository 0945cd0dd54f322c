#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {
namespace {

struct Options {
  int64_t rows;
  int64_t columns;
  float spatial_scale;
};

struct Range {
  int64_t begin, end;
};

// The elements of an axis that each bin covers; bins overlap where they share a part of an element.
template <typename C>
absl::StatusOr<std::vector<Range>> BinsOf(C first, C last, float scale, int64_t size,
                                          int64_t bins) {
  const C begin = std::round(first * static_cast<C>(scale));
  const C end = std::round(last * static_cast<C>(scale));
  constexpr C kLimit = 1e15;  // positions stay exact
  if (!(std::abs(begin) < kLimit && std::abs(end) < kLimit)) {
    return absl::InvalidArgumentError(absl::StrCat("a region from ", first, " to ", last));
  }
  const C bin = std::max(end - begin + 1, C{1}) / static_cast<C>(bins);
  std::vector<Range> ranges;
  for (int64_t b = 0; b < bins; ++b) {
    const auto at = [&](C position) {
      return std::clamp<int64_t>(static_cast<int64_t>(position + begin), 0, size);
    };
    ranges.push_back(
        {at(std::floor(static_cast<C>(b) * bin)), at(std::ceil(static_cast<C>(b + 1) * bin))});
  }
  return ranges;
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor rois, LoadTensor<C>(ctx, ctx.Input(1)));
  if (x.rank() != 4 || rois.rank() != 2 || rois.dim(1) != 5) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must have four dimensions and rois be n x 5, but they are ", x.TypeString(),
                     " and ", rois.TypeString()));
  }
  const int64_t channels = x.dim(1);
  const int64_t height = x.dim(2);
  const int64_t width = x.dim(3);
  OC_ASSIGN_OR_RETURN(
      Tensor y, ctx.Allocate(kDTypeOf<C>, {rois.dim(0), channels, options.rows, options.columns}));
  OC_RETURN_IF_ERROR(
      ctx.CheckSize(DType::kComplex128, {std::max(options.rows, options.columns)}));  // the bins
  C* to = y.mutable_data<C>();
  for (int64_t r = 0; r < rois.dim(0) && y.num_elements() > 0; ++r) {
    const C* roi = rois.data<C>() + 5 * r;
    if (!(roi[0] >= 0 && roi[0] < static_cast<C>(x.dim(0)))) {
      return absl::InvalidArgumentError(
          absl::StrCat("batch index ", roi[0], " is out of range for a batch of ", x.dim(0)));
    }
    const float scale = options.spatial_scale;
    OC_ASSIGN_OR_RETURN(const std::vector<Range> ys,
                        BinsOf(roi[2], roi[4], scale, height, options.rows));
    OC_ASSIGN_OR_RETURN(const std::vector<Range> xs,
                        BinsOf(roi[1], roi[3], scale, width, options.columns));
    const C* plane = x.data<C>() + static_cast<int64_t>(roi[0]) * channels * height * width;
    for (int64_t c = 0; c < channels; ++c, plane += height * width) {
      for (const Range& rows : ys) {
        for (const Range& columns : xs) {
          C greatest = 0;
          if (rows.begin < rows.end && columns.begin < columns.end) {
            greatest = MaxFold::Identity<C>();
            for (int64_t row = rows.begin; row < rows.end; ++row) {
              greatest = MaxFold::Combine(greatest, LaneMax(plane + row * width + columns.begin,
                                                            columns.end - columns.begin));
            }
          }
          *to++ = greatest;
        }
      }
    }
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// MaxRoiPool (ai.onnx 1, 22): each region [batch, x1, y1, x2, y2] of X, its corners times
// spatial_scale rounded to elements (halves away from zero), is cut into pooled_shape bins; Y holds
// the greatest element of each bin, 0 for those outside of X. As onnxruntime has it: the text
// leaves the rounding open.
absl::StatusOr<Kernel> MaxRoiPool(const KernelInit& node) {
  const std::vector<int64_t> shape = node.Ints("pooled_shape");
  constexpr int64_t kMaxBins = int64_t{1} << 30;  // along an axis
  if (shape.size() != 2 || *std::min_element(shape.begin(), shape.end()) < 1 ||
      *std::max_element(shape.begin(), shape.end()) > kMaxBins) {
    return absl::InvalidArgumentError("pooled_shape must hold two positive numbers");
  }
  const Options options = {shape[0], shape[1], node.Float("spatial_scale")};
  return FloatKernel(0, [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterMaxRoiPool(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "MaxRoiPool", {1, 22}, MaxRoiPool);
}

}  // namespace onnxcmp
