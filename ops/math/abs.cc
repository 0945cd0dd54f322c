#include <cstdint>
#include <type_traits>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// Abs (ai.onnx 1, 6, 13): Y = |X|. The least integer wraps around to itself.
absl::Status Abs(KernelContext& ctx) {
  if (IsUnsignedInteger(ctx.Input(0).dtype())) {
    return ctx.SetOutput(0, ctx.Input(0));
  }
  return EmitUnary<SignedNumbers>(ctx, [](auto x) {
    using T = typename decltype(x)::Scalar;
    if constexpr (std::is_floating_point_v<T>) {
      return x.abs();
    } else {
      return x.unaryExpr([](T v) { return v < 0 ? static_cast<T>(-static_cast<uint64_t>(v)) : v; });
    }
  });
}

}  // namespace

void RegisterAbs(OpRegistry& registry) { registry.Add(kOnnxDomain, "Abs", {1, 6, 13}, Abs); }

}  // namespace onnxcmp
