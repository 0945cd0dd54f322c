#include "evaluator/kernels/op_registry.h"
#include "ops/generator/random.h"

namespace onnxcmp {
namespace {

// RandomUniformLike (ai.onnx 1, 22): numbers that are evenly distributed from `low` to `high`. The
// shape, and by default the type, are the input's.
absl::StatusOr<Kernel> RandomUniformLike(const KernelInit& node) {
  const double low = node.Float("low");
  const double high = node.Float("high");
  return RandomKernel(node, /*like=*/true, low, high - low, FillUniform);
}

}  // namespace

void RegisterRandomUniformLike(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "RandomUniformLike", AllVersions(1, 22), RandomUniformLike);
}

}  // namespace onnxcmp
