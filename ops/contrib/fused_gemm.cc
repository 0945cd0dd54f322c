#include <string>
#include <vector>

#include "evaluator/op_registry.h"
#include "ops/common/gemm_family.h"
#include "ops/contrib/schema.h"

namespace onnxcmp {
namespace {

onnx::OpSchema FusedGemmSchema() {
  return ContribSchema("FusedGemm", "Y = activation(alpha * A' * B' + beta * C)")
      .Input(0, "A", "", "T")
      .Input(1, "B", "", "T")
      .Input(2, "C", "", "T", onnx::OpSchema::Optional)
      .Output(0, "Y", "", "T")
      .Attr("transA", "", onnx::AttributeProto::INT, int64_t{0})
      .Attr("transB", "", onnx::AttributeProto::INT, int64_t{0})
      .Attr("alpha", "", onnx::AttributeProto::FLOAT, 1.0f)
      .Attr("beta", "", onnx::AttributeProto::FLOAT, 1.0f)
      .Attr("activation", "", onnx::AttributeProto::STRING, false)
      .Attr("activation_alpha", "", onnx::AttributeProto::FLOAT, false)
      .Attr("activation_beta", "", onnx::AttributeProto::FLOAT, false)
      .Attr("activation_gamma", "", onnx::AttributeProto::FLOAT, false)
      .TypeConstraint("T",
                      {"tensor(float16)", "tensor(float)", "tensor(double)", "tensor(uint32)",
                       "tensor(uint64)", "tensor(int32)", "tensor(int64)"},
                      "");
}

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
  registry.AddSchema(FusedGemmSchema());
  registry.Add(kMicrosoftDomain, "FusedGemm", {1}, FusedGemm);
}

}  // namespace onnxcmp
