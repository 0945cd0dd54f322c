#include <array>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// 1 / (1 - ratio) from the optional input `index`, 0.5 without it.
absl::StatusOr<double> Scale(const KernelContext& ctx, int index) {
  double ratio = 0.5;
  if (ctx.HasInput(index)) {
    OC_ASSIGN_OR_RETURN(ratio, ctx.ScalarInput<double>(index));
  }
  if (!(ratio >= 0 && ratio < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("ratio ", ratio, " is not in [0, 1)"));
  }
  return 1 / (1 - ratio);
}

// dx = dy / (1 - ratio) where the mask is set, else 0.
absl::Status Emit(KernelContext& ctx, const Tensor& mask) {
  const Tensor& dy = ctx.Input(0);
  if (mask.shape() != dy.shape()) {
    return absl::InvalidArgumentError(
        absl::StrCat("dy is ", dy.TypeString(), ", the mask ", mask.TypeString()));
  }
  OC_ASSIGN_OR_RETURN(double scale, Scale(ctx, 2));
  if (ctx.HasInput(3)) {
    OC_ASSIGN_OR_RETURN(const bool training, ctx.ScalarInput<bool>(3));
    if (!training) return ctx.SetOutput(0, dy);
  }
  OC_ASSIGN_OR_RETURN(const Tensor keeps, LoadTensor<float>(ctx, mask));
  OC_ASSIGN_OR_RETURN(const Tensor factors, StoreTensor<float>(ctx, keeps, dy.dtype()));
  return EmitBinary<Floats>(ctx, dy, factors, [scale](auto gradient, auto factor) {
    using T = typename decltype(factor)::Scalar;
    return gradient.binaryExpr(factor, [scale](T value, T keep) {
      return keep != 0 ? value * static_cast<T>(scale) : T{0};
    });
  });
}

// DropoutGrad (com.microsoft 1): dx = dy * mask / (1 - ratio), where ratio is 0.5 if it is left
// out; dy itself if training_mode is false (which onnxruntime's CPU kernel does not look at).
absl::Status DropoutGrad(KernelContext& ctx) { return Emit(ctx, ctx.Input(1)); }

// BitmaskDropoutGrad (com.microsoft 1): the same with 32 elements of the mask in a uint32, the
// first one in the lowest bit.
absl::Status BitmaskDropoutGrad(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor words, ctx.ContiguousInput(1));
  const Tensor& dy = ctx.Input(0);
  const int64_t count = dy.num_elements();
  if (words.num_elements() < count / 32 + (count % 32 != 0 ? 1 : 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the mask ", words.TypeString(), " is too short for dy ", dy.TypeString()));
  }
  OC_ASSIGN_OR_RETURN(Tensor mask, ctx.Allocate(DType::kBool, dy.shape()));
  auto* bits = mask.mutable_data<uint8_t>();
  for (int64_t i = 0; i < count; ++i) {
    bits[i] = words.data<uint32_t>()[i / 32] >> (i % 32) & 1;
  }
  return Emit(ctx, mask);
}

}  // namespace

void RegisterTrainingDropoutGrad(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BitmaskDropoutGrad", {1}, BitmaskDropoutGrad);
  registry.Add(kMicrosoftDomain, "DropoutGrad", {1}, DropoutGrad);
}

}  // namespace onnxcmp
