#include "evaluator/load/nesting.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/proto_walk.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

constexpr int kDeepestType = 16;  // levels of sequences, optionals and maps in one another

absl::Status CheckType(const onnx::TypeProto& type, absl::string_view of) {
  const onnx::TypeProto* inner = &type;
  for (int depth = 0; inner != nullptr; ++depth) {
    if (depth > kDeepestType) {
      return absl::ResourceExhaustedError(absl::StrCat("the type of ", Quoted(of),
                                                       " is nested deeper than ", kDeepestType,
                                                       ", which is the limit"));
    }
    inner = inner->has_sequence_type()   ? &inner->sequence_type().elem_type()
            : inner->has_optional_type() ? &inner->optional_type().elem_type()
            : inner->has_map_type()      ? &inner->map_type().value_type()
                                         : nullptr;
  }
  return absl::OkStatus();
}

absl::Status CheckTypes(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& values) {
  for (const onnx::ValueInfoProto& value : values) {
    OC_RETURN_IF_ERROR(CheckType(value.type(), value.name()));
  }
  return absl::OkStatus();
}

absl::Status CheckTypes(const onnx::GraphProto& graph) {
  OC_RETURN_IF_ERROR(CheckTypes(graph.input()));
  OC_RETURN_IF_ERROR(CheckTypes(graph.output()));
  return CheckTypes(graph.value_info());
}

// `depth` subgraphs are around the nodes.
template <typename Nodes>
absl::Status CheckNodes(const Nodes& nodes, int depth, int max_depth) {
  for (const onnx::NodeProto& node : nodes) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      OC_RETURN_IF_ERROR(CheckType(attribute.tp(), attribute.name()));
      for (const onnx::TypeProto& type : attribute.type_protos()) {
        OC_RETURN_IF_ERROR(CheckType(type, attribute.name()));
      }
    }
    OC_RETURN_IF_ERROR(
        ForEachSubgraph(node, [&](const onnx::AttributeProto&, const onnx::GraphProto& graph) {
          if (depth >= max_depth) {
            return absl::ResourceExhaustedError(absl::StrCat(DescribeNode(node, ""),
                                                             " has a subgraph nested deeper than ",
                                                             max_depth, ", which is the limit"));
          }
          OC_RETURN_IF_ERROR(CheckTypes(graph));
          return CheckNodes(graph.node(), depth + 1, max_depth);
        }));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckNesting(const onnx::ModelProto& model, int max_depth) {
  OC_RETURN_IF_ERROR(CheckTypes(model.graph()));
  OC_RETURN_IF_ERROR(CheckNodes(model.graph().node(), /*depth=*/0, max_depth));
  for (const onnx::FunctionProto& function : model.functions()) {
    OC_RETURN_IF_ERROR(CheckTypes(function.value_info()));
    OC_RETURN_IF_ERROR(CheckNodes(function.node(), /*depth=*/0, max_depth));
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
