// The scale of numbers as ScaleOf() has it (nearness.h), gathered piece by piece.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_SCALE_SUM_H_
#define ONNXCMP_COMPARE_DIFFERENCES_SCALE_SUM_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "compare/differences/number_strips.h"
#include "evaluator/base/thread_pool.h"

namespace onnxcmp {

// From here on an element counts for no scale. Its negative stands for minus infinity in masks.
inline constexpr double kHuge = 1e30;

// The elements that count for a scale, gathered piece by piece.
class ScaleSum {
 public:
  // Of `size` elements in all, so many of those that count lie between two of the sample.
  explicit ScaleSum(int64_t size) : step_(size / kSample + 1) {}

  void Add(const double* elements, int64_t count) {
    for (int64_t first = 0; first < count; first += kNumberStrip) {
      AddStrip(elements + first, std::min(kNumberStrip, count - first));
    }
  }
  void Add(const ScaleSum& next) {
    squares_ += next.squares_;
    count_ += next.count_;
    sample_.insert(sample_.end(), next.sample_.begin(), next.sample_.end());
  }
  double Scale();

 private:
  static constexpr int64_t kSample = 1024;

  void AddStrip(const double* elements, int64_t count);

  int64_t step_;
  int64_t until_next_ = 1;
  double squares_ = 0;
  int64_t count_ = 0;
  std::vector<double> sample_;
};

// `add` adds the elements of a piece. The pool may be null.
double ScaleOfPieces(int64_t size, const ThreadPool* pool,
                     absl::FunctionRef<void(int64_t begin, int64_t end, ScaleSum* sum)> add);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_SCALE_SUM_H_
