#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/dropout.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/contrib/elementwise/bias.h"

namespace onnxcmp {
namespace {

struct DropoutForm {
  bool has_bias;  // inputs data, bias, residual, ratio, training_mode; else data, ratio, ...
  bool packs_mask;
};

// Bit i % 32 of word i / 32 is mask[i]; what the last word has left is 0.
absl::StatusOr<Tensor> PackMask(const KernelContext& ctx, const Tensor& mask) {
  const int64_t count = mask.num_elements();
  OC_ASSIGN_OR_RETURN(Tensor packed,
                      ctx.Allocate(DType::kUint32, {count / 32 + (count % 32 != 0)}));
  auto* words = packed.mutable_data<uint32_t>();
  std::fill_n(words, packed.num_elements(), uint32_t{0});
  const auto* bits = mask.data<uint8_t>();
  for (int64_t i = 0; i < count; ++i) {
    words[i / 32] |= uint32_t{bits[i]} << (i % 32);
  }
  return packed;
}

template <typename C>
absl::Status Run(KernelContext& ctx, const DropoutForm& form, const DropoutSeed& seed) {
  const Tensor& data = ctx.Input(0);
  const int ratio = form.has_bias ? 3 : 1;
  OC_ASSIGN_OR_RETURN(const std::optional<DropoutDraw> draw,
                      DrawOfInputs(ctx, ratio, ratio + 1, seed));
  const auto add = [](auto a, auto b) { return a + b; };
  Tensor y;
  if (form.has_bias) {
    if (ctx.Input(1).shape() != data.shape()) {
      OC_RETURN_IF_ERROR(CheckBias(data, ctx.Input(1)));
    }
    OC_ASSIGN_OR_RETURN(y, (ElementwiseIn<C, 2>(ctx, {&data, &ctx.Input(1)}, kDTypeOf<C>, add)));
  } else {
    OC_ASSIGN_OR_RETURN(y, LoadTensor<C>(ctx, data));
  }
  OC_ASSIGN_OR_RETURN(Tensor mask, ctx.Allocate(DType::kBool, data.shape()));
  if (draw.has_value()) {
    OC_ASSIGN_OR_RETURN(Tensor dropped, ctx.Allocate(kDTypeOf<C>, data.shape()));
    DropElements<C>(*draw, y.data<C>(), y.num_elements(), dropped.mutable_data<C>(),
                    mask.mutable_data<uint8_t>());
    y = std::move(dropped);
  } else {
    std::fill_n(mask.mutable_data<uint8_t>(), data.num_elements(), uint8_t{1});
  }
  if (form.has_bias && ctx.HasInput(2)) {
    const Tensor& residual = ctx.Input(2);
    if (residual.shape() != data.shape()) {
      return absl::InvalidArgumentError(
          absl::StrCat("residual is ", residual.TypeString(), ", but data ", data.TypeString()));
    }
    OC_ASSIGN_OR_RETURN(y, (ElementwiseIn<C, 2>(ctx, {&y, &residual}, kDTypeOf<C>, add)));
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, data.dtype()));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
  if (form.packs_mask && ctx.HasOutput(1)) {
    OC_ASSIGN_OR_RETURN(mask, PackMask(ctx, mask));
  }
  return ctx.SetOutput(1, std::move(mask));
}

// BiasDropout (com.microsoft 1): output = Dropout(data + bias, ratio) + residual; the bias has the
// shape of data, or is a vector of the size of its last dimension. Outside of training nothing is
// dropped; the numbers are those of ONNX's Dropout. Narrow floats are computed in float and rounded
// once.
//
// BitmaskBiasDropout has the mask's elements as bits of 32-bit words, the first one lowest;
// BitmaskDropout has no bias and no residual.
KernelMaker MakerOf(DropoutForm form) {
  return [form](const KernelInit& node) -> Kernel {
    return FloatKernel(0, [form, seed = DropoutSeed(node)]<typename C>(KernelContext& ctx) {
      return Run<C>(ctx, form, seed);
    });
  };
}

}  // namespace

void RegisterContribFusedDropout(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BiasDropout", {1},
               MakerOf({.has_bias = true, .packs_mask = false}));
  registry.Add(kMicrosoftDomain, "BitmaskBiasDropout", {1},
               MakerOf({.has_bias = true, .packs_mask = true}));
  registry.Add(kMicrosoftDomain, "BitmaskDropout", {1},
               MakerOf({.has_bias = false, .packs_mask = true}));
}

}  // namespace onnxcmp
