#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"

namespace onnxcmp {
namespace {

// Where sample `i` of `count` lies on an axis of which the box covers begin to end, both
// normalized.
template <typename C>
C Position(C begin, C end, int64_t size, int64_t i, int64_t count) {
  const auto last = static_cast<C>(size - 1);
  if (count == 1) return (begin + end) / 2 * last;
  if (i == 0) return begin * last;
  if (i == count - 1) return end * last;  // not beyond the image by rounding
  return begin * last + static_cast<C>(i) * ((end - begin) * last / static_cast<C>(count - 1));
}

// Two neighbours and how far the sample is from the first one.
template <typename C>
struct Taps {
  bool inside;
  int64_t first;
  int64_t second;
  C fraction;
};

template <typename C>
Taps<C> TapsAt(C position, int64_t size, bool is_nearest) {
  // False for NaN too, and for an empty image.
  if (!(position >= 0 && position <= static_cast<C>(size - 1))) return {false, 0, 0, 0};
  if (is_nearest) {
    const auto nearest = static_cast<int64_t>(std::round(position));
    return {true, nearest, nearest, 0};
  }
  const C floor = std::floor(position);
  return {true, static_cast<int64_t>(floor), static_cast<int64_t>(std::ceil(position)),
          position - floor};
}

struct Attributes {
  bool is_nearest;
  float extrapolation_value;
};

template <typename C>
absl::Status Run(KernelContext& ctx, const Attributes& attributes) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor boxes, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> images, ctx.IntsInput(2));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> size, ctx.IntsInput(3));
  const auto count = static_cast<int64_t>(images.size());
  if (x.rank() != 4 || boxes.rank() != 2 || boxes.dim(1) != 4 || boxes.dim(0) != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must be N x C x H x W and rois 4 numbers for each of ", count,
                     " batch_indices, not ", x.TypeString(), " and ", boxes.TypeString()));
  }
  if (size.size() != 2 || size[0] < 1 || size[1] < 1) {
    return absl::InvalidArgumentError("crop_size must hold 2 numbers of at least 1");
  }
  for (const int64_t image : images) {
    if (image < 0 || image >= x.dim(0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("batch index ", image, " is out of range for ", x.dim(0), " images"));
    }
  }
  const int64_t channels = x.dim(1);
  const int64_t height = x.dim(2);
  const int64_t width = x.dim(3);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, {count, channels, size[0], size[1]}));
  C* out = y.mutable_data<C>();
  const int64_t tasks = y.num_elements() == 0 ? 0 : count * size[0];
  ctx.pool().ParallelFor(tasks, [&](int64_t task) {
    const int64_t n = task / size[0];
    const int64_t row = task % size[0];
    const C* box = boxes.data<C>() + n * 4;  // top, left, bottom, right
    const C* image = x.data<C>() + images[static_cast<size_t>(n)] * channels * height * width;
    const Taps<C> v =
        TapsAt(Position(box[0], box[2], height, row, size[0]), height, attributes.is_nearest);
    for (int64_t column = 0; column < size[1]; ++column) {
      const Taps<C> h =
          TapsAt(Position(box[1], box[3], width, column, size[1]), width, attributes.is_nearest);
      for (int64_t c = 0; c < channels; ++c) {
        C& to = out[((n * channels + c) * size[0] + row) * size[1] + column];
        if (!v.inside || !h.inside) {
          to = static_cast<C>(attributes.extrapolation_value);
          continue;
        }
        const C* top_row = image + (c * height + v.first) * width;
        const C* bottom_row = image + (c * height + v.second) * width;
        if (attributes.is_nearest) {
          to = top_row[h.first];
          continue;
        }
        const C top = top_row[h.first] + (top_row[h.second] - top_row[h.first]) * h.fraction;
        const C bottom =
            bottom_row[h.first] + (bottom_row[h.second] - bottom_row[h.first]) * h.fraction;
        to = top + (bottom - top) * v.fraction;
      }
    }
  });
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// CropAndResize (com.microsoft 1): of image batch_indices[i] the box rois[i] (top, left, bottom,
// right, as fractions of the distance between the first and the last pixel), sampled crop_size
// times: ends included, the middle if the size is 1; bilinear, or the nearest pixel, halves away
// from 0. Outside of the image, and at a coordinate that is NaN, it is extrapolation_value.
absl::StatusOr<Kernel> CropAndResize(const KernelInit& node) {
  const std::string mode = node.String("mode");
  if (mode != "bilinear" && mode != "nearest") {
    return absl::InvalidArgumentError(
        absl::StrCat("mode must be \"bilinear\" or \"nearest\", not \"", mode, "\""));
  }
  const Attributes attributes = {mode == "nearest", node.Float("extrapolation_value")};
  return FloatKernel(
      0, [attributes]<typename C>(KernelContext& ctx) { return Run<C>(ctx, attributes); });
}

}  // namespace

void RegisterContribCropAndResize(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "CropAndResize", {1}, CropAndResize);
}

}  // namespace onnxcmp
