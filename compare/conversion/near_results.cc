#include "compare/conversion/near_results.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "record/base/thresholds.h"
#include "record/differences/number_strips.h"

namespace onnxcmp {

bool AreNear(const Tensor& wanted, const DequantizedView& actual, double relative,
             double absolute) {
  const Shape& shape = wanted.shape();
  const int64_t size = wanted.num_elements();
  if (size != actual.size()) return false;
  std::vector<std::vector<PairSums>> slices(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    slices[axis].resize(static_cast<size_t>(shape[axis]));
  }
  PairSums all;
  bool finite = true;
  std::vector<int64_t> place(shape.size(), 0);
  ForEachStrip(
      NumberReader(wanted), DequantizedReader(actual), 0, size,
      [&](int64_t /*first*/, int64_t count, const double* a, const double* b) {
        for (int64_t i = 0; i < count; ++i) {
          const bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) ||
                            // fills of masks
                            (a[i] < -thresholds::kMaskFill && b[i] < -thresholds::kMaskFill);
          const double d = same ? 0 : a[i] - b[i];
          if (!std::isfinite(d)) finite = false;
          const double s = same && !(std::abs(a[i]) < thresholds::kMaskFill) ? 0 : a[i] * a[i];
          const PairSums pair = {1, d * d, s, 0};
          all.Add(pair);
          for (size_t axis = 0; axis < shape.size(); ++axis) {
            slices[axis][static_cast<size_t>(place[axis])].Add(pair);
          }
          for (size_t axis = shape.size(); axis-- > 0;) {
            if (++place[axis] < shape[axis]) break;
            place[axis] = 0;
          }
        }
        return finite;
      });
  if (!finite) return false;
  if (all.count == 0) return true;
  const auto rms = [](double squares, int64_t count) {
    return std::sqrt(squares / static_cast<double>(count));
  };
  const double whole = rms(all.left, all.count);
  if (rms(all.differences, all.count) > std::hypot(relative * whole, absolute)) return false;
  return absl::c_all_of(slices, [&](const std::vector<PairSums>& axis) {
    return absl::c_all_of(axis, [&](const PairSums& slice) {
      constexpr double kOfFew = 3;  // the greatest of many, of few elements each
      return slice.count == 0 ||
             rms(slice.differences, slice.count) <=
                 kOfFew * std::hypot(relative * (whole + rms(slice.left, slice.count)), absolute);
    });
  });
}

bool IsNearestStep(const Tensor& wanted, const DequantizedView& actual) {
  const std::optional<QuantParamValues>& params = actual.params();
  if (!params.has_value() || !params->per_tensor()) return false;
  const double step = params->scales[0];
  const double least = (params->least - params->zero_points[0]) * step;
  const double most = (params->most - params->zero_points[0]) * step;
  const double half = 0.505 * step;  // and the rounding of floats on the way
  bool nearest = wanted.num_elements() == actual.size();
  ForEachStrip(NumberReader(wanted), DequantizedReader(actual), 0, nearest ? actual.size() : 0,
               [&](int64_t /*first*/, int64_t count, const double* a, const double* b) {
                 for (int64_t i = 0; i < count; ++i) {
                   nearest = nearest && std::abs(std::clamp(a[i], least, most) - b[i]) <= half;
                 }
                 return nearest;
               });
  return nearest;
}

}  // namespace onnxcmp
