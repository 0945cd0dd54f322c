// Tells if two tensors agree as a whole and in their parts, where each element may be within its
// own tolerance: finds many small errors in one direction, or a row lost among larger ones.
#ifndef ONNXCMP_RECORD_DIFFERENCES_WHOLE_ERRORS_H_
#define ONNXCMP_RECORD_DIFFERENCES_WHOLE_ERRORS_H_

#include <optional>
#include <string>

#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/lanes/pair_moments.h"
#include "record/differences/tolerance.h"
#include "record/differences/value_scale.h"

namespace onnxcmp {

struct WholeErrors {
  // Root mean square of the differences beyond atol, relative to that of the values (of the smaller
  // side). For integers, which stand for quantized numbers, relative to their deviation from the
  // mean.
  double apart = 0;
  // Why they disagree, as a clause: "on the whole they are 0.031 of their size apart, more than
  // 0.004", "in index 3 of axis 1 they are 0.5 of their size apart"; "" if they agree.
  std::string fault;
};

// The counting rules for totals that WholeErrorsOf can reuse; nothing if it has to read the
// elements itself. `atol`: the tolerance's.
std::optional<Counting> CountingOf(const Tensor& left, const Tensor& right,
                                   const Tolerance& tolerance, const ValueScale& scale);

// Compares two numeric tensors of equally many elements, in row-major order. `scale` is that of the
// tolerance. The fewer elements there are, the farther they may be apart than `whole`: a single one
// five times. Elements that are not finite, or a thousand times the scale, are left to their own
// tolerance. Parts, checked if `parts`, are the slices along each axis and the rows along the last
// one, from 16 elements on; they may be six times as far apart as the whole, and a hundredth of the
// scale counts as noise. A factor or an offset common to all elements may be half of the whole's
// limit, and must not be nearly all of the difference. The pool may be null; the result does not
// depend on it. `totals`, which may be null, are sums by CountingOf from an earlier pass.
WholeErrors WholeErrorsOf(const Tensor& left, const Tensor& right, const Tolerance& tolerance,
                          const ValueScale& scale, bool parts, const ThreadPool* pool,
                          const PairMoments* totals = nullptr);

// The first slice, or the whole, that varies on one side and hardly on the other, as a clause: "in
// index 4 of axis 1 all of the right are 0"; "" if there is none. Of floats of one shape.
std::string LostPartOf(const Tensor& left, const Tensor& right, const ThreadPool* pool);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_WHOLE_ERRORS_H_
