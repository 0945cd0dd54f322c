#include <algorithm>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/pooling.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/reduction/lanes.h"
#include "ops/nn/lp_norm.h"

namespace onnxcmp {
namespace {

template <typename C>
C SumOfPowers(const C* x, int64_t count, double p) {
  C powers[kFoldBlock];
  BlockTree<SumFold, C, 1> sum;
  for (int64_t i = 0; i < count; i += kFoldBlock) {
    const int64_t size = std::min(kFoldBlock, count - i);
    PowersOf(x + i, size, p, powers);
    const C of_block = LaneSum(powers, size);
    sum.Push(&of_block, 1);
  }
  C result;
  sum.Finish(&result, 1);
  return result;
}

template <typename C>
absl::Status Pool(KernelContext& ctx, double p) {
  return GlobalPool<C>(ctx, [p](const C* x, int64_t planes, int64_t count, C* y) {
    for (int64_t i = 0; i < planes; ++i) y[i] = SumOfPowers(x + i * count, count, p);
    RootsOf(y, planes, p, y);
  });
}

// GlobalLpPool (ai.onnx 1, 2, 22): Y[n, c] = (the sum of |X[n, c]|^p over all spatial dimensions,
// which stay as ones)^(1/p).
absl::StatusOr<Kernel> GlobalLpPool(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const double p, NormOrder(node));
  return FloatKernel(0, [p]<typename C>(KernelContext& ctx) { return Pool<C>(ctx, p); });
}

}  // namespace

void RegisterGlobalLpPool(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "GlobalLpPool", {1, 2, 22}, GlobalLpPool);
}

}  // namespace onnxcmp
