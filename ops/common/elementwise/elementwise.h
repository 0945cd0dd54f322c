// Elementwise operators. The kernel is an expression of Eigen arrays, which runs over strips of a
// few hundred elements; loading and storing, the only places that know dtypes, happen around it,
// and so do broadcasting, strides and threads.
//
//   absl::Status Exp(KernelContext& ctx) {
//     return EmitUnary<Floats>(ctx, [](auto x) { return vec::Exp(x); });
//   }
//   Kernel ThresholdedRelu(const KernelInit& node) {
//     return UnaryKernel<Floats>([alpha = node.Float("alpha")](auto x) { ... });
//   }
//   Kernel Mul(const KernelInit& node) {
//     return BinaryKernel<Wrapping>(node, [](auto a, auto b) { return a * b; });
//   }
//   Kernel Min(const KernelInit& node) {
//     return VariadicKernel<Numbers>(node, [](auto a, auto b) { return vec::Min(a, b); });
//   }
//
// An element's value depends on its inputs alone: a strip is a whole number of packets, padded
// where there are not enough elements.
#ifndef ONNXCMP_OPS_COMMON_ELEMENTWISE_ELEMENTWISE_H_
#define ONNXCMP_OPS_COMMON_ELEMENTWISE_ELEMENTWISE_H_

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
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elementwise/broadcast.h"
#include "ops/common/functions/vector_math.h"

namespace onnxcmp {

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

// The only code that is compiled for every operator and class; so nothing else is a template.
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

// The same for operators with attributes, which f captures.
template <typename List, typename F>
Kernel UnaryKernel(F f) {
  return [f](KernelContext& ctx) { return EmitUnary<List>(ctx, f); };
}

// output = f(input), bool.
template <typename List, typename F>
absl::Status EmitPredicate(KernelContext& ctx, const F& f) {
  return EmitStrips(ctx, {&ctx.Input(0)}, kStripKernels<List, 1, F>, &f, DType::kBool);
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

// A strip of `Finish(f(... f(f(x0, x1), x2) ..., xn), n + 1)`; the number of inputs comes in the
// place of captures.
template <typename C, typename F, typename Finish>
constexpr StripKernel MakeFoldKernel() {
  static_assert(std::is_empty_v<F> && std::is_empty_v<Finish>);
  using In = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  using Out = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>, Eigen::AlignedMax>;
  return {kComputeClassOf<C>, kComputeClassOf<C>,
          [](const void* inputs, const void* const* in, void* out, int64_t count) {
            const size_t n = *static_cast<const size_t*>(inputs);
            Out result(static_cast<C*>(out), count);
            result = In(static_cast<const C*>(in[0]), count);
            for (size_t i = 1; i < n; ++i) {
              result = F()(In(result.data(), count), In(static_cast<const C*>(in[i]), count));
            }
            result = Finish()(In(result.data(), count), static_cast<C>(n));
          }};
}
template <typename F, typename Finish, typename... C>
constexpr std::array<StripKernel, sizeof...(C)> MakeFoldKernels(Classes<C...>) {
  return {MakeFoldKernel<C, F, Finish>()...};
}
template <typename List, typename F, typename Finish>
inline constexpr auto kFoldKernels = MakeFoldKernels<F, Finish>(List{});

// All inputs through one of the kernels above; before opset 8 they must have one shape.
Kernel FoldStrips(const KernelInit& node, absl::Span<const StripKernel> kernels);

// output = f(... f(f(input 0, input 1), input 2) ..., input n), broadcast, of the inputs' dtype:
// rounded once, however many inputs there are. `finish` gets that and the number of inputs as C; f
// and finish capture nothing.
//
//   Kernel Mean(const KernelInit& node) {
//     return VariadicKernel<Floats>(
//         node, [](auto a, auto b) { return a + b; }, [](auto sum, auto n) { return sum / n; });
//   }
template <typename List, typename F, typename Finish>
Kernel VariadicKernel(const KernelInit& node, F, Finish) {
  return FoldStrips(node, kFoldKernels<List, F, Finish>);
}
template <typename List, typename F>
Kernel VariadicKernel(const KernelInit& node, F f) {
  return VariadicKernel<List>(node, f, [](auto x, auto) { return x; });
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ELEMENTWISE_ELEMENTWISE_H_
