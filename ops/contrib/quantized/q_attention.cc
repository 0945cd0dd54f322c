#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/quantized/quantization.h"
#include "ops/contrib/attention/self_attention.h"

namespace onnxcmp {
namespace {

enum InputIndex {
  kInput,
  kWeights,
  kBias,
  kInputScale,
  kWeightScale,
  kMask,
  kInputZero,
  kWeightZero,
  kPast
};

// (x - zero point) * scale as C; parameters are one number, or, of the weights, one a column.
template <typename C>
absl::StatusOr<Tensor> Dequantize(const KernelContext& ctx, int input, int scale_input,
                                  int zero_input, bool by_column) {
  const Tensor& x = ctx.Input(input);
  const Tensor& scale = ctx.Input(scale_input);
  const bool is_one = scale.num_elements() == 1;
  if (!is_one && (!by_column || scale.shape() != Shape{x.shape().back()})) {
    return BadAttentionShape(input == kInput ? "input_scale" : "weight_scale", scale,
                             by_column ? "one element, or one for each column" : "one element");
  }
  const Tensor* zero = nullptr;
  if (ctx.HasInput(zero_input)) {
    zero = &ctx.Input(zero_input);
    if (zero->num_elements() != scale.num_elements()) {
      return BadAttentionShape(input == kInput ? "input_zero_point" : "weight_zero_point", *zero,
                               "the shape of the scale");
    }
  }
  // One number may come in any shape.
  OC_ASSIGN_OR_RETURN(Tensor flat_scale, ctx.Contiguous(scale));
  flat_scale = flat_scale.Reshaped({scale.num_elements()});
  Tensor flat_zero;
  if (zero != nullptr) {
    OC_ASSIGN_OR_RETURN(flat_zero, ctx.Contiguous(*zero));
    flat_zero = flat_zero.Reshaped({scale.num_elements()});
  }
  return DequantizeTensor(ctx, x, flat_scale, zero == nullptr ? nullptr : &flat_zero, {.axis = 1},
                          kDTypeOf<C>);
}

template <typename C>
absl::Status Run(KernelContext& ctx, const SelfAttentionOptions& options) {
  if (ctx.Input(kInput).rank() != 3 || ctx.Input(kWeights).rank() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("input and weight have ranks ",
                                                   ctx.Input(kInput).rank(), " and ",
                                                   ctx.Input(kWeights).rank(), ", not 3 and 2"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor x,
                      Dequantize<C>(ctx, kInput, kInputScale, kInputZero, /*by_column=*/false));
  OC_ASSIGN_OR_RETURN(const Tensor weights,
                      Dequantize<C>(ctx, kWeights, kWeightScale, kWeightZero, /*by_column=*/true));
  OC_ASSIGN_OR_RETURN(ProjectedHeads heads, Project<C>(ctx, x, weights, kBias, options));
  const SelfAttentionInputs inputs = {.bias = kBias, .mask = kMask, .past = kPast};
  return RunSelfAttention<C>(ctx, std::move(heads), options, inputs, ctx.Input(kBias).dtype());
}

// QAttention (com.microsoft 1): Attention of (input - input_zero_point) * input_scale with the
// weights (weight - weight_zero_point) * weight_scale. Not supported: past_present_share_buffer
// with a past, for there is no input that says where in the buffer the new rows belong.
absl::StatusOr<Kernel> QAttention(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const SelfAttentionOptions options, ReadSelfAttention(node));
  if (options.shares_buffer && node.HasInput(kPast)) {
    return absl::UnimplementedError("past_present_share_buffer of QAttention");
  }
  return FloatKernel(kBias,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterContribQAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QAttention", {1}, QAttention);
}

}  // namespace onnxcmp
