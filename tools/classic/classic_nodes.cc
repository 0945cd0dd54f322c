#include "tools/classic/classic_nodes.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/protos/tensor_proto.h"
#include "onnx/onnx_pb.h"
#include "tools/parts/infer_shapes.h"

namespace onnxcmp {
namespace {

using Types = absl::flat_hash_map<std::string, const onnx::TypeProto*>;

// Inferred types take precedence over declared ones.
Types KnownTypes(const onnx::GraphProto& graph) {
  Types types;
  for (const auto* infos : {&graph.value_info(), &graph.input(), &graph.output()}) {
    for (const onnx::ValueInfoProto& info : *infos) {
      types.try_emplace(info.name(), &info.type());
    }
  }
  return types;
}

ClassicRow TypedRow(ClassicKind kind, const std::string& name, absl::string_view op_type,
                    const Types& types) {
  ClassicRow row;
  row.kind = kind;
  row.name = name;
  row.op_type = std::string(op_type);
  const auto it = types.find(name);
  if (it == types.end() || !it->second->has_tensor_type()) {
    return row;
  }
  const onnx::TypeProto::Tensor& type = it->second->tensor_type();
  const DType dtype = TypeFromProto(*it->second).dtype;
  row.dtype = dtype == DType::kString ? "object" : std::string(NumpyName(dtype));
  row.shape.emplace();  // an unknown rank counts as rank 0
  for (const onnx::TensorShapeProto::Dimension& dim : type.shape().dim()) {
    row.shape->push_back(
        {dim.has_dim_value() ? dim.dim_value() : 0, dim.has_dim_param() ? dim.dim_param() : ""});
  }
  return row;
}

}  // namespace

absl::StatusOr<std::vector<ClassicRow>> ClassicNodeRows(onnx::ModelProto& model,
                                                        ExternalData* external) {
  OC_RETURN_IF_ERROR(InferShapes(model, /*propagate=*/false));
  const onnx::GraphProto& graph = model.graph();
  const Types types = KnownTypes(graph);
  std::vector<ClassicRow> rows;
  for (const onnx::TensorProto& initializer : graph.initializer()) {
    OC_ASSIGN_OR_RETURN(Tensor tensor, TensorFromProto(initializer, nullptr, external));
    rows.push_back(
        MakeClassicRow(ClassicKind::kInitializer, initializer.name(), "INIT", std::move(tensor)));
  }
  for (const onnx::ValueInfoProto& input : graph.input()) {
    rows.push_back(TypedRow(ClassicKind::kInput, input.name(), "INPUT", types));
  }
  for (const onnx::NodeProto& node : graph.node()) {
    ClassicRow& row = rows.emplace_back();
    row.kind = ClassicKind::kNode;
    row.op_type = node.op_type();
    row.name = node.name();
    for (const std::string& output : node.output()) {
      rows.push_back(TypedRow(ClassicKind::kResult, output, node.op_type(), types));
    }
  }
  for (const onnx::ValueInfoProto& output : graph.output()) {
    rows.push_back(TypedRow(ClassicKind::kOutput, output.name(), "OUTPUT", types));
  }
  return rows;
}

}  // namespace onnxcmp
