// Fewer nodes in branches and in the bodies of loops, where these are needed as such.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "evaluator/protos/tensor_proto.h"
#include "tools/reduce/changes.h"

namespace onnxcmp {
namespace {

using BodyNames = absl::flat_hash_set<std::string>;

// The graph that a node of the main graph has under this attribute; null if it is gone.
onnx::GraphProto* FindBody(const std::string& key, const std::string& attribute, FedModel* model) {
  for (onnx::NodeProto& node : *model->proto.mutable_graph()->mutable_node()) {
    if (node.output_size() == 0 || node.output(0) != key) continue;
    for (onnx::AttributeProto& each : *node.mutable_attribute()) {
      if (each.name() == attribute && each.has_g()) return each.mutable_g();
    }
  }
  return nullptr;
}

// Leaves out nodes of a graph and gives what others read of them as constants, with the values of
// its first run.
bool MakeConstant(const KnownModel& known, const BodyNames& nodes, onnx::GraphProto* graph) {
  BodyNames gone, read;
  google::protobuf::RepeatedPtrField<onnx::NodeProto> kept;
  for (onnx::NodeProto& node : *graph->mutable_node()) {
    if (node.output_size() > 0 && nodes.contains(node.output(0))) {
      gone.insert(node.output().begin(), node.output().end());
    } else {
      for (std::string& name : NamesReadBy(node)) read.insert(std::move(name));
      *kept.Add() = node;
    }
  }
  if (gone.empty()) return false;
  for (const auto& output : graph->output()) read.insert(output.name());
  graph->mutable_node()->Swap(&kept);
  std::vector<std::string> names(gone.begin(), gone.end());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (name.empty() || !read.contains(name)) continue;
    const auto value = known.inner_values.find(name);
    if (value == known.inner_values.end() || !value->second.is_tensor() ||
        !TensorToProto(value->second.tensor(), name, graph->add_initializer()).ok()) {
      return false;
    }
  }
  return true;
}

// Leaves out what nothing in a body reads.
void RemoveUnreadOf(onnx::GraphProto* graph) {
  BodyNames read;
  for (const auto& output : graph->output()) read.insert(output.name());
  google::protobuf::RepeatedPtrField<onnx::NodeProto> kept;
  for (int i = graph->node_size() - 1; i >= 0; --i) {
    const onnx::NodeProto& node = graph->node(i);
    if (std::none_of(node.output().begin(), node.output().end(),
                     [&](const std::string& name) { return read.contains(name); })) {
      continue;
    }
    for (std::string& name : NamesReadBy(node)) read.insert(std::move(name));
    *kept.Add() = node;
  }
  std::reverse(kept.begin(), kept.end());
  graph->mutable_node()->Swap(&kept);
  google::protobuf::RepeatedPtrField<onnx::TensorProto> initializers;
  for (const auto& initializer : graph->initializer()) {
    if (read.contains(initializer.name())) *initializers.Add() = initializer;
  }
  graph->mutable_initializer()->Swap(&initializers);
}

}  // namespace

std::vector<ReduceChange> BodyChanges(const KnownModel& known) {
  std::vector<ReduceChange> changes;
  for (const onnx::NodeProto& node : known.proto->graph().node()) {
    if (node.output_size() == 0) continue;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (!attribute.has_g()) continue;
      const int count = attribute.g().node_size();
      std::vector<std::string> keys;
      for (const auto& inner : attribute.g().node()) {
        keys.push_back(inner.output_size() > 0 ? inner.output(0) : "");
      }
      // Halves of it first, then ever smaller parts.
      for (int part = (count + 1) / 2; count > 0 && part > 0;
           part = part == 1 ? 0 : (part + 1) / 2) {
        for (int begin = 0; begin < count; begin += part) {
          const BodyNames names(keys.begin() + begin, keys.begin() + std::min(count, begin + part));
          changes.push_back(
              {absl::StrCat("nodes in ", attribute.name(), " of ", node.output(0), " left out"),
               [names, key = node.output(0), where = attribute.name()](const KnownModel& now,
                                                                       FedModel* model) {
                 onnx::GraphProto* body = FindBody(key, where, model);
                 if (body == nullptr || !MakeConstant(now, names, body)) return false;
                 RemoveUnreadOf(body);
                 return true;
               }});
        }
      }
    }
  }
  return changes;
}

}  // namespace onnxcmp
