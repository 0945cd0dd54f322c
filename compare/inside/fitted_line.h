// A line through two lists of numbers, by least squares.
#ifndef ONNXCMP_COMPARE_INSIDE_FITTED_LINE_H_
#define ONNXCMP_COMPARE_INSIDE_FITTED_LINE_H_

#include <cstddef>

#include "absl/types/span.h"

namespace onnxcmp {

struct FittedLine {
  double factor = 0;
  double offset = 0;
  double residual = 0;   // sum of squares
  double variation = 0;  // sum of squares to explain
  size_t count = 0;
};

// after = factor * before + offset, over the elements that `counts`. Both are of one length.
template <typename Counts>
FittedLine FitLine(absl::Span<const double> before, absl::Span<const double> after, Counts counts) {
  FittedLine line;
  double x = 0, y = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!counts(i)) continue;
    x += before[i];
    y += after[i];
    ++line.count;
  }
  if (line.count == 0) return line;
  x /= static_cast<double>(line.count);
  y /= static_cast<double>(line.count);
  double xx = 0, xy = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!counts(i)) continue;
    xx += (before[i] - x) * (before[i] - x);
    xy += (before[i] - x) * (after[i] - y);
    line.variation += (after[i] - y) * (after[i] - y);
  }
  line.factor = xx > 0 ? xy / xx : 0;
  line.offset = y - line.factor * x;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!counts(i)) continue;
    const double rest = after[i] - line.factor * before[i] - line.offset;
    line.residual += rest * rest;
  }
  return line;
}

inline FittedLine FitLine(absl::Span<const double> before, absl::Span<const double> after) {
  return FitLine(before, after, [](size_t) { return true; });
}

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INSIDE_FITTED_LINE_H_
