// The errors between the elements of two tensors: sums and extremes, taken in one pass.
#ifndef ONNXCMP_RECORD_DIFFERENCES_ELEMENT_ERRORS_H_
#define ONNXCMP_RECORD_DIFFERENCES_ELEMENT_ERRORS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/lanes/pair_moments.h"
#include "record/differences/tolerance.h"
#include "record/differences/value_difference.h"

namespace onnxcmp {

// A pair of unequal elements. The relative error is |a - b| / max(|a|, |b|); both errors are
// infinite if one of a and b is NaN, or if they differ and one is infinite.
struct ElementError {
  int64_t index = 0;  // row-major
  double absolute = 0;
  double relative = 0;
};

struct ErrorRules {
  Tolerance tolerance;
  size_t worst = 5;  // at least 1
  // Factor of numbers before they are summed, a power of two: the squares of doubles may not fit
  // into doubles.
  double scale = 1;
  // Counting for `totals`, if these are wanted (whole_errors.h). Only for real numbers that are no
  // integers on the left.
  std::optional<Counting> counting;
};

// Errors of two tensors or of pieces of them; those of the pieces, added in order, are the whole's.
struct ElementErrors {
  bool same_bits = true;
  int64_t beyond = 0;  // pairs that do not agree
  int64_t both_nan = 0;
  int64_t nan_left = 0, nan_right = 0, infinite_left = 0, infinite_right = 0;
  int64_t non_finite_disagree = 0;
  int64_t beyond_tenth = 0, beyond_hundredth = 0, beyond_thousandth = 0;
  // Over the `compared` pairs a, b of finite numbers with difference d; scaled.
  int64_t compared = 0;
  double absolutes = 0;      // |d|
  double relatives = 0;      // not scaled
  double squares = 0;        // d^2
  double left_squares = 0;   // a^2
  double right_squares = 0;  // b^2
  double products = 0;       // a b
  double max_ulp = 0;
  // Range of the left's finite elements; for complex numbers, of their magnitudes.
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double greatest = 0;              // magnitude of a finite element
  PairMoments totals;               // if rules.counting and nothing is beyond
  std::vector<ElementError> worst;  // by absolute error; the first of equal ones
  ElementError worst_relative;      // 0: none

  void Add(const ElementErrors& later, const ErrorRules& rules);
  // Counts an unequal pair.
  void Note(const ElementError& error, const ErrorRules& rules);
};

// Pairs the elements in row-major order. Both tensors hold numbers, of any types, and equally many.
// Integers of 64 bits are compared exactly if both types are integers, all else in double. The pool
// may be null; the result does not depend on it.
ElementErrors ErrorsOf(const Tensor& left, const Tensor& right, const ErrorRules& rules,
                       const ThreadPool* pool);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_ELEMENT_ERRORS_H_
