#include "evaluator/kernels/op_registry.h"
#include "ops/contrib/experts/experts.h"

namespace onnxcmp {
namespace {

// MoE (com.microsoft 1): for every token the sum over its k experts of p * fc2(activation(fc1(x)));
// p is the softmax of the router's numbers over all experts, divided by the sum of the k if
// normalize_routing_weights. gelu is its tanh form, as in onnxruntime. Narrow floats are computed
// in float and rounded once.
absl::StatusOr<Kernel> Moe(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const ExpertAttributes attributes, ReadExpertAttributes(node));
  return [attributes](KernelContext& ctx) {
    return RunDenseExperts(ctx, attributes, /*inputs_first=*/false);
  };
}

}  // namespace

void RegisterContribMoe(OpRegistry& registry) { registry.Add(kMicrosoftDomain, "MoE", {1}, Moe); }

}  // namespace onnxcmp
