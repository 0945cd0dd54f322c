#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/normalization/group_norm.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

struct Attributes {
  GroupNormOptions options;
  bool channels_last;
};

absl::StatusOr<Attributes> ReadAttributes(const KernelInit& node) {
  Attributes attributes = {.options = {node.Int("groups"), node.Float("epsilon")},
                           .channels_last = node.Flag("channels_last")};
  const int64_t activation = node.Int("activation");
  if (activation != 0 && activation != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("activation must be 0 (none) or 1 (SiLU), not ", activation));
  }
  if (attributes.options.groups < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("groups must be positive, not ", attributes.options.groups));
  }
  attributes.options.silu = activation == 1;
  return attributes;
}

absl::Status CheckRank(const Tensor& x) {
  if (x.rank() == 4) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("X has rank ", x.rank(), ", not 4"));
}

// GroupNorm (com.microsoft 1): Y = f((X - mean) / sqrt(var + epsilon) * gamma + beta), mean and
// variance being those of each batch entry's groups of channels; f is the identity, or for
// `activation` 1 SiLU, x * Sigmoid(x). X is (N, H, W, C), or (N, C, H, W) without channels_last.
absl::StatusOr<Kernel> GroupNorm(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const Attributes attributes, ReadAttributes(node));
  return [attributes](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    OC_RETURN_IF_ERROR(CheckRank(x));
    if (!attributes.channels_last) return EmitNormalizedGroups(ctx, attributes.options);
    OC_ASSIGN_OR_RETURN(const Tensor y, NormalizeGroups(ctx, ChannelsFirst(x), attributes.options));
    return ctx.SetOutput(0, ChannelsLast(y));
  };
}

// skip as something that broadcasts to channels last.
absl::StatusOr<Tensor> SkipOf(const KernelContext& ctx, const Tensor& x, bool channels_last) {
  const Tensor& skip = ctx.Input(3);
  const int64_t batch = x.dim(0);
  const int64_t channels = x.dim(3);
  if (skip.shape() == Shape{batch, channels}) {
    OC_ASSIGN_OR_RETURN(const Tensor contiguous, ctx.Contiguous(skip));
    return contiguous.Reshaped({batch, 1, 1, channels});
  }
  Tensor last = channels_last || skip.rank() != 4 ? skip : ChannelsLast(skip);
  if (last.shape() != x.shape() && last.shape() != Shape{batch, 1, 1, channels}) {
    return absl::InvalidArgumentError(absl::StrCat(
        "skip is ", skip.TypeString(), ", which does not fit to X, ", ctx.Input(0).TypeString()));
  }
  return last;
}

template <typename C>
absl::Status RunSkip(KernelContext& ctx, const Attributes& attributes) {
  const bool channels_last = attributes.channels_last;
  const DType dtype = ctx.Input(0).dtype();
  OC_RETURN_IF_ERROR(CheckRank(ctx.Input(0)));
  const Tensor x = channels_last ? ctx.Input(0) : ChannelsLast(ctx.Input(0));
  OC_ASSIGN_OR_RETURN(const Tensor skip, SkipOf(ctx, x, channels_last));
  Tensor sum;
  if (ctx.HasInput(4)) {
    const Tensor& bias = ctx.Input(4);
    if (bias.shape() != Shape{x.dim(3)}) {
      return absl::InvalidArgumentError(
          absl::StrCat("bias is ", bias.TypeString(), ", but there are ", x.dim(3), " channels"));
    }
    OC_ASSIGN_OR_RETURN(sum,
                        (ElementwiseIn<C, 3>(ctx, {&x, &skip, &bias}, kDTypeOf<C>,
                                             [](auto a, auto b, auto c) { return a + b + c; })));
  } else {
    OC_ASSIGN_OR_RETURN(sum, (ElementwiseIn<C, 2>(ctx, {&x, &skip}, kDTypeOf<C>,
                                                  [](auto a, auto b) { return a + b; })));
  }
  OC_ASSIGN_OR_RETURN(Tensor y, NormalizeGroups(ctx, ChannelsFirst(sum), attributes.options));
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, channels_last ? ChannelsLast(y) : y));
  if (!ctx.HasOutput(1)) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(sum, StoreTensor<C>(ctx, sum, dtype));
  return ctx.SetOutput(1, channels_last ? sum : ChannelsFirst(sum));
}

// SkipGroupNorm (com.microsoft 1): S = X + skip + bias, Y = GroupNorm(S). skip has the shape of X,
// or (N, C), or X's with H and W 1. Narrow floats are computed in float: the sum is normalized
// unrounded.
absl::StatusOr<Kernel> SkipGroupNorm(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const Attributes attributes, ReadAttributes(node));
  return FloatKernel(
      0, [attributes]<typename C>(KernelContext& ctx) { return RunSkip<C>(ctx, attributes); });
}

}  // namespace

void RegisterContribGroupNorm(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GroupNorm", {1}, GroupNorm);
  registry.Add(kMicrosoftDomain, "SkipGroupNorm", {1}, SkipGroupNorm);
}

}  // namespace onnxcmp
