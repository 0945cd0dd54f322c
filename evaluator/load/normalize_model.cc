#include "evaluator/load/normalize_model.h"

#include "absl/strings/str_cat.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/proto_walk.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

constexpr int64_t kOldestIrVersion = 3;

template <typename Message>
void NormalizeDomain(Message* message) {
  if (message->domain() == "ai.onnx") message->clear_domain();
}

void InferAttributeType(onnx::AttributeProto* attribute) {
  if (attribute->type() != onnx::AttributeProto::UNDEFINED) return;
  if (attribute->has_f()) attribute->set_type(onnx::AttributeProto::FLOAT);
  if (attribute->has_i()) attribute->set_type(onnx::AttributeProto::INT);
  if (attribute->has_s()) attribute->set_type(onnx::AttributeProto::STRING);
  if (attribute->has_t()) attribute->set_type(onnx::AttributeProto::TENSOR);
  if (attribute->has_g()) attribute->set_type(onnx::AttributeProto::GRAPH);
  if (attribute->has_tp()) attribute->set_type(onnx::AttributeProto::TYPE_PROTO);
  if (attribute->floats_size() > 0) attribute->set_type(onnx::AttributeProto::FLOATS);
  if (attribute->ints_size() > 0) attribute->set_type(onnx::AttributeProto::INTS);
  if (attribute->strings_size() > 0) attribute->set_type(onnx::AttributeProto::STRINGS);
  if (attribute->graphs_size() > 0) attribute->set_type(onnx::AttributeProto::GRAPHS);
}

template <typename Nodes>
absl::Status NormalizeNodes(Nodes* nodes) {
  for (onnx::NodeProto& node : *nodes) {
    NormalizeDomain(&node);
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      InferAttributeType(&attribute);
    }
    OC_RETURN_IF_ERROR(
        ForEachSubgraph(&node, [&](const onnx::AttributeProto&, onnx::GraphProto* graph) {
          return NormalizeNodes(graph->mutable_node());
        }));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status NormalizeModel(onnx::ModelProto* model) {
  if (!model->has_graph()) {
    return absl::InvalidArgumentError("it is no ONNX model: it holds no graph");
  }
  if (model->ir_version() < kOldestIrVersion) {
    return absl::InvalidArgumentError(absl::StrCat("IR version ", model->ir_version(),
                                                   " is not supported; the oldest is ",
                                                   kOldestIrVersion, " (ONNX 1.0)"));
  }
  for (auto& import : *model->mutable_opset_import()) NormalizeDomain(&import);
  OC_RETURN_IF_ERROR(NormalizeNodes(model->mutable_graph()->mutable_node()));
  for (onnx::FunctionProto& function : *model->mutable_functions()) {
    NormalizeDomain(&function);
    for (auto& import : *function.mutable_opset_import()) NormalizeDomain(&import);
    for (onnx::AttributeProto& attribute : *function.mutable_attribute_proto()) {
      InferAttributeType(&attribute);
    }
    OC_RETURN_IF_ERROR(NormalizeNodes(function.mutable_node()));
  }
  return absl::OkStatus();
}

template <typename ModelOrFunction>
absl::StatusOr<OpsetImports> ImportsOf(const ModelOrFunction& proto) {
  OpsetImports imports;
  for (const onnx::OperatorSetIdProto& import : proto.opset_import()) {
    auto [known, added] = imports.emplace(import.domain(), import.version());
    if (!added && known->second != import.version()) {
      return absl::InvalidArgumentError(
          absl::StrCat("it imports versions ", known->second, " and ", import.version(),
                       " of the operators of domain ",
                       Quoted(import.domain().empty() ? "ai.onnx" : import.domain())));
    }
  }
  return imports;
}

template absl::StatusOr<OpsetImports> ImportsOf(const onnx::ModelProto&);
template absl::StatusOr<OpsetImports> ImportsOf(const onnx::FunctionProto&);

}  // namespace onnxcmp
