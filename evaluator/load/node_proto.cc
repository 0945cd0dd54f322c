#include "evaluator/load/node_proto.h"

#include <memory>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/model_builder.h"
#include "evaluator/protos/tensor_proto.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

template <typename TensorType>
void TensorTypeToProto(const TypeInfo& type, TensorType* proto) {
  proto->set_elem_type(static_cast<int>(type.dtype));
  if (!type.shape.has_value()) return;
  onnx::TensorShapeProto* shape = proto->mutable_shape();
  for (const TypeInfo::Dim& dim : *type.shape) {
    auto* out = shape->add_dim();
    if (dim.value.has_value()) {
      out->set_dim_value(*dim.value);
    } else if (!dim.symbol.empty()) {
      out->set_dim_param(dim.symbol);
    }
  }
}

void ValueInfoToProto(const ValueInfo& info, onnx::ValueInfoProto* proto) {
  proto->set_name(info.name);
  if (info.type.kind != TypeInfo::Kind::kUnknown) TypeToProto(info.type, proto->mutable_type());
}

// Writes each alternative of an attribute's value.
struct AttributeWriter {
  onnx::AttributeProto* proto;
  AddNode add;

  using Proto = onnx::AttributeProto;
  using GraphPtr = std::shared_ptr<const Graph>;

  absl::Status operator()(int64_t value) const {
    proto->set_type(Proto::INT);
    proto->set_i(value);
    return absl::OkStatus();
  }
  absl::Status operator()(float value) const {
    proto->set_type(Proto::FLOAT);
    proto->set_f(value);
    return absl::OkStatus();
  }
  absl::Status operator()(const std::string& value) const {
    proto->set_type(Proto::STRING);
    proto->set_s(value);
    return absl::OkStatus();
  }
  absl::Status operator()(const Tensor& value) const {
    proto->set_type(Proto::TENSOR);
    return TensorToProto(value, "", proto->mutable_t());
  }
  absl::Status operator()(const TypeInfo& value) const {
    proto->set_type(Proto::TYPE_PROTO);
    TypeToProto(value, proto->mutable_tp());
    return absl::OkStatus();
  }
  absl::Status operator()(const GraphPtr& value) const {
    proto->set_type(Proto::GRAPH);
    return GraphToProto(*value, proto->mutable_g(), add);
  }
  absl::Status operator()(const std::vector<int64_t>& values) const {
    proto->set_type(Proto::INTS);
    for (int64_t value : values) proto->add_ints(value);
    return absl::OkStatus();
  }
  absl::Status operator()(const std::vector<float>& values) const {
    proto->set_type(Proto::FLOATS);
    for (float value : values) proto->add_floats(value);
    return absl::OkStatus();
  }
  absl::Status operator()(const std::vector<std::string>& values) const {
    proto->set_type(Proto::STRINGS);
    for (const std::string& value : values) proto->add_strings(value);
    return absl::OkStatus();
  }
  absl::Status operator()(const std::vector<GraphPtr>& values) const {
    proto->set_type(Proto::GRAPHS);
    for (const GraphPtr& value : values) {
      OC_RETURN_IF_ERROR(GraphToProto(*value, proto->add_graphs(), add));
    }
    return absl::OkStatus();
  }
  absl::Status operator()(const std::vector<Tensor>& values) const {
    proto->set_type(Proto::TENSORS);
    for (const Tensor& value : values) {
      OC_RETURN_IF_ERROR(TensorToProto(value, "", proto->add_tensors()));
    }
    return absl::OkStatus();
  }
  absl::Status operator()(const std::vector<TypeInfo>& values) const {
    proto->set_type(Proto::TYPE_PROTOS);
    for (const TypeInfo& value : values) TypeToProto(value, proto->add_type_protos());
    return absl::OkStatus();
  }
  absl::Status operator()(const SparseTensor& value) const {
    proto->set_type(Proto::SPARSE_TENSOR);
    return SparseTensorToProto(value, "", proto->mutable_sparse_tensor());
  }
};

}  // namespace

void TypeToProto(const TypeInfo& type, onnx::TypeProto* proto) {
  const TypeInfo unknown;
  const TypeInfo& element = type.element == nullptr ? unknown : *type.element;
  switch (type.kind) {
    case TypeInfo::Kind::kUnknown:
      break;
    case TypeInfo::Kind::kTensor:
      TensorTypeToProto(type, proto->mutable_tensor_type());
      break;
    case TypeInfo::Kind::kSparseTensor:
      TensorTypeToProto(type, proto->mutable_sparse_tensor_type());
      break;
    case TypeInfo::Kind::kSequence:
      TypeToProto(element, proto->mutable_sequence_type()->mutable_elem_type());
      break;
    case TypeInfo::Kind::kOptional:
      TypeToProto(element, proto->mutable_optional_type()->mutable_elem_type());
      break;
    case TypeInfo::Kind::kMap:
      proto->mutable_map_type()->set_key_type(static_cast<int>(type.dtype));
      TypeToProto(element, proto->mutable_map_type()->mutable_value_type());
      break;
  }
}

absl::Status GraphToProto(const Graph& graph, onnx::GraphProto* proto, AddNode add) {
  proto->set_name(graph.name);
  for (const ValueInfo& input : graph.inputs) ValueInfoToProto(input, proto->add_input());
  for (const ValueInfo& output : graph.outputs) ValueInfoToProto(output, proto->add_output());
  for (const Initializer& initializer : graph.initializers) {
    if (initializer.value.is_sparse()) {
      OC_RETURN_IF_ERROR(SparseTensorToProto(initializer.value.sparse(), initializer.name,
                                             proto->add_sparse_initializer()));
    } else {
      OC_RETURN_IF_ERROR(
          TensorToProto(initializer.value.tensor(), initializer.name, proto->add_initializer()));
    }
  }
  for (const Node& node : graph.nodes) OC_RETURN_IF_ERROR(add(node, proto));
  return absl::OkStatus();
}

absl::Status NodeToProto(const Node& node, onnx::NodeProto* proto, AddNode add) {
  proto->set_name(node.name);
  proto->set_domain(node.domain);
  proto->set_op_type(node.op_type);
  if (!node.overload.empty()) proto->set_overload(node.overload);
  for (const std::string& input : node.inputs) proto->add_input(input);
  for (const std::string& output : node.outputs) proto->add_output(output);
  for (const auto& [name, value] : node.attributes) {
    onnx::AttributeProto* attribute = proto->add_attribute();
    attribute->set_name(name);
    OC_RETURN_IF_ERROR(std::visit(AttributeWriter{attribute, add}, value));
  }
  return absl::OkStatus();
}

absl::Status NodeToProto(const Node& node, onnx::NodeProto* proto,
                         std::vector<const Node*>* inner) {
  return NodeToProto(node, proto, [inner](const Node& other, onnx::GraphProto* graph) {
    onnx::NodeProto* stand_in = graph->add_node();
    stand_in->set_domain(std::string(ModelBuilder::kGivenDomain));
    stand_in->set_op_type(absl::StrCat(inner->size()));
    inner->push_back(&other);
    for (const std::string& input : other.inputs) stand_in->add_input(input);
    for (const std::string& output : other.outputs) stand_in->add_output(output);
    return absl::OkStatus();
  });
}

}  // namespace onnxcmp
