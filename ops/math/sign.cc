#include <type_traits>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Sign (ai.onnx 9, 13): Y = 1 for X > 0, -1 for X < 0, else 0. Open in the specification: NaN stays
// NaN, as in NumPy.
absl::Status Sign(KernelContext& ctx) {
  return EmitUnary<Numbers>(ctx, [](auto x) {
    using T = typename decltype(x)::Scalar;
    return x.unaryExpr([](T v) {
      if constexpr (std::is_floating_point_v<T>) {
        return v > 0 ? T{1} : v < 0 ? T{-1} : v == 0 ? T{0} : v;
      } else if constexpr (std::is_signed_v<T>) {
        return v > 0 ? T{1} : v < 0 ? T{-1} : T{0};
      } else {
        return v > 0 ? T{1} : T{0};
      }
    });
  });
}

}  // namespace

void RegisterSign(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Sign", AllVersions(9, 13), Sign);
}

}  // namespace onnxcmp
