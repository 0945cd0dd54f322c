#include <array>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

// The real (0) or imaginary (1) parts.
Tensor Part(const Tensor& x, int64_t part) {
  Shape shape = x.shape();
  Shape strides = x.strides();
  const int64_t offset = x.num_elements() == 0 ? 0 : part * strides.back();
  shape.pop_back();
  strides.pop_back();
  return x.Strided(shape, strides, x.offset() + offset);
}

// C = A * B, or A * conj(B), of complex numbers whose parts are the last dimension.
template <bool kConjugate>
absl::Status Multiply(KernelContext& ctx) {
  const Tensor& a = ctx.Input(0);
  const Tensor& b = ctx.Input(1);
  for (const Tensor* factor : {&a, &b}) {
    if (factor->rank() < 1 || factor->shape().back() != 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("the last dimension must hold real and imaginary part, but a factor is ",
                       factor->TypeString()));
    }
  }
  const std::array<Tensor, 4> parts = {Part(a, 0), Part(a, 1), Part(b, 0), Part(b, 1)};
  const std::array<const Tensor*, 4> inputs = {&parts[0], &parts[1], &parts[2], &parts[3]};
  const auto real_part = [](auto ar, auto ai, auto br, auto bi) {
    if constexpr (kConjugate) {
      return ar * br + ai * bi;
    } else {
      return ar * br - ai * bi;
    }
  };
  const auto imaginary_part = [](auto ar, auto ai, auto br, auto bi) {
    if constexpr (kConjugate) {
      return ai * br - ar * bi;
    } else {
      return ar * bi + ai * br;
    }
  };
  OC_ASSIGN_OR_RETURN(const Tensor real, Elementwise(Floats{}, ctx, inputs, a.dtype(), real_part));
  OC_ASSIGN_OR_RETURN(const Tensor imaginary,
                      Elementwise(Floats{}, ctx, inputs, a.dtype(), imaginary_part));
  Shape shape = real.shape();
  shape.push_back(2);
  OC_ASSIGN_OR_RETURN(Tensor c, ctx.Allocate(a.dtype(), shape));
  const absl::Span<const int64_t> strides =
      absl::MakeConstSpan(c.strides()).first(real.shape().size());
  const Shape block(strides.begin(), strides.end());
  CopyIntoBlock(real, block, 0, ctx.pool(), &c);
  CopyIntoBlock(imaginary, block, 1, ctx.pool(), &c);
  return ctx.SetOutput(0, std::move(c));
}

// ComplexMul, ComplexMulConj (com.microsoft 1, no CPU kernel in onnxruntime): C = A * B, and C = A
// * conj(B), of complex numbers: the last dimension holds real and imaginary part; the others are
// broadcast.
absl::Status ComplexMul(KernelContext& ctx) { return Multiply<false>(ctx); }
absl::Status ComplexMulConj(KernelContext& ctx) { return Multiply<true>(ctx); }

}  // namespace

void RegisterContribComplexMul(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "ComplexMul", {1}, ComplexMul);
  registry.Add(kMicrosoftDomain, "ComplexMulConj", {1}, ComplexMulConj);
}

}  // namespace onnxcmp
