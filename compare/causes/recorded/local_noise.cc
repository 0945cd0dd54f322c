#include "compare/causes/recorded/local_noise.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "absl/algorithm/container.h"
#include "compare/differences/tensor_distance.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

double RootMeanSquare(const Value& a, const Value& b) {
  if (!IsMeasurable(a) || !IsMeasurable(b)) return 0;
  const std::vector<double> ours = ElementsOf(a.tensor());
  const std::vector<double> theirs = ElementsOf(b.tensor());
  if (ours.size() != theirs.size() || ours.empty()) return 0;
  double squares = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double difference = ours[i] - theirs[i];
    if (!std::isfinite(difference)) continue;
    squares += difference * difference;
  }
  return std::sqrt(squares / static_cast<double>(ours.size()));
}

bool IsScaledOrShifted(const Value& a, const Value& b, double epsilon) {
  constexpr double kEpsilons = 8;
  constexpr double kLeftOver = 0.25;
  constexpr size_t kFewest = 9;
  if (!IsMeasurable(a) || !IsMeasurable(b)) return false;
  const std::vector<double> ours = ElementsOf(a.tensor());
  const std::vector<double> theirs = ElementsOf(b.tensor());
  if (ours.size() != theirs.size() || ours.size() < kFewest) return false;
  const auto count = static_cast<double>(ours.size());
  const double mean_x = absl::c_accumulate(theirs, 0.0) / count;
  const double mean_y = absl::c_accumulate(ours, 0.0) / count;
  double xx = 0;
  double xy = 0;
  double apart = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    xx += (theirs[i] - mean_x) * (theirs[i] - mean_x);
    xy += (theirs[i] - mean_x) * (ours[i] - mean_y);
    apart += (ours[i] - theirs[i]) * (ours[i] - theirs[i]);
  }
  if (!std::isfinite(apart) || !(xx > 0)) return false;
  const double factor = xy / xx;
  const double offset = mean_y - factor * mean_x;
  double rest = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double error = ours[i] - factor * theirs[i] - offset;
    rest += error * error;
  }
  const bool is_moved = std::abs(factor - 1) > kEpsilons * epsilon ||
                        std::abs(offset) > kEpsilons * epsilon * std::sqrt(xx / count);
  return is_moved && rest <= kLeftOver * apart;
}

}  // namespace onnxcmp
