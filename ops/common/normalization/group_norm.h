// Normalizing groups of channels: GroupNormalization, InstanceNormalization, GroupNorm.
#ifndef ONNXCMP_OPS_COMMON_NORMALIZATION_GROUP_NORM_H_
#define ONNXCMP_OPS_COMMON_NORMALIZATION_GROUP_NORM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct GroupNormOptions {
  int64_t groups;  // of channels; 0: every channel is a group
  float epsilon;
  bool scales_groups = false;  // scale and bias have a number for each group, else for each channel
  bool silu = false;           // y * Sigmoid(y) in the place of y
};

// (x - mean) / sqrt(var + epsilon) * scale + bias with the mean and the variance of each batch
// entry's groups; x (N x C x D1 ... Dn), scale and bias are the inputs 1 and 2. Of the type of x:
// computed in float, or double if x is double, and rounded once.
absl::StatusOr<Tensor> NormalizeGroups(const KernelContext& ctx, const Tensor& x,
                                       const GroupNormOptions& options);

// The same of input 0, to output 0.
absl::Status EmitNormalizedGroups(KernelContext& ctx, const GroupNormOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_NORMALIZATION_GROUP_NORM_H_
