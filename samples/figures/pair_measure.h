// The difference of a pair of results on one sample, integers as the numbers that they stand for.
#ifndef ONNXCMP_SAMPLES_FIGURES_PAIR_MEASURE_H_
#define ONNXCMP_SAMPLES_FIGURES_PAIR_MEASURE_H_

#include <cstdint>
#include <optional>

#include "compare/quantization/dequantized_view.h"
#include "evaluator/base/thread_pool.h"
#include "record/differences/lanes/pair_moments.h"

namespace onnxcmp {

struct PairMeasure {
  PairMoments moments;  // of pairs of finite numbers
  double most = 0;      // the greatest difference of these
  int64_t not_finite =
      0;  // pairs of which one number alone is finite, or that are other infinities
};

// Entry `part` of `parts` along the first axis; one of one is the whole. Both have equally many
// numbers. The pool may be null; the result does not depend on it.
PairMeasure MeasurePair(const DequantizedView& left, const DequantizedView& right, int64_t part,
                        int64_t parts, const ThreadPool* pool);

// The share of a part's integers that are at the ends of their range; nothing if they are floats.
std::optional<double> SaturatedShare(const DequantizedView& reals, int64_t part, int64_t parts);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FIGURES_PAIR_MEASURE_H_
