#include "tools/reduce/changes.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/load/node_proto.h"
#include "evaluator/model/value_type.h"
#include "evaluator/protos/tensor_proto.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

// Nodes are found by what they make: names of nodes are not unique.
std::string NodeKey(const onnx::NodeProto& node) {
  for (const std::string& name : node.output()) {
    if (!name.empty()) return name;
  }
  return "";
}

std::string NodeWords(const onnx::NodeProto& node) {
  return absl::StrCat(node.op_type(), " ", node.name().empty() ? NodeKey(node) : node.name());
}

onnx::NodeProto* FindNodeByKey(FedModel* model, const std::string& key) {
  for (onnx::NodeProto& node : *model->proto.mutable_graph()->mutable_node()) {
    if (NodeKey(node) == key) return &node;
  }
  return nullptr;
}

bool IsModelOutput(const onnx::GraphProto& graph, const std::string& name) {
  return std::any_of(graph.output().begin(), graph.output().end(),
                     [&](const auto& output) { return output.name() == name; });
}

bool HasType(const onnx::AttributeProto& attribute) {
  return attribute.type() == onnx::AttributeProto::GRAPH ||
         attribute.type() == onnx::AttributeProto::GRAPHS;
}

template <typename Items, typename Keep>
void KeepIf(Items* items, Keep keep) {
  Items kept;
  for (auto& item : *items) {
    if (keep(item)) kept.Add()->Swap(&item);
  }
  items->Swap(&kept);
}

// Replaces what nodes read. False if a graph inside a node reads the name, too.
bool Redirect(const std::string& from, const std::string& to, onnx::GraphProto* graph) {
  for (const onnx::NodeProto& node : graph->node()) {
    const std::vector<std::string> read = NamesReadBy(node);
    if (std::find(read.begin(), read.end(), from) != read.end() &&
        std::find(node.input().begin(), node.input().end(), from) == node.input().end()) {
      return false;
    }
  }
  for (onnx::NodeProto& node : *graph->mutable_node()) {
    std::replace(node.mutable_input()->begin(), node.mutable_input()->end(), from, to);
  }
  return true;
}

}  // namespace

void RemoveUnread(FedModel* model) {
  onnx::GraphProto* graph = model->proto.mutable_graph();
  absl::flat_hash_set<std::string> read;
  for (const auto& output : graph->output()) read.insert(output.name());
  std::vector<bool> needed(static_cast<size_t>(graph->node_size()));
  for (int i = graph->node_size() - 1; i >= 0; --i) {
    const auto& outputs = graph->node(i).output();
    needed[static_cast<size_t>(i)] =
        std::any_of(outputs.begin(), outputs.end(),
                    [&](const std::string& name) { return read.contains(name); });
    if (!needed[static_cast<size_t>(i)]) continue;
    for (std::string& name : NamesReadBy(graph->node(i))) read.insert(std::move(name));
  }
  size_t next = 0;
  KeepIf(graph->mutable_node(), [&](const auto&) { return needed[next++]; });
  absl::flat_hash_set<std::string> made;
  for (const auto& node : graph->node()) made.insert(node.output().begin(), node.output().end());
  const auto is_read = [&](const auto& item) { return read.contains(item.name()); };
  KeepIf(graph->mutable_initializer(), is_read);
  KeepIf(graph->mutable_sparse_initializer(),
         [&](const auto& sparse) { return read.contains(sparse.values().name()); });
  KeepIf(graph->mutable_input(), is_read);
  KeepIf(graph->mutable_value_info(), [&](const auto& info) { return made.contains(info.name()); });
  absl::flat_hash_set<std::string> inputs;
  for (const auto& input : graph->input()) inputs.insert(input.name());
  absl::erase_if(model->feeds, [&](const auto& feed) { return !inputs.contains(feed.first); });
}

std::vector<ReduceChange> BypassChanges(const KnownModel& known) {
  std::vector<ReduceChange> changes;
  const onnx::GraphProto& graph = known.proto->graph();
  if (graph.node_size() < 2) return changes;
  for (const onnx::NodeProto& node : graph.node()) {
    const std::string key = NodeKey(node);
    const auto result = known.values.find(key);
    if (result == known.values.end() || !known.readers.contains(key) || IsModelOutput(graph, key)) {
      continue;
    }
    for (const std::string& name : node.input()) {
      const auto value = known.values.find(name);
      if (name.empty() || value == known.values.end() ||
          value->second.TypeString() != result->second.TypeString()) {
        continue;
      }
      changes.push_back({absl::StrCat(NodeWords(node), " bypassed"),
                         [key, name](const KnownModel&, FedModel* model) {
                           onnx::GraphProto* edited = model->proto.mutable_graph();
                           if (!Redirect(key, name, edited)) return false;
                           KeepIf(edited->mutable_node(),
                                  [&](const auto& each) { return NodeKey(each) != key; });
                           return true;
                         }});
    }
  }
  return changes;
}

