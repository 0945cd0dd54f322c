// Operators that turn each lane of a tensor into another lane of the same length (Softmax, the
// normalizations): the elements along one axis, or along the last axes.
#ifndef ONNXCMP_OPS_COMMON_REDUCTION_LANES_H_
#define ONNXCMP_OPS_COMMON_REDUCTION_LANES_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/reduction/lane_fold.h"

namespace onnxcmp {

// A contiguous tensor as (outer, length, inner): lane (o, i) has its elements at
// (o * length + k) * inner + i. Lanes are numbered o * inner + i.
struct LaneShape {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
  int64_t lanes() const { return outer * inner; }
};

// The lanes along one axis; 0 <= axis < rank.
LaneShape LanesAlong(absl::Span<const int64_t> shape, int axis);
// The lanes over axes [axis, rank); 0 <= axis <= rank.
LaneShape LanesFrom(absl::Span<const int64_t> shape, int axis);

// Calls body(lane, x, y) for every lane: x are the lane's elements in C, y is to be filled with the
// result, stored into `out` with one rounding. `in` and `out` are contiguous and of one shape; C is
// float or double. Work is cut by shape; bodies run at the same time.
template <typename C>
void TransformLanes(const ThreadPool& pool, const Tensor& in, const LaneShape& lanes, Tensor& out,
                    absl::FunctionRef<void(int64_t lane, const C* x, C* y)> body);

// Over contiguous elements, in the fixed order of lane_fold.h.
template <typename C>
C LaneSum(const C* x, int64_t count) {
  return FoldLane<SumFold>(x, count);
}
template <typename C>
C LaneMax(const C* x, int64_t count) {
  return FoldLane<MaxFold>(x, count);
}
// The sum of (x - center)^2.
template <typename C>
C LaneSquaredDeviations(const C* x, int64_t count, C center) {
  return FoldLane<SquaredDeviationFold>(x, count, center);
}

// How many lanes make a task: enough elements to be worth a thread's waking. `work` is what an
// element costs, in additions.
int64_t LaneGrain(int64_t length, int64_t work);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_REDUCTION_LANES_H_
