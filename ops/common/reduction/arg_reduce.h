// Where the greatest or the least element of a lane is, for ArgMax, ArgMin and Hardmax.
#ifndef ONNXCMP_OPS_COMMON_REDUCTION_ARG_REDUCE_H_
#define ONNXCMP_OPS_COMMON_REDUCTION_ARG_REDUCE_H_

#include <cstdint>

#include "evaluator/kernels/kernel.h"

namespace onnxcmp {

// True if `x` takes the place of `best`, which comes before it. NaN is beyond all numbers.
template <bool kGreatest, typename C>
bool IsBeyond(C x, C best) {
  return (kGreatest ? x > best : x < best) || (x != x && best == best);
}

// The index of the first of the greatest of `count` > 0 elements.
template <typename C>
int64_t IndexOfGreatest(const C* x, int64_t count) {
  int64_t index = 0;
  for (int64_t i = 1; i < count; ++i) {
    if (IsBeyond<true>(x[i], x[index])) {
      index = i;
    }
  }
  return index;
}

// The kernel of ArgMax (greatest) and ArgMin.
Kernel ArgReduceKernel(const KernelInit& node, bool greatest);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_REDUCTION_ARG_REDUCE_H_
