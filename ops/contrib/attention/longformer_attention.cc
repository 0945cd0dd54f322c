#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/contrib/attention/attention_scores.h"
#include "ops/contrib/attention/longformer.h"
#include "ops/contrib/attention/self_attention.h"

namespace onnxcmp {
namespace {

enum InputIndex { kInput, kWeight, kBias, kMask, kGlobalWeight, kGlobalBias, kGlobal };

template <typename C>
absl::Status Run(KernelContext& ctx, const SelfAttentionOptions& options, int64_t window) {
  OC_RETURN_IF_ERROR(CheckLongformer(ctx, kMask, kGlobal, window));
  const Tensor& input = ctx.Input(kInput);
  for (int i : {kWeight, kGlobalWeight}) {
    if (ctx.Input(i).rank() != 2 || ctx.Input(i).dim(1) / 3 != input.dim(2)) {
      return BadAttentionShape("weights", ctx.Input(i), "(hidden, 3 * hidden)");
    }
  }
  OC_ASSIGN_OR_RETURN(const ProjectedHeads local,
                      Project<C>(ctx, input, ctx.Input(kWeight), kBias, options));
  OC_ASSIGN_OR_RETURN(const ProjectedHeads of_global,
                      Project<C>(ctx, input, ctx.Input(kGlobalWeight), kGlobalBias, options));
  OC_ASSIGN_OR_RETURN(Tensor out,
                      AttendLongformer<C>(ctx, local, of_global, kMask, kGlobal, window));
  OC_ASSIGN_OR_RETURN(out, StoreTensor<C>(ctx, out, input.dtype()));
  return ctx.SetOutput(0, std::move(out));
}

// LongformerAttention (com.microsoft 1): self attention where a token sees those up to `window`
// away from it and all global ones, projected by weight and bias; a global token sees all tokens,
// it and they being projected by global_weight and global_bias. `mask` is added to the scores of
// keys.
absl::StatusOr<Kernel> LongformerAttention(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const SelfAttentionOptions options, ReadSelfAttention(node));
  const int64_t window = node.Int("window");
  if (window < 1 || window > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("window is ", window));
  }
  return FloatKernel(kInput, [options, window]<typename C>(KernelContext& ctx) {
    return Run<C>(ctx, options, window);
  });
}

}  // namespace

void RegisterContribLongformerAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "LongformerAttention", {1}, LongformerAttention);
}

}  // namespace onnxcmp
