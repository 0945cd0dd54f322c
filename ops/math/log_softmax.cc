#include "ops/common/reduction/softmax.h"

#include "evaluator/kernels/op_registry.h"
#include "ops/math/softmax_family.h"

namespace onnxcmp {
namespace {

// LogSoftmax (ai.onnx 1, 11, 13): x - max - log(sum(exp(x - max))) of every lane. Differs from the
// function body of 13: narrow floats are rounded once, not after every step.
Kernel LogSoftmax(const KernelInit& node) {
  return SoftmaxFamilyKernel(node, {LogSoftmaxLane<float>, LogSoftmaxLane<double>});
}

}  // namespace

void RegisterLogSoftmax(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "LogSoftmax", {1, 11, 13}, LogSoftmax);
}

}  // namespace onnxcmp
