#include "tests/fuzz/mutate_model.h"

#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "onnx/defs/schema.h"
#include "tests/fuzz/corner_values.h"

namespace onnxcmp::fuzz {
namespace {

template <typename T>
const T& At(absl::Span<const T> values, size_t index) {
  return values[index % values.size()];
}

void SetShape(const std::vector<int64_t>& dims, onnx::TensorProto* tensor) {
  tensor->clear_dims();
  for (const int64_t dim : dims) tensor->add_dims(dim);
}

}  // namespace

int64_t ModelMutator::Integer(int64_t near) {
  switch (Below(4)) {
    case 0:
      return static_cast<int64_t>(static_cast<uint64_t>(near) + 1);
    case 1:
      return static_cast<int64_t>(static_cast<uint64_t>(near) - 1);
    case 2:
      return static_cast<int64_t>(Below(12)) - 3;
    default:
      return At(CornerIntegers(), random_());
  }
}

float ModelMutator::Float(float near) {
  return OneIn(4) ? near * -3 : At(CornerFloats(), random_());
}

std::string ModelMutator::Text(const std::string& near) {
  if (near.empty() || !OneIn(4)) return At(CornerTexts(), random_());
  std::string text = near;
  text[Below(text.size())] = static_cast<char>(random_());
  return text;
}

void ModelMutator::CollectNode(onnx::NodeProto* node) {
  nodes_.push_back(node);
  for (onnx::AttributeProto& attribute : *node->mutable_attribute()) {
    attributes_.push_back(&attribute);
    if (attribute.has_t()) tensors_.push_back(attribute.mutable_t());
    if (attribute.has_sparse_tensor()) {
      tensors_.push_back(attribute.mutable_sparse_tensor()->mutable_values());
      tensors_.push_back(attribute.mutable_sparse_tensor()->mutable_indices());
    }
    if (attribute.has_g()) CollectGraph(attribute.mutable_g());
  }
}

void ModelMutator::CollectGraph(onnx::GraphProto* graph) {
  graphs_.push_back(graph);
  for (onnx::NodeProto& node : *graph->mutable_node()) CollectNode(&node);
  for (onnx::TensorProto& tensor : *graph->mutable_initializer()) tensors_.push_back(&tensor);
  for (onnx::SparseTensorProto& sparse : *graph->mutable_sparse_initializer()) {
    tensors_.push_back(sparse.mutable_values());
    tensors_.push_back(sparse.mutable_indices());
  }
}

void ModelMutator::Collect(onnx::ModelProto* model) {
  graphs_.clear();
  nodes_.clear();
  tensors_.clear();
  attributes_.clear();
  CollectGraph(model->mutable_graph());
  for (onnx::FunctionProto& function : *model->mutable_functions()) {
    for (onnx::NodeProto& node : *function.mutable_node()) CollectNode(&node);
  }
}

void ModelMutator::Mutate(onnx::ModelProto* model) {
  const size_t changes = 1 + Below(2) + Below(3);
  for (size_t i = 0; i < changes; ++i) {
    Collect(model);
    Change(model);
  }
}

void ModelMutator::Change(onnx::ModelProto* model) {
  switch (Below(16)) {
    case 0:
    case 1:
    case 2:
      return ChangeAttribute();
    case 3:
      return AddAttribute(*model);
    case 4:
    case 5:
      return ChangeInputs();
    case 6:
      return ChangeOutputs();
    case 7:
      return OneIn(3) ? ChangeOperator() : ChangeNodes();
    case 8:
      return ChangeGraph();
    case 9:
      return ChangeTypeEverywhere();
    case 10:
      if (auto* opset = Pick(model->mutable_opset_import()); opset != nullptr) {
        opset->set_version(OneIn(8) ? Integer(opset->version())
                                    : static_cast<int64_t>(1 + Below(28)));
      }
      return;
    case 11:
      return NestNode(model);
    default:
      if (!tensors_.empty()) ChangeTensor(tensors_[Below(tensors_.size())]);
  }
}

void ModelMutator::ChangeAttribute() {
  if (attributes_.empty()) return;
  ChangeValue(attributes_[Below(attributes_.size())]);
}

// One that the operator's schema has and the node has not.
void ModelMutator::AddAttribute(const onnx::ModelProto& model) {
  if (nodes_.empty()) return;
  onnx::NodeProto* node = nodes_[Below(nodes_.size())];
  int64_t version = 1;
  for (const auto& opset : model.opset_import()) {
    if (opset.domain() == node->domain()) version = opset.version();
  }
  version = std::clamp<int64_t>(version, 1, 28);
  const onnx::OpSchema* schema =
      onnx::OpSchemaRegistry::Schema(node->op_type(), static_cast<int>(version), node->domain());
  if (schema == nullptr || schema->attributes().empty()) return;
  auto chosen = schema->attributes().begin();
  std::advance(chosen, Below(schema->attributes().size()));
  for (const onnx::AttributeProto& has : node->attribute()) {
    if (has.name() == chosen->first) return;
  }
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(chosen->first);
  attribute->set_type(chosen->second.type);
  ChangeValue(attribute);
}

void ModelMutator::ChangeValue(onnx::AttributeProto* attribute) {
  using Type = onnx::AttributeProto;
  if (OneIn(30)) {
    attribute->set_type(static_cast<Type::AttributeType>(1 + Below(14)));
    return;
  }
  switch (attribute->type()) {
    case Type::INT:
      return attribute->set_i(Integer(attribute->i()));
    case Type::FLOAT:
      return attribute->set_f(Float(attribute->f()));
    case Type::STRING:
      return attribute->set_s(Text(attribute->s()));
    case Type::TENSOR:
      return ChangeTensor(attribute->mutable_t());
    case Type::INTS:
      if (attribute->ints_size() == 0 || OneIn(4)) return attribute->add_ints(Integer(1));
      if (OneIn(5)) return attribute->mutable_ints()->RemoveLast();
      return attribute->set_ints(static_cast<int>(Below(attribute->ints_size())), Integer(1));
    case Type::FLOATS:
      if (attribute->floats_size() == 0 || OneIn(4)) return attribute->add_floats(Float(1));
      if (OneIn(5)) return attribute->mutable_floats()->RemoveLast();
      return attribute->set_floats(static_cast<int>(Below(attribute->floats_size())), Float(1));
    case Type::STRINGS:
      if (attribute->strings_size() == 0 || OneIn(4)) return attribute->add_strings(Text(""));
      if (OneIn(5)) return attribute->mutable_strings()->RemoveLast();
      return attribute->set_strings(static_cast<int>(Below(attribute->strings_size())), Text(""));
    case Type::TYPE_PROTO:
      return ChangeType(attribute->mutable_tp());
    default:
      return;
  }
}

// The name of a value that is somewhere in the model.
std::string ModelMutator::ValueName() {
  if (!nodes_.empty() && OneIn(2)) {
    const onnx::NodeProto& node = *nodes_[Below(nodes_.size())];
    const auto& names = OneIn(2) ? node.output() : node.input();
    if (!names.empty()) return names.Get(static_cast<int>(Below(names.size())));
  }
  const onnx::GraphProto& graph = *graphs_[Below(graphs_.size())];
  if (graph.initializer_size() > 0 && OneIn(2)) {
    return graph.initializer(static_cast<int>(Below(graph.initializer_size()))).name();
  }
  if (graph.input_size() == 0) return "";
  return graph.input(static_cast<int>(Below(graph.input_size()))).name();
}

void ModelMutator::ChangeInputs() {
  if (nodes_.empty()) return;
  auto* inputs = nodes_[Below(nodes_.size())]->mutable_input();
  std::string* input = Pick(inputs);
  switch (Below(6)) {
    case 0:
      if (input != nullptr) input->clear();
      return;
    case 1:
      *inputs->Add() = ValueName();
      return;
    case 2:
      if (input != nullptr) inputs->RemoveLast();
      return;
    case 3:
      if (input != nullptr) std::swap(*input, *Pick(inputs));
      return;
    default:
      if (input != nullptr) *input = ValueName();
  }
}

void ModelMutator::ChangeOutputs() {
  if (nodes_.empty()) return;
  auto* outputs = nodes_[Below(nodes_.size())]->mutable_output();
  switch (Below(4)) {
    case 0:
      if (!outputs->empty()) Pick(outputs)->clear();
      return;
    case 1:
      if (!outputs->empty()) outputs->RemoveLast();
      return;
    case 2:
      *outputs->Add() = ValueName();
      return;
    default:
      *outputs->Add() = absl::StrCat("more_", random_() % 1000);
  }
}

// Nodes left out, twice, or elsewhere.
void ModelMutator::ChangeNodes() {
  auto* nodes = graphs_[Below(graphs_.size())]->mutable_node();
  if (nodes->empty()) return;
  const auto at = static_cast<int>(Below(nodes->size()));
  switch (Below(3)) {
    case 0:
      nodes->DeleteSubrange(at, 1);
      return;
    case 1:
      nodes->SwapElements(at, static_cast<int>(Below(nodes->size())));
      return;
    default: {
      onnx::NodeProto twice = nodes->Get(at);
      for (std::string& output : *twice.mutable_output()) {
        output = absl::StrCat(output, "_", random_() % 1000);
      }
      for (std::string& input : *twice.mutable_input()) {
        if (OneIn(2) && twice.output_size() > 0) input = nodes->Get(at).output(0);
      }
      *nodes->Add() = std::move(twice);
    }
  }
}

// Another operator on the same values.
void ModelMutator::ChangeOperator() {
  if (nodes_.empty()) return;
  onnx::NodeProto* node = nodes_[Below(nodes_.size())];
  const std::vector<onnx::OpSchema> schemas = onnx::OpSchemaRegistry::get_all_schemas();
  const onnx::OpSchema& schema = schemas[Below(schemas.size())];
  if (schema.domain() != node->domain()) return;
  node->set_op_type(schema.Name());
  if (OneIn(2)) node->clear_attribute();
}

void ModelMutator::ChangeGraph() {
  onnx::GraphProto* graph = graphs_[Below(graphs_.size())];
  switch (Below(8)) {
    case 0:
      if (graph->input_size() > 0) graph->mutable_input()->RemoveLast();
      return;
    case 1:
      if (graph->output_size() > 0) graph->mutable_output()->RemoveLast();
      return;
    case 2:
      graph->add_output()->set_name(ValueName());
      return;
    case 3:
      graph->add_input()->set_name(ValueName());
      return;
    case 4:
      if (auto* output = Pick(graph->mutable_output())) output->set_name(ValueName());
      return;
    case 5:
      if (graph->initializer_size() > 0) {
        graph->mutable_initializer()->DeleteSubrange(
            static_cast<int>(Below(graph->initializer_size())), 1);
      }
      return;
    default:
      if (auto* info = Pick(OneIn(4) ? graph->mutable_output() : graph->mutable_input())) {
        ChangeType(info->mutable_type());
      }
  }
}

void ModelMutator::ChangeType(onnx::TypeProto* type) {
  if (type->has_sequence_type())
    return ChangeType(type->mutable_sequence_type()->mutable_elem_type());
  if (type->has_optional_type())
    return ChangeType(type->mutable_optional_type()->mutable_elem_type());
  if (type->has_map_type()) return ChangeType(type->mutable_map_type()->mutable_value_type());
  if (OneIn(12)) {
    const onnx::TypeProto inner = *type;
    type->Clear();
    *(OneIn(2) ? type->mutable_sequence_type()->mutable_elem_type()
               : type->mutable_optional_type()->mutable_elem_type()) = inner;
    return;
  }
  auto* tensor = type->mutable_tensor_type();
  if (OneIn(3)) return tensor->set_elem_type(static_cast<int>(Below(28)));
  auto* dims = tensor->mutable_shape()->mutable_dim();
  if (OneIn(4)) {
    dims->Add()->set_dim_value(static_cast<int64_t>(Below(4)));
  } else if (auto* dim = Pick(dims); dim != nullptr && OneIn(4)) {
    dims->RemoveLast();
  } else if (dim != nullptr) {
    OneIn(4) ? dim->set_dim_param("n") : dim->set_dim_value(Integer(dim->dim_value()));
  }
}

void ModelMutator::ChangeTensor(onnx::TensorProto* tensor) {
  if (OneIn(40)) return MoveOut(tensor);
  switch (Below(8)) {
    case 0:
      if (tensor->dims_size() > 0) {
        const auto axis = static_cast<int>(Below(tensor->dims_size()));
        tensor->set_dims(axis, Integer(tensor->dims(axis)));
      }
      return;
    case 1:
      if (auto* raw = tensor->mutable_raw_data(); !raw->empty()) raw->resize(Below(raw->size()));
      return;
    case 2:
      return tensor->set_data_type(static_cast<int>(Below(28)));
    case 3:
    case 4:
      return Reshape(tensor);
    default:
      return ChangeElements(tensor);
  }
}

void ModelMutator::Reshape(onnx::TensorProto* tensor) {
  std::vector<int64_t> dims(tensor->dims().begin(), tensor->dims().end());
  const size_t axis = Below(dims.size());
  switch (Below(7)) {
    case 0:
      dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), OneIn(3) ? 2 : 1);
      break;
    case 1:
      if (!dims.empty()) dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
      break;
    case 2:
      if (!dims.empty()) dims[axis] = 0;
      break;
    case 3:
      if (!dims.empty()) std::swap(dims[axis], dims[Below(dims.size())]);
      break;
    case 4:
      dims.clear();
      break;
    default:
      if (!dims.empty()) dims[axis] = static_cast<int64_t>(Below(12));
  }
  SetShape(dims, tensor);
  FillTensor(tensor);
}

