#include <array>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/extended/domains.h"

namespace onnxcmp {
namespace {

// All operators here broadcast as NumPy does, and as the reference implementations in Python; the
// CUDA kernels repeat a shorter input cyclically, which is the same for every shape that they
// accept rightly. Narrow floats are rounded once, not after each operation.

// output = f(inputs), of the first one's dtype.
template <size_t kInputs, typename F>
absl::StatusOr<Tensor> Fused(const KernelContext& ctx, const F& f) {
  std::array<const Tensor*, kInputs> inputs;
  for (size_t i = 0; i < kInputs; ++i) inputs[i] = &ctx.Input(static_cast<int>(i));
  return Elementwise(Floats{}, ctx, inputs, inputs[0]->dtype(), f);
}

template <size_t kInputs, typename F>
Kernel FusedKernel(F f) {
  return [f](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor y, Fused<kInputs>(ctx, f));
    return ctx.SetOutput(0, std::move(y));
  };
}

// AddAdd (onnx_extended.ortops.optim.cuda 1): x + y + z.
Kernel AddAdd(const KernelInit&) {
  return FusedKernel<3>([](auto x, auto y, auto z) { return x + y + z; });
}

// MulMul (onnx_extended.ortops.optim.cuda 1): x * y * z.
Kernel MulMul(const KernelInit&) {
  return FusedKernel<3>([](auto x, auto y, auto z) { return x * y * z; });
}

// AddAddAdd (onnx_extended.ortops.optim.cuda 1): x + y + z + w.
Kernel AddAddAdd(const KernelInit&) {
  return FusedKernel<4>([](auto x, auto y, auto z, auto w) { return x + y + z + w; });
}

// MulMulMul (onnx_extended.ortops.optim.cuda 1): x * y * z * w.
Kernel MulMulMul(const KernelInit&) {
  return FusedKernel<4>([](auto x, auto y, auto z, auto w) { return x * y * z * w; });
}

// f(x, y, z); with transposeMiddle the two middle axes of the four are exchanged then.
template <typename F>
Kernel WithTransposeMiddle(const KernelInit& node, F f) {
  const bool transpose = node.Int("transposeMiddle") != 0;
  return [transpose, f](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor y, Fused<3>(ctx, f));
    if (!transpose) return ctx.SetOutput(0, std::move(y));
    if (y.rank() != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("transposeMiddle needs a result of rank 4, it is ", y.TypeString()));
    }
    Shape shape = y.shape();
    Shape strides = y.strides();
    std::swap(shape[1], shape[2]);
    std::swap(strides[1], strides[2]);
    return ctx.SetOutput(0, y.Strided(shape, strides, y.offset()));
  };
}

// AddMul (onnx_extended.ortops.optim.cuda 1): (x + y) * z.
Kernel AddMul(const KernelInit& node) {
  return WithTransposeMiddle(node, [](auto x, auto y, auto z) { return (x + y) * z; });
}

// MulAdd (onnx_extended.ortops.optim.cuda 1): x * y + z.
Kernel MulAdd(const KernelInit& node) {
  return WithTransposeMiddle(node, [](auto x, auto y, auto z) { return x * y + z; });
}

// SubMul (onnx_extended.ortops.optim.cuda 1): (x - y) * z, or (y - x) * z if negative.
Kernel SubMul(const KernelInit& node) {
  if (node.Flag("negative")) {
    return FusedKernel<3>([](auto x, auto y, auto z) { return (y - x) * z; });
  }
  return FusedKernel<3>([](auto x, auto y, auto z) { return (x - y) * z; });
}

// MulSub (onnx_extended.ortops.optim.cuda 1): x * y - z, or z - x * y if negative.
Kernel MulSub(const KernelInit& node) {
  if (node.Flag("negative")) {
    return FusedKernel<3>([](auto x, auto y, auto z) { return z - x * y; });
  }
  return FusedKernel<3>([](auto x, auto y, auto z) { return x * y - z; });
}

// f(x, y) and f(x, z).
template <typename F>
absl::Status EmitSharedInput(KernelContext& ctx, const F& f) {
  for (int i = 0; i < 2; ++i) {
    const std::array<const Tensor*, 2> inputs = {&ctx.Input(0), &ctx.Input(1 + i)};
    OC_ASSIGN_OR_RETURN(Tensor y, Elementwise(Floats{}, ctx, inputs, inputs[0]->dtype(), f));
    OC_RETURN_IF_ERROR(ctx.SetOutput(i, std::move(y)));
  }
  return absl::OkStatus();
}

// AddSharedInput (onnx_extended.ortops.optim.cuda 1): x + y and x + z.
absl::Status AddSharedInput(KernelContext& ctx) {
  return EmitSharedInput(ctx, [](auto x, auto y) { return x + y; });
}

// MulSharedInput (onnx_extended.ortops.optim.cuda 1): x * y and x * z.
absl::Status MulSharedInput(KernelContext& ctx) {
  return EmitSharedInput(ctx, [](auto x, auto y) { return x * y; });
}

// MulSigmoid (onnx_extended.ortops.optim.cuda 1): x * sigmoid(x).
absl::Status MulSigmoid(KernelContext& ctx) {
  return EmitUnary<Floats>(ctx, [](auto x) { return x * vec::Sigmoid(x); });
}

// MulMulSigmoid (onnx_extended.ortops.optim.cuda 1): x * y * sigmoid(y).
absl::Status MulMulSigmoid(KernelContext& ctx) {
  return EmitBinary<Floats>(ctx, [](auto x, auto y) { return x * y * vec::Sigmoid(y); });
}

// NegXplus1 (onnx_extended.ortops.optim.cuda 1): 1 - x. Integers wrap.
absl::Status NegXplus1(KernelContext& ctx) {
  return EmitUnary<Wrapping>(ctx, [](auto x) {
    using T = typename decltype(x)::Scalar;
    return T{1} - x;
  });
}

}  // namespace

void RegisterExtendedFusedElementwise(OpRegistry& registry) {
  AddFusedKernel(registry, "AddAdd", AddAdd);
  AddFusedKernel(registry, "MulMul", MulMul);
  AddFusedKernel(registry, "AddAddAdd", AddAddAdd);
  AddFusedKernel(registry, "MulMulMul", MulMulMul);
  AddFusedKernel(registry, "AddMul", AddMul);
  AddFusedKernel(registry, "MulAdd", MulAdd);
  AddFusedKernel(registry, "SubMul", SubMul);
  AddFusedKernel(registry, "MulSub", MulSub);
  AddFusedKernel(registry, "AddSharedInput", AddSharedInput);
  AddFusedKernel(registry, "MulSharedInput", MulSharedInput);
  AddFusedKernel(registry, "MulSigmoid", MulSigmoid);
  AddFusedKernel(registry, "MulMulSigmoid", MulMulSigmoid);
  AddFusedKernel(registry, "NegXplus1", NegXplus1);
}

}  // namespace onnxcmp
