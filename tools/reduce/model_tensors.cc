#include "tools/reduce/model_tensors.h"

#include "evaluator/load/node_proto.h"
#include "evaluator/protos/tensor_proto.h"

namespace onnxcmp {

std::vector<std::string> ModelTensors::names(bool inputs) const {
  std::vector<std::string> names;
  const onnx::GraphProto& graph = model_.proto.graph();
  for (const auto& initializer : graph.initializer()) {
    if (!model_.feeds.contains(initializer.name())) names.push_back(initializer.name());
  }
  if (!inputs) return names;
  for (const auto& input : graph.input()) {
    if (model_.feeds.contains(input.name())) names.push_back(input.name());
  }
  return names;
}

std::optional<Tensor> ModelTensors::Find(const std::string& name) const {
  const auto value = known_.values.find(name);
  if (value == known_.values.end() || !value->second.is_tensor()) return std::nullopt;
  return value->second.tensor();
}

bool ModelTensors::Replace(const std::string& name, const Tensor& value, FedModel* model) const {
  onnx::GraphProto* graph = model->proto.mutable_graph();
  bool found = false;
  for (auto& initializer : *graph->mutable_initializer()) {
    if (initializer.name() != name) continue;
    initializer.Clear();
    if (!TensorToProto(value, name, &initializer).ok()) return false;
    found = true;
  }
  for (auto& input : *graph->mutable_input()) {
    if (input.name() != name || !input.type().has_tensor_type()) continue;
    // Symbols stay; what is fixed has the new size.
    TypeInfo type = TypeFromProto(input.type());
    if (type.shape.has_value() && type.shape->size() == value.shape().size()) {
      for (size_t i = 0; i < value.shape().size(); ++i) {
        if ((*type.shape)[i].value.has_value()) (*type.shape)[i].value = value.shape()[i];
      }
      input.mutable_type()->Clear();
      TypeToProto(type, input.mutable_type());
    }
    if (const auto feed = model->feeds.find(name); feed != model->feeds.end()) {
      feed->second = value;
      found = true;
    }
  }
  return found;
}

}  // namespace onnxcmp
