// The contents of nodes in place of them: functions, branches, the first run of a loop's body.
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "evaluator/load/node_proto.h"
#include "evaluator/model/value_type.h"
#include "evaluator/protos/tensor_proto.h"
#include "onnx/inliner/inliner.h"
#include "tools/reduce/changes.h"

namespace onnxcmp {
namespace {

bool InlineFunctionsOf(FedModel* model) {
  if (model->proto.functions_size() == 0) return false;
  try {
    onnx::inliner::InlineLocalFunctions(model->proto, /*convert_version=*/false);
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

const onnx::GraphProto* GraphAttribute(const onnx::NodeProto& node, const std::string& name) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name && attribute.has_g()) return &attribute.g();
  }
  return nullptr;
}

// The graph that runs, or runs first.
const onnx::GraphProto* GraphThatRuns(const KnownModel& known, const onnx::NodeProto& node) {
  for (const char* repeated : {"Loop", "Scan", "SequenceMap"}) {
    if (node.op_type() == repeated) return GraphAttribute(node, "body");
  }
  if (node.op_type() != "If" || node.input_size() == 0) return nullptr;
  const auto condition = known.values.find(node.input(0));
  if (condition == known.values.end() || !condition->second.is_tensor()) return nullptr;
  const Tensor& tensor = condition->second.tensor();
  if (tensor.dtype() != DType::kBool || tensor.num_elements() != 1) return nullptr;
  return GraphAttribute(node, *tensor.data<bool>() ? "then_branch" : "else_branch");
}

// Puts the nodes of a graph into the main graph in place of node `place`, whose results are
// unread: those of the graph are the model's instead.
bool PutGraphInPlace(const KnownModel& known, const onnx::GraphProto& graph, int place,
                     FedModel* model) {
  const onnx::GraphProto before = model->proto.graph();
  absl::flat_hash_set<std::string> taken, own;
  for (const auto& initializer : before.initializer()) taken.insert(initializer.name());
  for (const auto& input : before.input()) taken.insert(input.name());
  for (const auto& node : before.node()) taken.insert(node.output().begin(), node.output().end());
  onnx::GraphProto* after = model->proto.mutable_graph();
  for (const auto& input : graph.input()) own.insert(input.name());
  for (const auto& initializer : graph.initializer()) own.insert(initializer.name());
  for (const auto& node : graph.node()) own.insert(node.output().begin(), node.output().end());
  for (const std::string& name : own) {
    if (!name.empty() && taken.contains(name)) return false;
  }
  for (const auto& input : graph.input()) {
    const auto value = known.inner_values.find(input.name());
    if (value == known.inner_values.end() || !value->second.is_tensor()) return false;
    const absl::StatusOr<TypeInfo> type = TypeAndShapeOf(value->second);
    if (!type.ok()) return false;
    onnx::TensorProto* initializer = after->add_initializer();
    if (!TensorToProto(value->second.tensor(), input.name(), initializer).ok()) return false;
  }
  for (const auto& initializer : graph.initializer()) *after->add_initializer() = initializer;
  after->clear_node();
  for (int i = 0; i < before.node_size(); ++i) {
    if (i != place) {
      *after->add_node() = before.node(i);
      continue;
    }
    for (const auto& node : graph.node()) *after->add_node() = node;
  }
  after->clear_output();
  for (const auto& output : before.output()) {
    const auto& gone = before.node(place).output();
    if (std::find(gone.begin(), gone.end(), output.name()) == gone.end()) {
      *after->add_output() = output;
    }
  }
  for (const auto& node : graph.node()) {
    for (const std::string& name : node.output()) {
      const auto value = known.inner_values.find(name);
      if (name.empty() || value == known.inner_values.end()) continue;
      const absl::StatusOr<TypeInfo> type = TypeOf(value->second);
      if (!type.ok()) continue;
      onnx::ValueInfoProto* output = after->add_output();
      output->set_name(name);
      TypeToProto(*type, output->mutable_type());
    }
  }
  return after->output_size() > 0;
}

}  // namespace

std::vector<ReduceChange> InlineChanges(const KnownModel& known) {
  std::vector<ReduceChange> changes;
  if (known.proto->functions_size() > 0) {
    changes.push_back({"functions inlined", [](const KnownModel&, FedModel* model) {
                         return InlineFunctionsOf(model);
                       }});
  }
  for (const onnx::NodeProto& node : known.proto->graph().node()) {
    if (GraphThatRuns(known, node) == nullptr) continue;
    const std::string& key = node.output(0);
    changes.push_back(
        {absl::StrCat("the graph inside of ", node.op_type(), " ", key, " in place of it"),
         [key](const KnownModel& now, FedModel* model) {
           const auto maker = now.makers.find(key);
           if (maker == now.makers.end()) return false;
           const onnx::NodeProto& edited = now.proto->graph().node(maker->second);
           for (const std::string& name : edited.output()) {
             if (now.readers.contains(name)) return false;
           }
           const onnx::GraphProto* graph = GraphThatRuns(now, edited);
           return graph != nullptr && PutGraphInPlace(now, *graph, maker->second, model);
         }});
  }
  return changes;
}

}  // namespace onnxcmp
