// The arithmetic that the layer normalizations share, on one lane.
#ifndef ONNXCMP_OPS_COMMON_NORMALIZATION_LAYER_NORM_H_
#define ONNXCMP_OPS_COMMON_NORMALIZATION_LAYER_NORM_H_

#include <cmath>
#include <cstdint>

#include <Eigen/Core>

#include "evaluator/tensor/dtype.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {

// True for the types that stash_type may be: float, float16, double, bfloat16.
inline bool IsStashType(int64_t type) {
  return type == static_cast<int64_t>(DType::kFloat) ||
         type == static_cast<int64_t>(DType::kFloat16) ||
         type == static_cast<int64_t>(DType::kDouble) ||
         type == static_cast<int64_t>(DType::kBfloat16);
}

template <typename C>
struct LaneStatistics {
  C mean;
  C inv_std_dev;
};

// Mean and 1 / sqrt(variance + epsilon), the variance in a second pass over the deviations (the
// mean of squares less the square of the mean loses all digits for a large mean). count > 0.
template <typename C>
LaneStatistics<C> StandardizationOf(const C* x, int64_t count, C epsilon) {
  const C mean = LaneSum(x, count) / static_cast<C>(count);
  const C variance = LaneSquaredDeviations(x, count, mean) / static_cast<C>(count);
  return {mean, C{1} / std::sqrt(variance + epsilon)};
}

// The same without centering: mean 0 and 1 / sqrt(mean(x^2) + epsilon), which the RMS
// normalizations multiply by.
template <typename C>
LaneStatistics<C> RootMeanSquareOf(const C* x, int64_t count, C epsilon) {
  const C mean_square = LaneSquaredDeviations(x, count, C{0}) / static_cast<C>(count);
  return {C{0}, C{1} / std::sqrt(mean_square + epsilon)};
}

// y = (x - mean) * inv_std_dev * scale + bias; bias may be null, and so may both. y may be x.
template <typename C>
void Standardize(const C* x, int64_t count, const LaneStatistics<C>& statistics, const C* scale,
                 const C* bias, C* y) {
  using Lane = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstLane = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  auto standard = (ConstLane(x, count) - statistics.mean) * statistics.inv_std_dev;
  if (scale == nullptr) {
    Lane(y, count) = standard;
  } else if (bias == nullptr) {
    Lane(y, count) = standard * ConstLane(scale, count);
  } else {
    Lane(y, count) = standard * ConstLane(scale, count) + ConstLane(bias, count);
  }
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_NORMALIZATION_LAYER_NORM_H_
