#include "evaluator/kernels/op_registry.h"
#include "ops/generator/random.h"

namespace onnxcmp {
namespace {

// RandomNormalLike (ai.onnx 1, 22): numbers of the normal distribution of `mean` and standard
// deviation `scale`. The shape, and by default the type, are the input's.
absl::StatusOr<Kernel> RandomNormalLike(const KernelInit& node) {
  return RandomKernel(node, /*like=*/true, node.Float("mean"), node.Float("scale"), FillNormal);
}

}  // namespace

void RegisterRandomNormalLike(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "RandomNormalLike", AllVersions(1, 22), RandomNormalLike);
}

}  // namespace onnxcmp
