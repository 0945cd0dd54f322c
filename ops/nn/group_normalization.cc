#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/normalization/group_norm.h"
#include "ops/common/normalization/layer_norm.h"

namespace onnxcmp {
namespace {

// GroupNormalization (ai.onnx 18, 21): Y = (X - mean) / sqrt(var + epsilon) * scale + bias with
// mean and variance of num_groups groups of channels of every batch entry. Version 18 has a scale
// and a bias for each group, 21 for each channel. Differs from the specification as
// LayerNormalization does: one rounding, and doubles are computed in double whatever stash_type
// says.
absl::StatusOr<Kernel> GroupNormalization(const KernelInit& node) {
  const int64_t groups = node.Int("num_groups");
  if (groups < 1) {
    return absl::InvalidArgumentError(absl::StrCat("num_groups must be positive, not ", groups));
  }
  if (node.version() >= 21 && !IsStashType(node.Int("stash_type"))) {
    return absl::InvalidArgumentError(
        absl::StrCat("stash_type ", node.Int("stash_type"), " is not a type of floats"));
  }
  const GroupNormOptions options = {groups, node.Float("epsilon"), node.version() < 21};
  return [options](KernelContext& ctx) { return EmitNormalizedGroups(ctx, options); };
}

}  // namespace

void RegisterGroupNormalization(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "GroupNormalization", {18, 21}, GroupNormalization);
}

}  // namespace onnxcmp
