#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// An integer plus a float: exact if that is an integer, else computed in double and truncated.
template <typename T>
T Shifted(T x, double shift) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::trunc(shift) == shift && std::abs(shift) <= kExact) {
    return static_cast<T>(static_cast<uint64_t>(x) +
                          static_cast<uint64_t>(static_cast<int64_t>(shift)));
  }
  const double sum = static_cast<double>(x) + shift;
  T result;
  LoadElements(DType::kDouble, reinterpret_cast<const std::byte*>(&sum), 0, 1, &result);
  return result;
}

// Shrink (ai.onnx 9): Y = X + bias for X < -lambd, X - bias for X > lambd, else 0. Integers are
// compared exactly and truncated towards zero, as in NumPy.
Kernel Shrink(const KernelInit& node) {
  const float lambd = node.Float("lambd");
  const float bias = node.Float("bias");
  return UnaryKernel<Numbers>([=](auto x) {
    using T = typename decltype(x)::Scalar;
    return x.unaryExpr([=](T v) -> T {
      if constexpr (std::is_floating_point_v<T>) {
        return v < -T{lambd} ? v + T{bias} : v > T{lambd} ? v - T{bias} : T{0};
      } else {
        const auto number = static_cast<double>(v);
        return number < -double{lambd}  ? Shifted(v, bias)
               : number > double{lambd} ? Shifted(v, -double{bias})
                                        : T{0};
      }
    });
  });
}

}  // namespace

void RegisterShrink(OpRegistry& registry) { registry.Add(kOnnxDomain, "Shrink", {9}, Shrink); }

}  // namespace onnxcmp