std::vector<ReduceChange> OutputChanges(const KnownModel& known) {
  std::vector<ReduceChange> changes;
  const onnx::GraphProto& graph = known.proto->graph();
  const auto keep = [](const std::string& name, bool only) {
    return [name, only](const KnownModel&, FedModel* model) {
      onnx::GraphProto* edited = model->proto.mutable_graph();
      if (edited->output_size() < 2 || !IsModelOutput(*edited, name)) return false;
      KeepIf(edited->mutable_output(),
             [&](const auto& output) { return (output.name() == name) == only; });
      return true;
    };
  };
  if (graph.output_size() > 1) {
    for (int i = 0; i < graph.output_size() && i < work_bounds::kFewTrials; ++i) {
      const std::string& name = graph.output(i).name();
      changes.push_back({absl::StrCat("no output but ", name), keep(name, true)});
    }
    for (const auto& output : graph.output()) {
      changes.push_back(
          {absl::StrCat("output ", output.name(), " left out"), keep(output.name(), false)});
    }
  }
  changes.push_back({"unread results removed", [](const KnownModel&, FedModel* model) {
                       onnx::GraphProto* edited = model->proto.mutable_graph();
                       absl::flat_hash_set<std::string> read;
                       for (const auto& output : edited->output()) read.insert(output.name());
                       for (const auto& node : edited->node()) {
                         for (std::string& name : NamesReadBy(node)) read.insert(std::move(name));
                       }
                       bool any = false;
                       for (onnx::NodeProto& node : *edited->mutable_node()) {
                         const int size = node.output_size();
                         while (node.output_size() > 1 &&
                                !read.contains(node.output(node.output_size() - 1))) {
                           node.mutable_output()->RemoveLast();
                         }
                         any = any || node.output_size() != size;
                       }
                       return any;
                     }});
  return changes;
}

std::vector<ReduceChange> InputChanges(const KnownModel& known) {
  constexpr int kMany = 12;
  std::vector<ReduceChange> changes;
  for (const onnx::NodeProto& node : known.proto->graph().node()) {
    const std::string key = NodeKey(node);
    const int first = std::max(0, node.input_size() - kMany);
    for (int i = node.input_size() - 1; i >= first; --i) {
      if (node.input(i).empty()) continue;
      const std::string& name = node.input(i);
      changes.push_back({absl::StrCat("input ", name, " of ", NodeWords(node), " left out"),
                         [key, name](const KnownModel&, FedModel* model) {
                           onnx::NodeProto* edited = FindNodeByKey(model, key);
                           if (edited == nullptr) return false;
                           int place = edited->input_size() - 1;
                           while (place >= 0 && edited->input(place) != name) --place;
                           if (place < 0) return false;
                           edited->mutable_input(place)->clear();
                           while (edited->input_size() > 0 &&
                                  edited->input(edited->input_size() - 1).empty()) {
                             edited->mutable_input()->RemoveLast();
                           }
                           return true;
                         }});
    }
  }
  return changes;
}

std::vector<ReduceChange> AttributeChanges(const KnownModel& known) {
  std::vector<ReduceChange> changes;
  const auto without = [](const std::string& key, const std::string& name) {
    return [key, name](const KnownModel&, FedModel* model) {
      onnx::NodeProto* edited = FindNodeByKey(model, key);
      if (edited == nullptr) return false;
      const int before = edited->attribute_size();
      KeepIf(edited->mutable_attribute(), [&](const auto& attribute) {
        return HasType(attribute) || (!name.empty() && attribute.name() != name);
      });
      return edited->attribute_size() < before;
    };
  };
  for (const onnx::NodeProto& node : known.proto->graph().node()) {
    const auto plain = std::count_if(node.attribute().begin(), node.attribute().end(),
                                     [](const auto& attribute) { return !HasType(attribute); });
    if (plain > 1) {
      changes.push_back({absl::StrCat("attributes of ", NodeWords(node), " left out"),
                         without(NodeKey(node), "")});
    }
    for (const auto& attribute : node.attribute()) {
      if (HasType(attribute)) continue;
      changes.push_back(
          {absl::StrCat("attribute ", attribute.name(), " of ", NodeWords(node), " left out"),
           without(NodeKey(node), attribute.name())});
    }
  }
  return changes;
}

std::vector<ReduceChange> ShapeChanges(const KnownModel& /*known*/) {
  return {{"inputs with fixed shapes", [](const KnownModel& known, FedModel* model) {
             bool any = false;
             for (auto& input : *model->proto.mutable_graph()->mutable_input()) {
               const auto value = known.values.find(input.name());
               if (value == known.values.end() || !value->second.is_tensor()) continue;
               const absl::StatusOr<TypeInfo> type = TypeAndShapeOf(value->second);
               if (!type.ok()) continue;
               const TypeInfo declared = TypeFromProto(input.type());
               any = any || !declared.shape.has_value() ||
                     std::any_of(declared.shape->begin(), declared.shape->end(),
                                 [](const TypeInfo::Dim& dim) { return !dim.value.has_value(); });
               input.mutable_type()->Clear();
               TypeToProto(*type, input.mutable_type());
             }
             if (any) model->proto.mutable_graph()->clear_value_info();
             return any;
           }}};
}

}  // namespace onnxcmp
