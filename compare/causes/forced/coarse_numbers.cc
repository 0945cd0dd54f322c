#include "compare/causes/forced/coarse_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "record/differences/number_strips.h"

namespace onnxcmp {

void DropNoiseOfClamped(const Tensor& left, const Tensor& right, absl::Span<double> noise) {
  constexpr double kMasks = 1e3;
  if (!IsFloatingPoint(right.dtype()) || BitWidth(right.dtype()) != 16) return;
  const double greatest =
      RoundTo(right.dtype(), std::numeric_limits<float>::max(), Overflow::kSaturate);
  const NumberReader ours(left);
  const NumberReader theirs(right);
  if (ours.size() != theirs.size()) return;
  ForEachStrip(ours, theirs, 0, ours.size(),
               [&](int64_t first, int64_t count, const double* a, const double* b) {
                 for (int64_t i = 0; i < count; ++i) {
                   const bool masks =
                       std::abs(b[i]) >= kMasks && std::signbit(a[i]) == std::signbit(b[i]);
                   if (std::abs(a[i]) > greatest && !masks)
                     noise[static_cast<size_t>(first + i)] = 0;
                 }
                 return true;
               });
}

bool AreLeastStepsApart(const Measured& a, const Measured& b) {
  constexpr double kTwoSteps = 2.0 / (1 << 24);
  bool within = a.size == b.size;
  ForEachStrip(NumberReader(a.tensor), NumberReader(b.tensor), 0, std::min(a.size, b.size),
               [&](int64_t, int64_t count, const double* x, const double* y) {
                 for (int64_t i = 0; i < count; ++i) {
                   within = within && std::abs(x[i] - y[i]) <= kTwoSteps;
                 }
                 return within;
               });
  return within;
}

}  // namespace onnxcmp
