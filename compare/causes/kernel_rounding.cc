#include "compare/causes/kernel_rounding.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "evaluator/tensor/dtype.h"
#include "record/base/thresholds.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {

bool IsScaled(const Value& held, const Value& own) {
  constexpr double kOfFunctions = 1e-4;
  if (!IsMeasurable(held) || !IsMeasurable(own) || held.tensor().shape() != own.tensor().shape() ||
      held.tensor().num_elements() < 16) {
    return false;
  }
  const double epsilon = CoarserEpsilon(held.tensor().dtype(), own.tensor().dtype());
  if (epsilon == 0) return false;
  const NumberReader ours(held.tensor());
  const NumberReader theirs(own.tensor());
  if (ours.size() != theirs.size()) return false;
  double aa = 0;
  double ab = 0;
  double bb = 0;
  ForEachStrip(ours, theirs, 0, ours.size(),
               [&](int64_t, int64_t count, const double* a, const double* b) {
                 for (int64_t i = 0; i < count; ++i) {
                   aa += a[i] * a[i];
                   ab += a[i] * b[i];
                   bb += b[i] * b[i];
                 }
                 return true;
               });
  if (!(aa > 0) || !std::isfinite(aa) || !std::isfinite(bb)) return false;
  const double factor = ab / aa;
  // Squares of what is apart, and of what the factor leaves of it.
  const double apart = std::max(0.0, bb - 2 * ab + aa);
  const double left = std::max(0.0, bb - ab * factor);
  return std::abs(factor - 1) >
             std::max(thresholds::kMostRoundingEpsilons * epsilon, kOfFunctions) &&
         left < thresholds::kMostLeftByFit * thresholds::kMostLeftByFit * apart;
}

bool AreNextIntegers(const Value& held, const Value& own) {
  if (!IsMeasurable(held) || !IsMeasurable(own) || held.tensor().shape() != own.tensor().shape() ||
      held.tensor().dtype() != own.tensor().dtype() || !IsInteger(held.tensor().dtype()) ||
      BitWidth(held.tensor().dtype()) > 8) {
    return false;
  }
  const NumberReader ours(held.tensor());
  const NumberReader theirs(own.tensor());
  int64_t next = 0;
  bool farther = false;
  ForEachStrip(ours, theirs, 0, ours.size(),
               [&](int64_t, int64_t count, const double* a, const double* b) {
                 for (int64_t i = 0; i < count; ++i) {
                   if (a[i] == b[i]) continue;
                   ++next;
                   farther = farther || std::abs(a[i] - b[i]) > 1;
                 }
                 return !farther;
               });
  // One of a few elements is no fault, either.
  return !farther &&
         static_cast<double>(next) <= std::max(1.0, 0.02 * static_cast<double>(ours.size()));
}

}  // namespace onnxcmp
