// Whether two tensors agree as a whole and in their parts, where each element may be within its own
// tolerance: many small errors in one direction, a row that is lost among larger ones.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_WHOLE_ERRORS_H_
#define ONNXCMP_COMPARE_DIFFERENCES_WHOLE_ERRORS_H_

#include <optional>
#include <string>

#include "compare/differences/lanes/whole_totals.h"
#include "compare/differences/tolerance.h"
#include "compare/differences/value_scale.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct WholeErrors {
  // Root mean square of the differences, as far as they are beyond atol, against that of the values
  // (of the smaller side). Of integers, which stand for quantized numbers, against their deviation
  // from the mean.
  double apart = 0;
  // What makes them disagree, as a clause: "on the whole they are 0.031 of their size apart, more
  // than 0.004", "in index 3 of axis 1 they are 0.5 of their size apart"; "" if they agree.
  std::string fault;
};

// What the totals of two tensors are to count that WholeErrorsOf takes; none if it has to look at
// them by itself. `atol`: the tolerance's.
std::optional<Counting> CountingOf(const Tensor& left, const Tensor& right,
                                   const Tolerance& tolerance, const ValueScale& scale);

// Of two numeric tensors of as many elements, in row-major order. `scale` is that of the tolerance.
// The fewer elements there are, the farther they may be apart than `whole`: one element five times.
// Elements that are not finite, or a thousand times the scale, are left to their own tolerance.
// Parts, which are looked at if that is wanted, are the slices along each axis and the rows along
// the last one, from 16 elements on; they may be six times as far apart as the whole, and what is a
// hundredth of the scale counts as noise. A factor or an offset that all elements have in common
// may be half of what the whole may be, and must not be nearly all that there is. The pool may be
// null; the result does not depend on it. So may `totals`: what whoever has looked at the elements
// has added up on the way, by CountingOf.
WholeErrors WholeErrorsOf(const Tensor& left, const Tensor& right, const Tolerance& tolerance,
                          const ValueScale& scale, bool parts, const ThreadPool* pool,
                          const WholeTotals* totals = nullptr);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_WHOLE_ERRORS_H_
