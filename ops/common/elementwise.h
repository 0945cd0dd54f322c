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
#include <functional>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

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

// An expression compiled for one class. `run` computes `count` elements, a multiple of 16 and at
// most vec::kMaxStrip, from arrays of the class's type to a 64-byte aligned one of the result's.
struct StripKernel {
  ComputeClass input_class;
  ComputeClass output_class;
  void (*run)(const void* f, const void* const* inputs, void* output, int64_t count);
};

// The inputs, broadcast to each other and converted to the kernel's class, through it to a new
// tensor.
absl::StatusOr<Tensor> RunStripsIn(const KernelContext& ctx, absl::Span<const Tensor* const> inputs,
                                   const StripKernel& kernel, const void* f, DType output_dtype,
                                   Overflow overflow);
// The first input's dtype chooses among the kernels.
absl::StatusOr<Tensor> RunStrips(const KernelContext& ctx, absl::Span<const Tensor* const> inputs,
                                 absl::Span<const StripKernel> kernels, const void* f,
                                 DType output_dtype);

absl::Status NoComputeClass(DType dtype);

// What is compiled for every operator and class is only this; so nothing else is a template.
template <typename C, typename F, size_t... I>
constexpr StripKernel MakeStripKernel(std::index_sequence<I...>) {
  using In = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  using R = typename std::decay_t<decltype(std::declval<const F&>()(
      (static_cast<void>(I), std::declval<In>())...))>::Scalar;
  using Out = Eigen::Map<Eigen::Array<R, Eigen::Dynamic, 1>, Eigen::AlignedMax>;
  return {kComputeClassOf<C>, kComputeClassOf<R>,
          [](const void* f, const void* const* in, void* out, int64_t count) {
            Out(static_cast<R*>(out), count) =
                (*static_cast<const F*>(f))(In(static_cast<const C*>(in[I]), count)...);
          }};
}
template <typename F, size_t kInputs, typename... C>
constexpr std::array<StripKernel, sizeof...(C)> MakeStripKernels(Classes<C...>) {
  return {MakeStripKernel<C, F>(std::make_index_sequence<kInputs>())...};
}
template <typename List, size_t kInputs, typename F>
inline constexpr auto kStripKernels = MakeStripKernels<F, kInputs>(List{});

// f(strip, ...) of all inputs, computed in C, stored as output_dtype.
template <typename C, size_t N, typename F>
absl::StatusOr<Tensor> ElementwiseIn(const KernelContext& ctx,
                                     const std::array<const Tensor*, N>& inputs, DType output_dtype,
                                     const F& f, Overflow overflow = Overflow::kIeee) {
  return RunStripsIn(ctx, inputs, kStripKernels<Classes<C>, N, F>[0], &f, output_dtype, overflow);
}

// As above; the first input's dtype chooses the class among those listed.
template <typename List, size_t N, typename F>
absl::StatusOr<Tensor> Elementwise(List, const KernelContext& ctx,
                                   const std::array<const Tensor*, N>& inputs, DType output_dtype,
                                   const F& f) {
  return RunStrips(ctx, inputs, kStripKernels<List, N, F>, &f, output_dtype);
}

// RunStrips to output 0. kUndefined: of the first input's dtype.
absl::Status EmitStrips(KernelContext& ctx, absl::Span<const Tensor* const> inputs,
                        absl::Span<const StripKernel> kernels, const void* f, DType output_dtype);

// output = f(input), of the input's dtype.
template <typename List, typename F>
absl::Status EmitUnary(KernelContext& ctx, const F& f) {
  return EmitStrips(ctx, {&ctx.Input(0)}, kStripKernels<List, 1, F>, &f, DType::kUndefined);
}

// output = f(a, b), broadcast, of the inputs' dtype.
template <typename List, typename F>
absl::Status EmitBinary(KernelContext& ctx, const Tensor& a, const Tensor& b, const F& f) {
  return EmitStrips(ctx, {&a, &b}, kStripKernels<List, 2, F>, &f, DType::kUndefined);
}
template <typename List, typename F>
absl::Status EmitBinary(KernelContext& ctx, const F& f) {
  return EmitBinary<List>(ctx, ctx.Input(0), ctx.Input(1), f);
}

// output = f(a, b), broadcast, bool.
template <typename List, typename F>
absl::Status EmitCompare(KernelContext& ctx, const Tensor& a, const Tensor& b, const F& f) {
  return EmitStrips(ctx, {&a, &b}, kStripKernels<List, 2, F>, &f, DType::kBool);
}
template <typename List, typename F>
absl::Status EmitCompare(KernelContext& ctx, const F& f) {
  return EmitCompare<List>(ctx, ctx.Input(0), ctx.Input(1), f);
}

// `run` gets the inputs of a binary operator, before opset 7 aligned as its attributes say.
Kernel WithLegacyBroadcast(
    const KernelInit& node,
    std::function<absl::Status(KernelContext&, const Tensor& a, const Tensor& b)> run);
Kernel LegacyStrips(const KernelInit& node, absl::Span<const StripKernel> kernels,
                    DType output_dtype);

// EmitBinary and EmitCompare for operators that exist since before opset 7; f captures nothing.
template <typename List, typename F>
Kernel BinaryKernel(const KernelInit& node, F) {
  static_assert(std::is_empty_v<F>);
  return LegacyStrips(node, kStripKernels<List, 2, F>, DType::kUndefined);
}
template <typename List, typename F>
Kernel CompareKernel(const KernelInit& node, F) {
  static_assert(std::is_empty_v<F>);
  return LegacyStrips(node, kStripKernels<List, 2, F>, DType::kBool);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ELEMENTWISE_H_
