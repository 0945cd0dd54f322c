// Signal and noise of results that stand for each other.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_SIGNAL_H_
#define ONNXCMP_COMPARE_QUANTIZATION_SIGNAL_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "compare/quantization/reals.h"
#include "evaluator/base/thread_pool.h"

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

// The line of each channel, element i belonging to channel i / inner % channels.
struct ChannelLine {
  Line line;
  double count = 0;    // of pairs that count, as in Likeness
  double rest = 0;     // sum of squares of what the line leaves
  double squares = 0;  // of slope * a
};
std::vector<ChannelLine> LinesThrough(const Reals& a, const Reals& b, int64_t channels,
                                      int64_t inner);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_SIGNAL_H_
