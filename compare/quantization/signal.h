// Signal and noise of results that stand for each other.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_SIGNAL_H_
#define ONNXCMP_COMPARE_QUANTIZATION_SIGNAL_H_

#include "absl/types/span.h"

namespace onnxcmp {

// Of two results element by element. What is not finite or beyond 1e30 on a side, a mask, does not
// count.
struct Likeness {
  double noise = 0;        // root mean squares: of the difference against that of the first
  double cosine = 1;       // 1 if both are 0
  double correlation = 1;  // the cosine about the means; 1 if a side is constant
};
Likeness LikenessOf(absl::Span<const double> signal, absl::Span<const double> noisy);

// Decibels of a ratio of root mean squares; infinite for 0.
double Decibels(double noise);

// b ≈ slope * a + offset, least squares. The slope is 1 where a is constant.
struct Line {
  double slope = 1;
  double offset = 0;
};
Line LineThrough(absl::Span<const double> a, absl::Span<const double> b);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_SIGNAL_H_