void ModelMutator::ChangeElements(onnx::TensorProto* tensor) {
  if (tensor->string_data_size() > 0) {
    std::string* text = Pick(tensor->mutable_string_data());
    *text = Text(*text);
    return;
  }
  std::string* raw = tensor->mutable_raw_data();
  const auto width = static_cast<size_t>(std::max<int64_t>(BitsOf(tensor->data_type()) / 8, 1));
  const size_t count = raw->size() / width;
  if (count == 0) return;
  const size_t changed = OneIn(8) ? count : 1;
  const size_t start = Below(count);
  for (size_t i = 0; i < changed; ++i) {
    char* element = raw->data() + (start + i) % count * width;
    if (tensor->data_type() == onnx::TensorProto::FLOAT) {
      const float number = Float(1);
      std::memcpy(element, &number, sizeof(number));
    } else if (tensor->data_type() == onnx::TensorProto::DOUBLE) {
      const double number = Float(1);
      std::memcpy(element, &number, sizeof(number));
    } else {
      int64_t number = 0;
      std::memcpy(&number, element, std::min(width, sizeof(number)));
      number = Integer(number);
      std::memcpy(element, &number, std::min(width, sizeof(number)));
    }
  }
}

void ModelMutator::ChangeTypeEverywhere() {
  if (tensors_.empty()) return;
  const int from = tensors_[Below(tensors_.size())]->data_type();
  const auto to = static_cast<int>(1 + Below(26));
  for (onnx::TensorProto* tensor : tensors_) {
    if (tensor->data_type() != from) continue;
    tensor->set_data_type(to);
    FillTensor(tensor);
  }
  for (onnx::GraphProto* graph : graphs_) {
    for (auto* infos : {graph->mutable_input(), graph->mutable_output()}) {
      for (onnx::ValueInfoProto& info : *infos) {
        auto* type = info.mutable_type();
        if (type->has_tensor_type() && type->tensor_type().elem_type() == from) {
          type->mutable_tensor_type()->set_elem_type(to);
        }
      }
    }
  }
}

