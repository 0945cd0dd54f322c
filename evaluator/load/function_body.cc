#include "evaluator/load/function_body.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/function_table.h"
#include "evaluator/load/model_builder.h"
#include "evaluator/load/node_proto.h"
#include "evaluator/load/normalize_model.h"
#include "evaluator/load/onnx_library.h"
#include "evaluator/model/outer_names.h"
#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

// The message of the body; false if there is none for this node.
absl::StatusOr<bool> BodyMessage(const onnx::NodeProto& node, const ResolvedOperator& op,
                                 absl::Span<const TypeInfo> types, onnx::FunctionProto* body) {
  const auto version = static_cast<int>(op.opset_version);
  if (const onnx::FunctionProto* fixed = op.schema->GetFunction(version); fixed != nullptr) {
    *body = *fixed;
    return true;
  }
  std::vector<onnx::TypeProto> messages(types.size());
  for (size_t i = 0; i < types.size(); ++i) TypeToProto(types[i], &messages[i]);
  return BuildBodyWithOnnx(*op.schema, node, messages, op.opset_version, body);
}

// The attributes of the schema that the node leaves out.
void AddDefaults(const onnx::OpSchema& schema, onnx::NodeProto* node) {
  absl::flat_hash_set<std::string> given;
  for (const onnx::AttributeProto& attribute : node->attribute()) given.insert(attribute.name());
  for (const auto& [name, attribute] : schema.attributes()) {
    if (given.contains(name) || !attribute.default_value.has_name()) continue;
    *node->add_attribute() = attribute.default_value;
  }
}

}  // namespace

BodyKind BodyKindOf(const onnx::OpSchema& schema, int64_t opset_version) {
  const auto version =
      static_cast<int>(std::min<int64_t>(opset_version, std::numeric_limits<int>::max()));
  if (schema.GetFunction(version) != nullptr) return BodyKind::kStatic;
  const std::vector<int> versions = schema.context_dependent_function_opset_versions();
  const bool there = std::any_of(versions.begin(), versions.end(),
                                 [&](int available) { return available <= version; });
  return there ? BodyKind::kDependent : BodyKind::kNone;
}

absl::StatusOr<std::shared_ptr<const Graph>> FunctionAsGraph(const Node& node,
                                                             const ResolvedOperator& op,
                                                             onnx::FunctionProto function,
                                                             const OpRegistry& registry) {
  onnx::NodeProto call;
  std::vector<const Node*> inner;
  OC_RETURN_IF_ERROR(NodeToProto(node, &call, &inner));
  AddDefaults(*op.schema, &call);

  LocalFunction local;
  local.proto = &function;
  local.bytes = static_cast<int64_t>(function.ByteSizeLong());
  OC_ASSIGN_OR_RETURN(OpsetImports imports, ImportsOf(function));
  imports.insert(op.imports->begin(), op.imports->end());
  local.imports = std::make_shared<const OpsetImports>(std::move(imports));
  const Origins origins;
  ExternalData external("");
  ModelBuilder builder(std::make_shared<const onnx::ModelProto>(), registry, origins,
                       /*kept=*/nullptr, &external);
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Graph> built,
                      builder.BuildCall(call, local, inner));

  auto body = std::make_shared<Graph>(*built);
  body->outputs.clear();
  for (size_t i = 0; i < node.outputs.size() && i < built->outputs.size(); ++i) {
    if (!node.outputs[i].empty()) body->outputs.push_back(built->outputs[i]);
  }
  return body;
}

absl::StatusOr<std::shared_ptr<const Graph>> FunctionBody(const Node& node,
                                                          const ResolvedOperator& op,
                                                          absl::Span<const TypeInfo> types,
                                                          absl::Span<const std::string> captured,
                                                          const OpRegistry& registry) {
  onnx::NodeProto call;
  std::vector<const Node*> inner;
  OC_RETURN_IF_ERROR(NodeToProto(node, &call, &inner));
  onnx::FunctionProto message;
  OC_ASSIGN_OR_RETURN(const bool there, BodyMessage(call, op, types, &message));
  if (!there) return nullptr;
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const Graph> graph,
                      FunctionAsGraph(node, op, std::move(message), registry));
  if (captured.empty()) return graph;
  auto body = std::make_shared<Graph>(*graph);
  // The graphs of the attributes are in the body now, in which a name may mean something else.
  absl::flat_hash_set<std::string> names;
  CollectNames(*body, &names);
  for (const std::string& name : captured) {
    if (names.contains(name)) {
      return absl::UnimplementedError(absl::StrCat(
          "its graph reads ", Quoted(name), ", a name that the operator's body uses itself"));
    }
    body->inputs.push_back(ValueInfo{name, {}});
  }
  return body;
}

}  // namespace onnxcmp
