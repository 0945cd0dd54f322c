#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// The greatest integer that is not above `threshold`; of NaN and what is above all integers, the
// greatest of all, so that nothing is above it.
int64_t Floor(float threshold) {
  if (!(threshold < 0x1p63f)) return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::floor(std::max(threshold, -0x1p63f)));
}

// Binarizer (ai.onnx.ml 1): Y = 1 where X > threshold, else 0 (NaN too).
Kernel Binarizer(const KernelInit& node) {
  const float threshold = node.Float("threshold");
  const bool below_all = threshold < -0x1p63f;
  return UnaryKernel<SignedNumbers>([=, floor = Floor(threshold)](auto x) {
    using T = typename decltype(x)::Scalar;
    return x.unaryExpr([=](T v) {
      if constexpr (std::is_same_v<T, int64_t>) {
        return T{v > floor || below_all ? 1 : 0};
      } else {
        return v > T{threshold} ? T{1} : T{0};
      }
    });
  });
}

}  // namespace

void RegisterMlBinarizer(OpRegistry& registry) {
  registry.Add(kMlDomain, "Binarizer", {1}, Binarizer);
}

}  // namespace onnxcmp
