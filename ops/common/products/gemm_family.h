// Gemm and what onnxruntime fuses it with.
#ifndef ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_FAMILY_H_
#define ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_FAMILY_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/kernel.h"
#include "ops/common/functions/activation.h"

namespace onnxcmp {

struct GemmAttributes {
  // Reads alpha, beta, transA, transB and, before version 7 of ai.onnx, broadcast.
  explicit GemmAttributes(const KernelInit& node);

  float alpha;
  float beta;
  bool transpose_a;
  bool transpose_b;
  bool broadcast;
};

// The activation `name`, which must not be empty, with the parameters that the attributes
// activation_alpha, activation_beta and activation_gamma hold.
absl::StatusOr<Activation> ReadActivation(const KernelInit& node, absl::string_view name);

// Y = activation(alpha * A' * B' + beta * C), C being optional and broadcast to Y.
absl::Status RunGemm(KernelContext& ctx, const GemmAttributes& attributes,
                     const Activation& activation);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_PRODUCTS_GEMM_FAMILY_H_
