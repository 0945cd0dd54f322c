// Elementwise operators. The kernel is an expression of Eigen arrays, which runs over strips of a
// few hundred elements; loading and storing, the only places that know dtypes, happen around it,
// and so do broadcasting, strides and threads.
//
//   absl::Status Exp(KernelContext& ctx) {
//     return EmitUnary<Floats>(ctx, [](auto x) { return vec::Exp(x); });
//   }
//   Kernel Mul(const KernelInit& node) {
//     return BinaryKernel<Wrapping>(node, [](auto a, auto b) { return a * b; });
//   }
//
// An element's value depends on its inputs alone: a strip is a whole number of packets, padded
// where there are not enough elements.
#ifndef ONNXCMP_OPS_COMMON_ELEMENTWISE_H_
#define ONNXCMP_OPS_COMMON_ELEMENTWISE_H_

#include <array>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/convert.h"
#include "evaluator/dtype.h"
#include "evaluator/kernel.h"
#include "evaluator/tensor.h"
#include "ops/common/broadcast.h"
#include "ops/common/vector_math.h"

namespace onnxcmp {

// The types that a kernel's expression is compiled for; dtypes with a compute class that is not
// among them are refused. Signed integers run as uint64_t where int64_t is not listed: they wrap
// around, and nothing is undefined.
template <typename... C>
struct Classes {};
using Floats = Classes<float, double>;
// For operators that compute the same bits for signed and unsigned integers: add, multiply, ...
using Wrapping = Classes<float, double, uint64_t>;
// For those that do not: compare, divide, ...
using Numbers = Classes<float, double, int64_t, uint64_t>;
using Bools = Classes<bool>;

template <typename C>
inline constexpr ComputeClass kComputeClassOf =
    std::is_same_v<C, float>      ? ComputeClass::kFloat
    : std::is_same_v<C, double>   ? ComputeClass::kDouble
    : std::is_same_v<C, int64_t>  ? ComputeClass::kInt64
    : std::is_same_v<C, uint64_t> ? ComputeClass::kUint64
    : std::is_same_v<C, bool>     ? ComputeClass::kBool
                                  : ComputeClass::kComplex;

// Computes `count` elements, a multiple of 16 and at most vec::kMaxStrip; `output` is 64-byte
// aligned. Arrays of the compute class's type.
using StripFunction =
    absl::FunctionRef<void(const void* const* inputs, void* output, int64_t count)>;

// The inputs, broadcast to each other and loaded as `input_class`, through `f` to a new tensor.
absl::StatusOr<Tensor> RunStrips(const KernelContext& ctx, absl::Span<const Tensor* const> inputs,
                                 ComputeClass input_class, DType output_dtype,
                                 ComputeClass output_class, StripFunction f,
                                 Overflow overflow = Overflow::kIeee);

absl::Status NoComputeClass(DType dtype);

// f(strip, ...) of all inputs, computed in C, stored as output_dtype.
template <typename C, size_t N, typename F>
absl::StatusOr<Tensor> ElementwiseIn(const KernelContext& ctx,
                                     const std::array<const Tensor*, N>& inputs, DType output_dtype,
                                     const F& f, Overflow overflow = Overflow::kIeee) {
  using In = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  return [&]<size_t... I>(std::index_sequence<I...>) {
    using R =
        typename std::decay_t<decltype(f((static_cast<void>(I), std::declval<In>())...))>::Scalar;
    using Out = Eigen::Map<Eigen::Array<R, Eigen::Dynamic, 1>, Eigen::AlignedMax>;
    return RunStrips(
        ctx, inputs, kComputeClassOf<C>, output_dtype, kComputeClassOf<R>,
        [&f](const void* const* in, void* out, int64_t count) {
          Out(static_cast<R*>(out), count) = f(In(static_cast<const C*>(in[I]), count)...);
        },
        overflow);
  }
  (std::make_index_sequence<N>());
}

// As above; the first input's dtype chooses the type among those listed.
template <typename... C, size_t N, typename F>
absl::StatusOr<Tensor> Elementwise(Classes<C...>, const KernelContext& ctx,
                                   const std::array<const Tensor*, N>& inputs, DType output_dtype,
                                   const F& f) {
  ComputeClass wanted = ComputeClassOf(inputs[0]->dtype());
  if (wanted == ComputeClass::kInt64 && !(std::is_same_v<C, int64_t> || ...)) {
    wanted = ComputeClass::kUint64;
  }
  absl::StatusOr<Tensor> result = NoComputeClass(inputs[0]->dtype());
  static_cast<void>(((wanted == kComputeClassOf<C> &&
                      (result = ElementwiseIn<C>(ctx, inputs, output_dtype, f), true)) ||
                     ...));
  return result;
}

// output = f(input), of the input's dtype.
template <typename List, typename F>
absl::Status EmitUnary(KernelContext& ctx, const F& f) {
  const Tensor& x = ctx.Input(0);
  OC_ASSIGN_OR_RETURN(Tensor y,
                      Elementwise(List{}, ctx, std::array<const Tensor*, 1>{&x}, x.dtype(), f));
  return ctx.SetOutput(0, std::move(y));
}

// output = f(a, b), broadcast, of the inputs' dtype.
template <typename List, typename F>
absl::Status EmitBinary(KernelContext& ctx, const Tensor& a, const Tensor& b, const F& f) {
  OC_ASSIGN_OR_RETURN(Tensor y,
                      Elementwise(List{}, ctx, std::array<const Tensor*, 2>{&a, &b}, a.dtype(), f));
  return ctx.SetOutput(0, std::move(y));
}
template <typename List, typename F>
absl::Status EmitBinary(KernelContext& ctx, const F& f) {
  return EmitBinary<List>(ctx, ctx.Input(0), ctx.Input(1), f);
}

// output = f(a, b), broadcast, bool.
template <typename List, typename F>
absl::Status EmitCompare(KernelContext& ctx, const Tensor& a, const Tensor& b, const F& f) {
  OC_ASSIGN_OR_RETURN(
      Tensor y, Elementwise(List{}, ctx, std::array<const Tensor*, 2>{&a, &b}, DType::kBool, f));
  return ctx.SetOutput(0, std::move(y));
}
template <typename List, typename F>
absl::Status EmitCompare(KernelContext& ctx, const F& f) {
  return EmitCompare<List>(ctx, ctx.Input(0), ctx.Input(1), f);
}

// `run` gets the inputs of a binary operator, before opset 7 aligned as its attributes say.
Kernel WithLegacyBroadcast(
    const KernelInit& node,
    std::function<absl::Status(KernelContext&, const Tensor& a, const Tensor& b)> run);

// EmitBinary and EmitCompare for operators that exist since before opset 7.
template <typename List, typename F>
Kernel BinaryKernel(const KernelInit& node, F f) {
  return WithLegacyBroadcast(node, [f](KernelContext& ctx, const Tensor& a, const Tensor& b) {
    return EmitBinary<List>(ctx, a, b, f);
  });
}
template <typename List, typename F>
Kernel CompareKernel(const KernelInit& node, F f) {
  return WithLegacyBroadcast(node, [f](KernelContext& ctx, const Tensor& a, const Tensor& b) {
    return EmitCompare<List>(ctx, a, b, f);
  });
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ELEMENTWISE_H_
