// Signal and noise of results that stand for each other.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_SIGNAL_H_
#define ONNXCMP_COMPARE_QUANTIZATION_SIGNAL_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "compare/quantization/grids.h"
#include "compare/quantization/reals.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Of two results element by element. What is not finite or beyond 1e30 on a side, a mask, does not
// count.
struct Likeness {
  double noise = 0;        // root mean squares: of the difference against that of the first
  double cosine = 1;       // 1 if both are 0
  double correlation = 1;  // the cosine about the means; 1 if a side is constant
};
Likeness LikenessOf(absl::Span<const double> signal, absl::Span<const double> noisy);
// The same, with the pool, which may be null.
Likeness LikenessOf(const Reals& signal, const Reals& noisy, const ThreadPool* pool);

// Decibels of a ratio of root mean squares; infinite for 0.
double Decibels(double noise);

// b ≈ slope * a + offset, least squares. The slope is 1 where a is constant.
struct Line {
  double slope = 1;
  double offset = 0;
};
Line LineThrough(absl::Span<const double> a, absl::Span<const double> b);
Line LineThrough(const Reals& a, const Reals& b, const ThreadPool* pool);

// What a channel of two results has in common.
struct ChannelLine {
  Line line;
  double count = 0;      // of pairs that count, as in Likeness
  double rest = 0;       // sum of squares of what the line leaves
  double squares = 0;    // of slope * a
  double apart = 0;      // of b - a
  double from_zero = 0;  // the slope of the line through 0; 0 where a is
  double least_a = std::numeric_limits<double>::infinity(), most_a = -least_a;
  double least_b = std::numeric_limits<double>::infinity(), most_b = -least_b;
};
// Element i belongs to channel i / inner % channels. The pool may be null.
std::vector<ChannelLine> LinesThrough(const Reals& a, const Reals& b, int64_t channels,
                                      int64_t inner, const ThreadPool* pool);
// To the one that has its scale in a tensor of that shape.
std::vector<ChannelLine> LinesThrough(const Reals& a, const Reals& b, const GridValues& grid,
                                      const Shape& shape, const ThreadPool* pool);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_SIGNAL_H_
