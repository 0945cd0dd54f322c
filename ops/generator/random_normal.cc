#include "evaluator/kernels/op_registry.h"
#include "ops/generator/random.h"

namespace onnxcmp {
namespace {

// RandomNormal (ai.onnx 1, 22): numbers of the normal distribution of `mean` and standard deviation
// `scale`.
absl::StatusOr<Kernel> RandomNormal(const KernelInit& node) {
  return RandomKernel(node, /*like=*/false, node.Float("mean"), node.Float("scale"), FillNormal);
}

}  // namespace

void RegisterRandomNormal(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "RandomNormal", AllVersions(1, 22), RandomNormal);
}

}  // namespace onnxcmp
