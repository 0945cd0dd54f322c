// Resampling a tensor along its axes: Resize, Upsample.
#ifndef ONNXCMP_OPS_COMMON_MOVEMENT_RESIZE_H_
#define ONNXCMP_OPS_COMMON_MOVEMENT_RESIZE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

enum class Interpolation : uint8_t { kNearest, kLinear, kCubic };

// From a position in the result to one in the input.
enum class Coordinates : uint8_t {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kTfHalfPixelForNn,
  kTfCropAndResize,
};

enum class Nearest : uint8_t {
  kRoundPreferFloor,
  kRoundPreferCeil,
  kFloor,
  kCeil,
  kLegacy,  // of Resize 10 and Upsample: floor, or ceil along axes that become shorter
};

struct ResizeOptions {
  Interpolation interpolation = Interpolation::kNearest;
  Coordinates coordinates = Coordinates::kAsymmetric;
  Nearest nearest = Nearest::kLegacy;
  float cubic_a = -0.75f;
  bool exclude_outside = false;
  bool antialias = false;
  float extrapolation_value = 0;  // kTfCropAndResize
};

struct ResizeAxis {
  int axis;
  int64_t output;
  float scale;
  float length;         // of the output before it was rounded to whole elements
  float roi_start = 0;  // kTfCropAndResize
  float roi_end = 1;
};

// x with other sizes along `axes`, one axis at a time: those that become shorter first, from the
// outside, then those that become longer, from the inside. Positions are computed in float, as in
// onnxruntime: there 3 / 0.6 is 5. Values are computed in float, in double for double and integers,
// which are truncated, or rounded with antialias (both as in onnxruntime), and saturate; nearest
// moves elements of any type.
absl::StatusOr<Tensor> ResizeTensor(const KernelContext& ctx, const Tensor& x,
                                    const ResizeOptions& options,
                                    absl::Span<const ResizeAxis> axes);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_MOVEMENT_RESIZE_H_
