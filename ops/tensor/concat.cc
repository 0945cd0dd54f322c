#include <cstdint>
#include <vector>

#include "evaluator/kernel.h"
#include "evaluator/op_registry.h"
#include "ops/common/axes.h"
#include "ops/common/concat.h"

namespace onnxcmp {
namespace {

// Concat (ai.onnx 1, 4, 11, 13): the inputs one behind the other along `axis` (in version 1, 1 by
// default).
Kernel Concat(const KernelInit& node) {
  const int64_t attribute = node.version() == 1 ? node.Int("axis", 1) : node.Int("axis");
  return [attribute](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, ctx.Input(0).rank()));
    std::vector<Tensor> tensors;
    for (int i = 0; i < ctx.num_inputs(); ++i) tensors.push_back(ctx.Input(i));
    OC_ASSIGN_OR_RETURN(Tensor result, Concatenated(ctx, tensors, axis));
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterConcat(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Concat", {1, 4, 11, 13}, Concat);
}

}  // namespace onnxcmp
