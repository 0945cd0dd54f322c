#include <string>

#include "evaluator/op_registry.h"
#include "ops/common/conv_family.h"
#include "ops/contrib/schema.h"

namespace onnxcmp {
namespace {

onnx::OpSchema FusedConvSchema() {
  return ContribSchema("FusedConv", "Y = activation(conv(X, W) + B + Z)")
      .Input(0, "X", "", "T")
      .Input(1, "W", "", "T")
      .Input(2, "B", "", "T", onnx::OpSchema::Optional)
      .Input(3, "Z", "", "T", onnx::OpSchema::Optional)
      .Output(0, "Y", "", "T")
      .Attr("auto_pad", "", onnx::AttributeProto::STRING, std::string("NOTSET"))
      .Attr("kernel_shape", "", onnx::AttributeProto::INTS, false)
      .Attr("dilations", "", onnx::AttributeProto::INTS, false)
      .Attr("strides", "", onnx::AttributeProto::INTS, false)
      .Attr("pads", "", onnx::AttributeProto::INTS, false)
      .Attr("group", "", onnx::AttributeProto::INT, int64_t{1})
      .Attr("activation", "", onnx::AttributeProto::STRING, false)
      .Attr("activation_params", "", onnx::AttributeProto::FLOATS, false)
      .TypeConstraint("T", {"tensor(float16)", "tensor(float)", "tensor(double)"}, "");
}

// FusedConv (com.microsoft 1): Y = activation(conv(X, W) + B + Z); a narrow float is rounded once,
// after the activation.
Kernel FusedConv(const KernelInit& node) {
  absl::StatusOr<Activation> activation =
      Activation::Make(node.String("activation", ""), node.Floats("activation_params"));
  if (!activation.ok()) return node.Fail(activation.status());
  return [attributes = ConvAttributes(node), activation = *activation](KernelContext& ctx) {
    return RunConv(ctx, attributes, activation);
  };
}

}  // namespace

void RegisterContribFusedConv(OpRegistry& registry) {
  registry.AddSchema(FusedConvSchema());
  registry.Add(kMicrosoftDomain, "FusedConv", {1}, FusedConv);
}

}  // namespace onnxcmp
