// Conv and what onnxruntime fuses it with.
#ifndef ONNXCMP_OPS_COMMON_CONVOLUTION_CONV_FAMILY_H_
#define ONNXCMP_OPS_COMMON_CONVOLUTION_CONV_FAMILY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/convolution/convolution.h"
#include "ops/common/convolution/windows.h"
#include "ops/common/functions/activation.h"

namespace onnxcmp {

struct ConvAttributes {
  static absl::StatusOr<ConvAttributes> FromNode(const KernelInit& node);

  WindowAttributes windows;
  int64_t group;
};

// The activation that onnxruntime's fused convolutions apply to their result: the attributes
// `activation` (Relu, Sigmoid, Tanh, LeakyRelu, Clip, HardSigmoid, HardSwish, or none) and
// `activation_params`.
absl::StatusOr<Activation> FusedConvActivation(const KernelInit& node);

struct ConvPlan {
  ConvolutionShape shape;
  Shape output;
};

// Checks X (N x C x D1 ... Dn), W (M x C/group x k1 ... kn) and the optional B (M) against each
// other.
absl::StatusOr<ConvPlan> PlanConv(const ConvAttributes& attributes, const Tensor& x,
                                  const Tensor& w, const Tensor* bias);

// The multiplications of a convolution, which may be many though X, W and Y are small.
double ConvWork(const ConvPlan& plan);

// Y = activation(conv(X, W) + B + Z): inputs 0, 1, and the optional 2 and 3. Z has Y's shape.
absl::Status RunConv(KernelContext& ctx, const ConvAttributes& attributes,
                     const Activation& activation);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_CONVOLUTION_CONV_FAMILY_H_
