// The difference of a pair of results in numbers, for tables, reports and the search for causes.
#ifndef ONNXCMP_RECORD_DIFFERENCES_TENSOR_DIFFERENCE_H_
#define ONNXCMP_RECORD_DIFFERENCES_TENSOR_DIFFERENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tolerance.h"
#include "record/differences/value_difference.h"

namespace onnxcmp {

// One pair of elements.
struct ElementPair {
  std::string index;  // "[0,12,3]", as ValueDifference has it
  std::string left;   // as printed: the shortest digits that identify the value in its type
  std::string right;
  double absolute = 0;
  double relative = 0;
};

// Where the shapes of two tensors differ (a row marked as reshaped), elements are compared in
// row-major order if there are equally many. Element types may differ: both are converted to
// double, 64-bit integers stay exact.
struct TensorDifference {
  // Agreement within the tolerance, counts, greatest errors and their places: as ValueDifference.
  ValueDifference values;
  bool same_bits = false;  // the element types too, but not the shapes
  // The next four: over pairs of finite elements; the rest is counted below. Strings, which are 1
  // apart if they differ, count in the two means only.
  double mean_absolute = 0;
  double mean_relative = 0;
  // Signal to noise in dB: 10 log10(sum left^2 / sum (left - right)^2); infinite if equal.
  double sqnr = 0;
  // Greatest distance in units of the last place of the coarser of the two types, that is the
  // number of its steps between the two; a fraction if the other type is finer. 0 for integers.
  double max_ulp = 0;
  // Range of the left's finite elements (max - min; complex: of their magnitudes), to relate
  // absolute errors to.
  double range = 0;
  int64_t nan_left = 0, nan_right = 0, infinite_left = 0, infinite_right = 0;
  int64_t non_finite_disagree = 0;  // NaN or infinite on one side only, or different infinities
  // Elements whose |a - b| / max(|a|, |b|) is beyond 0.1, 0.01, 0.001.
  int64_t beyond_tenth = 0, beyond_hundredth = 0, beyond_thousandth = 0;
  std::vector<ElementPair> worst;  // up to five, by absolute difference, the worst first
};

struct DifferenceOptions {
  Tolerances tolerance;
  int worst = 5;
  // Require parts of tensors to agree as the whole does (whole_errors.h). The whole is always
  // required to.
  bool parts = false;
};

// Compares numbers in double (int64 and uint64 exactly), bools and strings as equal or not;
// sequences, maps and optionals element by element, added up. The pool may be null; the result does
// not depend on it.
TensorDifference TensorDifferenceOf(const Value& left, const Value& right,
                                    const DifferenceOptions& options,
                                    const ThreadPool* pool = nullptr);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_TENSOR_DIFFERENCE_H_
