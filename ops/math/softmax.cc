#include "ops/common/reduction/softmax.h"

#include "evaluator/kernels/op_registry.h"
#include "ops/math/softmax_family.h"

namespace onnxcmp {
namespace {

// Softmax (ai.onnx 1, 11, 13): exp(x - max) / sum(exp(x - max)) of every lane. Differs from the
// function body of 13: narrow floats are rounded once, not after every step.
Kernel Softmax(const KernelInit& node) {
  return SoftmaxFamilyKernel(node, {SoftmaxLane<float>, SoftmaxLane<double>});
}

}  // namespace

void RegisterSoftmax(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Softmax", {1, 11, 13}, Softmax);
}

}  // namespace onnxcmp
