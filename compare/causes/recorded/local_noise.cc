#include "compare/causes/recorded/local_noise.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "compare/differences/tensor_distance.h"
#include "compare/outputs/fitted_line.h"
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
  const FittedLine line = FitLine(theirs, ours);
  double apart = 0;
  for (size_t i = 0; i < ours.size(); ++i) apart += (ours[i] - theirs[i]) * (ours[i] - theirs[i]);
  if (!std::isfinite(apart) || !(line.variation > 0)) return false;
  const double deviation = std::sqrt(line.variation / static_cast<double>(line.count));
  const bool is_moved = std::abs(line.factor - 1) > kEpsilons * epsilon ||
                        std::abs(line.offset) > kEpsilons * epsilon * deviation;
  return is_moved && line.residual <= kLeftOver * apart;
}

}  // namespace onnxcmp
