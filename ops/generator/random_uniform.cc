#include "evaluator/kernels/op_registry.h"
#include "ops/generator/random.h"

namespace onnxcmp {
namespace {

// RandomUniform (ai.onnx 1, 22): numbers that are evenly distributed from `low` to `high`.
absl::StatusOr<Kernel> RandomUniform(const KernelInit& node) {
  const double low = node.Float("low");
  const double high = node.Float("high");
  return RandomKernel(node, /*like=*/false, low, high - low, FillUniform);
}

}  // namespace

void RegisterRandomUniform(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "RandomUniform", AllVersions(1, 22), RandomUniform);
}

}  // namespace onnxcmp
