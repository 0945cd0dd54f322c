// Signal and noise of corresponding results.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_QUANTIZATION_ERROR_H_
#define ONNXCMP_COMPARE_QUANTIZATION_QUANTIZATION_ERROR_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "compare/quantization/dequantized_view.h"
#include "compare/quantization/quant_params.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Compares two results element by element. Elements that are not finite on a side, or masks beyond
// 1e30, are not counted.
struct NoiseStats {
  double noise = 0;        // ratio of root mean squares: of the difference to the first
  double cosine = 1;       // 1 if both are 0
  double correlation = 1;  // the cosine about the means; 1 if a side is constant
};
NoiseStats NoiseStatsOf(absl::Span<const double> signal, absl::Span<const double> noisy);
// The same; the pool may be null.
NoiseStats NoiseStatsOf(const DequantizedView& signal, const DequantizedView& noisy,
                        const ThreadPool* pool);

// Decibels of a ratio of root mean squares; infinite for 0.
double Decibels(double noise);

// b ≈ slope * a + offset, least squares. The slope is 1 where a is constant.
struct LeastSquaresLine {
  double slope = 1;
  double offset = 0;
};
LeastSquaresLine LineThrough(absl::Span<const double> a, absl::Span<const double> b);
LeastSquaresLine LineThrough(const DequantizedView& a, const DequantizedView& b,
                             const ThreadPool* pool);

// Linear relation of one channel of two results.
struct ChannelLine {
  LeastSquaresLine line;
  double count = 0;      // number of pairs that count, as in NoiseStats
  double rest = 0;       // sum of squares of the residuals
  double squares = 0;    // sum of squares of slope * a
  double apart = 0;      // sum of squares of b - a
  double from_zero = 0;  // slope of the line through 0; 0 if a is 0
  double least_a = std::numeric_limits<double>::infinity(), most_a = -least_a;
  double least_b = std::numeric_limits<double>::infinity(), most_b = -least_b;
};
// Element i belongs to channel i / inner % channels. The pool may be null.
std::vector<ChannelLine> LinesThrough(const DequantizedView& a, const DequantizedView& b,
                                      int64_t channels, int64_t inner, const ThreadPool* pool);
// The same by scale: each scale of a tensor of that shape is a channel.
std::vector<ChannelLine> LinesThrough(const DequantizedView& a, const DequantizedView& b,
                                      const QuantParamValues& params, const Shape& shape,
                                      const ThreadPool* pool);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_QUANTIZATION_ERROR_H_
