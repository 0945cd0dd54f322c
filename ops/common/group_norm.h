// Normalizing groups of channels: GroupNormalization, InstanceNormalization.
#ifndef ONNXCMP_OPS_COMMON_GROUP_NORM_H_
#define ONNXCMP_OPS_COMMON_GROUP_NORM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "evaluator/kernel.h"

namespace onnxcmp {

struct GroupNormOptions {
  int64_t groups;  // of channels; 0: every channel is a group
  float epsilon;
  bool scales_groups;  // scale and bias have a number for each group, else for each channel
};

// Y = (X - mean) / sqrt(var + epsilon) * scale + bias with the mean and the variance of each batch
// entry's groups. Inputs X (N x C x D1 ... Dn), scale, bias. Computed in float, or double if X is
// double, and rounded once.
absl::Status NormalizeGroups(KernelContext& ctx, const GroupNormOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_GROUP_NORM_H_
