#include <algorithm>
#include <cstdint>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/reduction/arg_reduce.h"
#include "ops/math/softmax_family.h"

namespace onnxcmp {
namespace {

template <typename C>
void HardmaxLane(const C* x, int64_t count, C* y) {
  const int64_t index = IndexOfGreatest(x, count);
  std::fill(y, y + count, C{0});
  y[index] = 1;
}

// Hardmax (ai.onnx 1, 11, 13): 1 for the first greatest element of every lane, else 0. A NaN counts
// as the greatest, as in NumPy.
Kernel Hardmax(const KernelInit& node) {
  return SoftmaxFamilyKernel(node, {HardmaxLane<float>, HardmaxLane<double>});
}

}  // namespace

void RegisterHardmax(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Hardmax", AllVersions(1, 13), Hardmax);
}

}  // namespace onnxcmp
