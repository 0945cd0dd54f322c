#include <string>
#include <vector>

#include "evaluator/op_registry.h"
#include "ops/common/gemm_family.h"

namespace onnxcmp {
namespace {

// FusedGemm (com.microsoft 1): Y = activation(alpha * A' * B' + beta * C); a narrow float is
// rounded once, after the activation.
Kernel FusedGemm(const KernelInit& node) {
  const std::string name = node.String("activation", "");
  // Those that are there, in this order: Selu has no beta.
  std::vector<float> parameters;
  for (const char* attribute : {"activation_alpha", "activation_beta", "activation_gamma"}) {
    if (node.Has(attribute)) parameters.push_back(node.Float(attribute));
  }
  absl::StatusOr<Activation> activation = Activation::Make(name, parameters);
  if (!activation.ok()) return node.Fail(activation.status());
  return [attributes = GemmAttributes(node), activation = *activation](KernelContext& ctx) {
    return RunGemm(ctx, attributes, activation);
  };
}

}  // namespace

void RegisterContribFusedGemm(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "FusedGemm", {1}, FusedGemm);
}

}  // namespace onnxcmp
