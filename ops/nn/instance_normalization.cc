#include "evaluator/kernels/op_registry.h"
#include "ops/common/normalization/group_norm.h"

namespace onnxcmp {
namespace {

// InstanceNormalization (ai.onnx 1, 6, 22): Y = (X - mean) / sqrt(var + epsilon) * scale + B with
// mean and variance of every channel of every batch entry.
Kernel InstanceNormalization(const KernelInit& node) {
  const GroupNormOptions options = {0, node.Float("epsilon"), false};
  return [options](KernelContext& ctx) { return EmitNormalizedGroups(ctx, options); };
}

}  // namespace

void RegisterInstanceNormalization(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "InstanceNormalization", {1, 6, 22}, InstanceNormalization);
}

}  // namespace onnxcmp
