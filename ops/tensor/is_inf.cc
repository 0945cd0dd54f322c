#include <limits>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// IsInf (ai.onnx 10, 20): whether each element is an infinity, of the signs that the attributes
// name.
Kernel IsInf(const KernelInit& node) {
  // NaN, which equals nothing, for a sign that does not count.
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float positive = node.Flag("detect_positive") ? kInfinity : kNaN;
  const float negative = node.Flag("detect_negative") ? -kInfinity : kNaN;
  return [=](KernelContext& ctx) {
    return EmitPredicate<Floats>(ctx, [=](auto x) {
      using T = typename decltype(x)::Scalar;
      return x == T{positive} || x == T{negative};
    });
  };
}

}  // namespace

void RegisterIsInf(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "IsInf", AllVersions(10, 20), IsInf);
}

}  // namespace onnxcmp
