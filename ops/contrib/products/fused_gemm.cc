#include "evaluator/kernels/op_registry.h"
#include "ops/common/products/gemm_family.h"

namespace onnxcmp {
namespace {

// FusedGemm (com.microsoft 1): Y = activation(alpha * A' * B' + beta * C); a narrow float is
// rounded once, after the activation.
absl::StatusOr<Kernel> FusedGemm(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const Activation activation,
                      ReadActivation(node, node.String("activation", "")));
  return [attributes = GemmAttributes(node), activation](KernelContext& ctx) {
    return RunGemm(ctx, attributes, activation);
  };
}

}  // namespace

void RegisterContribFusedGemm(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "FusedGemm", {1}, FusedGemm);
}

}  // namespace onnxcmp
