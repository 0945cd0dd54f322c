// Softmax of one lane, which Softmax and the attention operators share.
#ifndef ONNXCMP_OPS_COMMON_REDUCTION_SOFTMAX_H_
#define ONNXCMP_OPS_COMMON_REDUCTION_SOFTMAX_H_

#include <algorithm>
#include <cstdint>

#include <Eigen/Core>

#include "ops/common/functions/vector_math.h"
#include "ops/common/reduction/lane_fold.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {

// y = exp(x - max(x)) / sum(exp(x - max(x))); y may be x. A lane of -inf only gives NaN.
template <typename C>
void SoftmaxLane(const C* x, int64_t count, C* y) {
  using Lane = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  vec::ExpOfDifference(x, LaneMax(x, count), count, y);
  Lane(y, count) /= LaneSum(y, count);
}

// y = exp(x - m) / (sum(exp(x - m)) + exp(sink - m)), m = max(x, sink): the softmax of the lane and
// one more element, whose share is dropped. y may be x.
template <typename C>
void SoftmaxLaneWithSink(const C* x, int64_t count, C sink, C* y) {
  using Lane = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  const C max = MaxFold::Combine(LaneMax(x, count), sink);
  C rest;
  vec::ExpOfDifference(&sink, max, 1, &rest);
  vec::ExpOfDifference(x, max, count, y);
  Lane(y, count) /= LaneSum(y, count) + rest;
}

// y = x - max(x) - log(sum(exp(x - max(x)))); y may be x. Writes y once: a long lane does not stay
// in the cache.
template <typename C>
void LogSoftmaxLane(const C* x, int64_t count, C* y) {
  using Lane = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstLane = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  const C max = LaneMax(x, count);
  BlockTree<SumFold, C, 1> tree;
  C block[kFoldBlock];
  for (int64_t begin = 0; begin < count; begin += kFoldBlock) {
    const int64_t part = std::min(kFoldBlock, count - begin);
    vec::ExpOfDifference(x + begin, max, part, block);
    const C sum = FoldBlock<SumFold>(block, part, C{0});
    tree.Push(&sum, 1);
  }
  C log_sum;
  tree.Finish(&log_sum, 1);
  vec::Log(&log_sum, 1, &log_sum);
  Lane(y, count) = ConstLane(x, count) - max - log_sum;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_REDUCTION_SOFTMAX_H_