void ModelMutator::Cross(const onnx::ModelProto& donor, onnx::ModelProto* model) {
  if (donor.graph().node_size() == 0) return;
  Collect(model);
  const auto picked = static_cast<int>(Below(donor.graph().node_size()));
  onnx::NodeProto node = donor.graph().node(picked);
  const std::string suffix = absl::StrCat("_", random_() % 10000);
  absl::flat_hash_map<std::string, const onnx::TensorProto*> constants;
  for (const onnx::TensorProto& tensor : donor.graph().initializer()) {
    constants[tensor.name()] = &tensor;
  }
  for (std::string& input : *node.mutable_input()) {
    const auto constant = constants.find(input);
    if (constant == constants.end() || OneIn(3)) {
      input = ValueName();
      continue;
    }
    input += suffix;
    onnx::TensorProto* added = model->mutable_graph()->add_initializer();
    *added = *constant->second;
    added->set_name(input);
  }
  for (std::string& output : *node.mutable_output()) output += suffix;
  if (node.output_size() > 0) model->mutable_graph()->add_output()->set_name(node.output(0));
  for (const auto& opset : donor.opset_import()) {
    bool known = false;
    for (const auto& has : model->opset_import()) known = known || has.domain() == opset.domain();
    if (!known) *model->add_opset_import() = opset;
  }
  *model->mutable_graph()->add_node() = std::move(node);
}

}  // namespace onnxcmp::fuzz
