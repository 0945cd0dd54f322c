#include "compare/causes/recorded/local_noise.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "compare/alignment/recorded_reach.h"
#include "compare/inside/fitted_line.h"
#include "evaluator/tensor/tensor.h"
#include "record/base/thresholds.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {

double RootMeanSquare(const Value& a, const Value& b) {
  if (!IsMeasurable(a) || !IsMeasurable(b)) return 0;
  const NumberReader ours(a.tensor());
  const NumberReader theirs(b.tensor());
  if (ours.size() != theirs.size() || ours.size() == 0) return 0;
  const Counting finite = {.limit = std::numeric_limits<double>::max()};
  const double squares = MomentsOf(ours, theirs, nullptr, finite).sums.differences;
  return std::sqrt(squares / static_cast<double>(ours.size()));
}

bool IsScaledOrShifted(const Value& a, const Value& b, double epsilon) {
  constexpr double kLeftOver = 0.25;
  if (!IsMeasurable(a) || !IsMeasurable(b)) return false;
  const std::vector<double> ours = ElementsOf(a.tensor());
  const std::vector<double> theirs = ElementsOf(b.tensor());
  if (ours.size() != theirs.size() || ours.size() <= kHandful) return false;
  const FittedLine line = FitLine(theirs, ours);
  const double apart =
      MomentsOf(NumberReader(a.tensor()), NumberReader(b.tensor())).sums.differences;
  if (!std::isfinite(apart) || !(line.variation > 0)) return false;
  const double deviation = std::sqrt(line.variation / static_cast<double>(line.count));
  const bool is_moved =
      std::abs(line.factor - 1) > thresholds::kMostRoundingEpsilons * epsilon ||
      std::abs(line.offset) > thresholds::kMostRoundingEpsilons * epsilon * deviation;
  return is_moved && line.residual <= kLeftOver * apart;
}

}  // namespace onnxcmp
