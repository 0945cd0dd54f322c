#include <array>
#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/functions/vector_math.h"

namespace onnxcmp {
namespace {

enum InputIndex { kAngles, kQuery, kRotatedQuery, kKey, kRotatedKey };

// x * cos + rotated * sin; both (batch, heads, sequence, size), the factors with one head.
template <typename C>
absl::Status Embed(KernelContext& ctx, int input, int rotated_input, const Tensor& cosines,
                   const Tensor& sines, int output) {
  const Tensor& x = ctx.Input(input);
  const Tensor& rotated = ctx.Input(rotated_input);
  if (x.rank() != 4 || rotated.shape() != x.shape() || x.dim(0) != cosines.dim(0) ||
      x.dim(2) != cosines.dim(2) || x.dim(3) != cosines.dim(3)) {
    return BadAttentionShape(input == kQuery ? "q or q_rot" : "k or k_rot", x,
                             "both (batch, heads, sequence, size) with the sizes of emb");
  }
  const std::array<const Tensor*, 4> inputs = {&x, &cosines, &rotated, &sines};
  OC_ASSIGN_OR_RETURN(Tensor y, ElementwiseIn<C>(ctx, inputs, x.dtype(),
                                                 [](auto a, auto cosine, auto b, auto sine) {
                                                   return a * cosine + b * sine;
                                                 }));
  return ctx.SetOutput(output, std::move(y));
}

// cos(emb) or sin(emb), rounded to the type of q, with an axis for the heads.
template <typename C, typename F>
absl::StatusOr<Tensor> FactorsOf(const KernelContext& ctx, const F& f) {
  const Tensor& angles = ctx.Input(kAngles);
  OC_ASSIGN_OR_RETURN(
      const Tensor factors,
      ElementwiseIn<C>(ctx, std::array<const Tensor*, 1>{&angles}, ctx.Input(kQuery).dtype(), f));
  return factors.Reshaped({angles.dim(0), 1, angles.dim(1), angles.dim(2)});
}

// GemmaRotaryEmbedding (com.microsoft 1): q * cos(emb) + q_rot * sin(emb), and the same for k;
// q_rot is q with its halves swapped and one negated. The factors are rounded to the type of q, the
// results once.
absl::Status GemmaRotaryEmbedding(KernelContext& ctx) {
  if (ctx.Input(kAngles).rank() != 3) {
    return BadAttentionShape("emb", ctx.Input(kAngles), "(batch, sequence, size)");
  }
  return DispatchFloat(ctx.Input(kAngles).dtype(), [&]<typename C>() -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor cosines,
                        FactorsOf<C>(ctx, [](auto x) { return vec::Cos(x); }));
    OC_ASSIGN_OR_RETURN(const Tensor sines, FactorsOf<C>(ctx, [](auto x) { return vec::Sin(x); }));
    OC_RETURN_IF_ERROR(Embed<C>(ctx, kQuery, kRotatedQuery, cosines, sines, 0));
    return Embed<C>(ctx, kKey, kRotatedKey, cosines, sines, 1);
  });
}

}  // namespace

void RegisterContribGemmaRotaryEmbedding(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GemmaRotaryEmbedding", {1}, GemmaRotaryEmbedding);
}

}  // namespace onnxcmp
