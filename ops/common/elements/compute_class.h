// The few C++ types that elements are computed in, whatever they are stored in.
//
//   return DispatchFloat(x.dtype(), [&]<typename C>() { return Pool<C>(ctx, attributes); });
#ifndef ONNXCMP_OPS_COMMON_ELEMENTS_COMPUTE_CLASS_H_
#define ONNXCMP_OPS_COMMON_ELEMENTS_COMPUTE_CLASS_H_

#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// The types that a kernel's expression is compiled for; dtypes with a compute class that is not
// among them are refused. Signed integers run as uint64_t where int64_t is not listed: they wrap
// around, and nothing is undefined.
template <typename C, typename... More>
struct Classes {
  using First = C;
};
using Floats = Classes<float, double>;
// For operators that are the identity of unsigned integers, or not defined for them.
using SignedNumbers = Classes<float, double, int64_t>;
// For operators that compute the same bits for signed and unsigned integers: add, multiply, ...
using Wrapping = Classes<float, double, uint64_t>;
// For those that do not: compare, divide, ...
using Numbers = Classes<float, double, int64_t, uint64_t>;
// Bit by bit, the same for signed and unsigned integers.
using Integers = Classes<uint64_t>;
using Bools = Classes<bool>;

template <typename C>
inline constexpr ComputeClass kComputeClassOf =
    std::is_same_v<C, float>      ? ComputeClass::kFloat
    : std::is_same_v<C, double>   ? ComputeClass::kDouble
    : std::is_same_v<C, int64_t>  ? ComputeClass::kInt64
    : std::is_same_v<C, uint64_t> ? ComputeClass::kUint64
    : std::is_same_v<C, bool>     ? ComputeClass::kBool
                                  : ComputeClass::kComplex;

// "elements of type complex64 are not supported".
absl::Status NoComputeClass(DType dtype);

// Calls f<C>() with C double for double, else float: for operators whose schema allows floats only,
// or integers that float holds.
template <typename F>
auto DispatchFloat(DType dtype, const F& f) {
  return dtype == DType::kDouble ? f.template operator()<double>() : f.template operator()<float>();
}

// The kernel f<C>(ctx), with C as DispatchFloat chooses it by the dtype of input `index`.
//
//   return FloatKernel(0, [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options);
//   });
template <typename F>
Kernel FloatKernel(int index, F f) {
  return [index, f = std::move(f)](KernelContext& ctx) -> absl::Status {
    return DispatchFloat(ctx.Input(index).dtype(),
                         [&]<typename C>() { return f.template operator()<C>(ctx); });
  };
}

// Calls f<C>() with that C of the list in which elements of this dtype are computed; an error if
// there is none. Result: absl::Status or absl::StatusOr.
//
//   return Dispatch<Numbers>(x.dtype(), [&]<typename C>() { return CumSum<C>(ctx, axis); });
template <typename Result, typename F, typename... C>
Result DispatchAmong(Classes<C...>, DType dtype, const F& f) {
  constexpr bool kHasInt64 = (std::is_same_v<C, int64_t> || ...);
  const ComputeClass wanted =
      IsSignedInteger(dtype) && !kHasInt64 ? ComputeClass::kUint64 : ComputeClassOf(dtype);
  Result result = NoComputeClass(dtype);
  static_cast<void>(
      ((kComputeClassOf<C> == wanted && (result = f.template operator()<C>(), true)) || ...));
  return result;
}
template <typename List, typename F>
auto Dispatch(DType dtype, const F& f) {
  using Result = decltype(f.template operator()<typename List::First>());
  return DispatchAmong<Result>(List{}, dtype, f);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ELEMENTS_COMPUTE_CLASS_H_
