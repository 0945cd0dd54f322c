#include <cmath>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// The gradients of activations, as onnxruntime's training graphs carry them: dX = dY * f'(X), where
// f' is written in X or in Y = f(X).

// d/dx of x / 2 * (1 + erf(x / sqrt(2))).
template <typename X>
auto GeluSlope(const X& x) {
  using T = typename X::Scalar;
  const T inverse_root = std::numbers::sqrt2_v<T> / 2;
  const T density = inverse_root * std::numbers::inv_sqrtpi_v<T>;
  return (vec::Erf(x * inverse_root) + T{1}) * T{0.5} + x * vec::Exp(x * x * T{-0.5}) * density;
}

// d/dx of x / 2 * (1 + tanh(a * (x + b * x^3))), a = sqrt(2 / pi), b = 0.044715.
template <typename X>
auto FastGeluSlope(const X& x) {
  using T = typename X::Scalar;
  const T a = std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;
  const T b = static_cast<T>(0.044715);
  const auto tanh = vec::Tanh((x + x * x * x * b) * a);
  return (tanh + T{1} + (T{1} - tanh * tanh) * (x + x * x * x * (3 * b)) * a) * T{0.5};
}

// ReluGrad (com.microsoft 1): dX = dY where X > 0, else 0.
absl::Status ReluGrad(KernelContext& ctx) {
  return EmitBinary<Floats>(ctx, [](auto dy, auto x) {
    using T = typename decltype(x)::Scalar;
    return x.binaryExpr(dy, [](T value, T gradient) { return value > 0 ? gradient : T{0}; });
  });
}

// LeakyReluGrad (com.microsoft 1): dX = dY where Y > 0, else alpha * dY.
Kernel LeakyReluGrad(const KernelInit& node) {
  return [alpha = node.Float("alpha")](KernelContext& ctx) {
    return EmitBinary<Floats>(ctx, [alpha](auto dy, auto y) {
      using T = typename decltype(y)::Scalar;
      return y.binaryExpr(
          dy, [alpha](T value, T gradient) { return value > 0 ? gradient : T{alpha} * gradient; });
    });
  };
}

// SigmoidGrad (com.microsoft 1): dX = dY * Y * (1 - Y).
absl::Status SigmoidGrad(KernelContext& ctx) {
  return EmitBinary<Floats>(ctx, [](auto dy, auto y) {
    using T = typename decltype(y)::Scalar;
    return dy * y * (T{1} - y);
  });
}

// TanhGrad (com.microsoft 1): dX = dY * (1 - Y * Y).
absl::Status TanhGrad(KernelContext& ctx) {
  return EmitBinary<Floats>(ctx, [](auto dy, auto y) {
    using T = typename decltype(y)::Scalar;
    return dy * (T{1} - y * y);
  });
}

// SinGrad (ai.onnx 9, an operator of onnxruntime's): dX = dY * cos(X).
absl::Status SinGrad(KernelContext& ctx) {
  return EmitBinary<Floats>(ctx, [](auto dy, auto x) { return dy * vec::Cos(x); });
}

// GeluGrad (com.microsoft 1): the gradient of Gelu with erf.
absl::Status GeluGrad(KernelContext& ctx) {
  return EmitBinary<Floats>(ctx, [](auto dy, auto x) {
    using T = typename decltype(x)::Scalar;
    return dy * vec::StripValue<T>(vec::Strip<T>(GeluSlope(x)));
  });
}

// FastGeluGrad (com.microsoft 1): the gradient of Gelu with tanh.
absl::Status FastGeluGrad(KernelContext& ctx) {
  return EmitBinary<Floats>(ctx, [](auto dy, auto x) {
    using T = typename decltype(x)::Scalar;
    return dy * vec::StripValue<T>(vec::Strip<T>(FastGeluSlope(x)));
  });
}

// QuickGeluGrad (com.microsoft 1): with s = sigmoid(alpha * X),
// dX = dY * s * (1 + alpha * X * (1 - s)).
Kernel QuickGeluGrad(const KernelInit& node) {
  return [alpha = node.Float("alpha")](KernelContext& ctx) {
    return EmitBinary<Floats>(ctx, [alpha](auto dy, auto x) {
      using T = typename decltype(x)::Scalar;
      const auto s = vec::Sigmoid(x * T{alpha});
      return dy * s * (x * T{alpha} * (T{1} - s) + T{1});
    });
  };
}

absl::Status CheckFusedBias(const KernelContext& ctx) {
  const Tensor& x = ctx.Input(1);
  const Tensor& bias = ctx.Input(2);
  if (x.rank() > 0 && bias.rank() == 1 && bias.dim(0) == x.shape().back()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("B must be a vector of the size of the last dimension of X, but X is ",
                   x.TypeString(), " and B ", bias.TypeString()));
}

// dX = dY * slope(X + B).
template <typename F>
absl::Status EmitBiasGrad(KernelContext& ctx, const F& f) {
  OC_RETURN_IF_ERROR(CheckFusedBias(ctx));
  return EmitStrips(ctx, {&ctx.Input(0), &ctx.Input(1), &ctx.Input(2)}, kStripKernels<Floats, 3, F>,
                    &f, DType::kUndefined);
}

// BiasGeluGrad_dX (com.microsoft 1): the gradient of BiasGelu for its first input.
absl::Status BiasGeluGrad(KernelContext& ctx) {
  return EmitBiasGrad(ctx, [](auto dy, auto x, auto bias) {
    using T = typename decltype(x)::Scalar;
    const vec::Strip<T> sum = x + bias;
    return dy * vec::StripValue<T>(vec::Strip<T>(GeluSlope(sum)));
  });
}

// BiasFastGeluGrad_dX (com.microsoft 1): the gradient of FastGelu with a bias for its first input.
absl::Status BiasFastGeluGrad(KernelContext& ctx) {
  return EmitBiasGrad(ctx, [](auto dy, auto x, auto bias) {
    using T = typename decltype(x)::Scalar;
    const vec::Strip<T> sum = x + bias;
    return dy * vec::StripValue<T>(vec::Strip<T>(FastGeluSlope(sum)));
  });
}

}  // namespace

void RegisterTrainingActivationGrads(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BiasFastGeluGrad_dX", {1}, BiasFastGeluGrad);
  registry.Add(kMicrosoftDomain, "BiasGeluGrad_dX", {1}, BiasGeluGrad);
  registry.Add(kMicrosoftDomain, "FastGeluGrad", {1}, FastGeluGrad);
  registry.Add(kMicrosoftDomain, "GeluGrad", {1}, GeluGrad);
  registry.Add(kMicrosoftDomain, "LeakyReluGrad", {1}, LeakyReluGrad);
  registry.Add(kMicrosoftDomain, "QuickGeluGrad", {1}, QuickGeluGrad);
  registry.Add(kMicrosoftDomain, "ReluGrad", {1}, ReluGrad);
  registry.Add(kMicrosoftDomain, "SigmoidGrad", {1}, SigmoidGrad);
  registry.Add(kMicrosoftDomain, "TanhGrad", {1}, TanhGrad);
  registry.Add(kOnnxDomain, "SinGrad", {9}, SinGrad);
}

}  // namespace onnxcmp
