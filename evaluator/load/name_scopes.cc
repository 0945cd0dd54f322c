#include "evaluator/load/name_scopes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/load/expansion.h"
#include "evaluator/load/proto_walk.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {

std::string NameGenerator::New(const std::string& suggested) {
  std::string name = suggested;
  while (!used_.insert(name).second) {
    name = absl::StrCat(suggested, "_", next_++);
  }
  return name;
}

void NameGenerator::AddGraph(const onnx::GraphProto& graph) {
  for (const auto& input : graph.input()) used_.insert(input.name());
  for (const auto& initializer : graph.initializer()) used_.insert(initializer.name());
  for (const auto& initializer : graph.sparse_initializer()) {
    used_.insert(initializer.values().name());
  }
  for (const auto& output : graph.output()) used_.insert(output.name());
  for (const onnx::NodeProto& node : graph.node()) {
    used_.insert(node.name());
    used_.insert(node.input().begin(), node.input().end());
    used_.insert(node.output().begin(), node.output().end());
    ForEachSubgraph(node, [this](const onnx::AttributeProto&, const onnx::GraphProto& subgraph) {
      AddGraph(subgraph);
      return absl::OkStatus();
    }).IgnoreError();
  }
}

BodyRenamer::BodyRenamer(const onnx::FunctionProto& function, const onnx::NodeProto& call,
                         std::string suffix, const OpRegistry& registry, NameGenerator* names)
    : suffix_(std::move(suffix)), registry_(registry), names_(names), scopes_(1) {
  Names& formals = scopes_[0];
  for (int i = 0; i < function.input_size(); ++i) {
    // "" where the call leaves the input out.
    formals[function.input(i)] = i < call.input_size() ? call.input(i) : "";
  }
  for (int i = 0; i < function.output_size(); ++i) {
    const std::string& formal = function.output(i);
    const auto& inputs = function.input();
    if (std::find(inputs.begin(), inputs.end(), formal) != inputs.end()) continue;
    const bool wanted = i < call.output_size() && !call.output(i).empty();
    formals[formal] = wanted ? call.output(i) : NewName(formal);
  }
}

std::string BodyRenamer::Lookup(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (auto found = scope->find(name); found != scope->end()) return found->second;
  }
  return name;
}

// A name that the innermost graph makes. It may have its new name already (an output that a
// node makes, an input that an initializer gives a default).
void BodyRenamer::Define(std::string* name) {
  if (name->empty()) return;
  Names& scope = scopes_.back();
  auto found = scope.find(*name);
  if (found == scope.end()) found = scope.emplace(*name, NewName(*name)).first;
  *name = found->second;
}

void BodyRenamer::RenameNode(onnx::NodeProto* node) {
  if (!node->name().empty()) node->set_name(NewName(node->name()));
  for (std::string& input : *node->mutable_input()) {
    if (!input.empty()) input = Lookup(input);
  }
  for (std::string& output : *node->mutable_output()) Define(&output);
  if (NamesValues(registry_, node->domain(), node->op_type())) RenameAttributes(node);
  ForEachSubgraph(node, [this](const onnx::AttributeProto&, onnx::GraphProto* graph) {
    RenameGraph(graph);
    return absl::OkStatus();
  }).IgnoreError();
}

void BodyRenamer::RenameAttributes(onnx::NodeProto* node) const {
  for (onnx::AttributeProto& attribute : *node->mutable_attribute()) {
    if (attribute.has_s()) attribute.set_s(Lookup(attribute.s()));
    for (std::string& name : *attribute.mutable_strings()) name = Lookup(name);
  }
}

void BodyRenamer::RenameGraph(onnx::GraphProto* graph) {
  absl::flat_hash_set<absl::string_view> made;
  for (const onnx::NodeProto& node : graph->node()) {
    made.insert(node.output().begin(), node.output().end());
  }
  scopes_.emplace_back();
  for (auto& input : *graph->mutable_input()) Define(input.mutable_name());
  for (auto& initializer : *graph->mutable_initializer()) Define(initializer.mutable_name());
  for (auto& initializer : *graph->mutable_sparse_initializer()) {
    Define(initializer.mutable_values()->mutable_name());
  }
  // Outputs take their names before the nodes do, as in ONNX's inliner; one that no node makes is
  // an input, an initializer or a value from outside, and keeps that name.
  for (auto& output : *graph->mutable_output()) {
    if (made.contains(output.name())) {
      Define(output.mutable_name());
    } else {
      output.set_name(Lookup(output.name()));
    }
  }
  for (auto& node : *graph->mutable_node()) RenameNode(&node);
  for (auto& info : *graph->mutable_value_info()) info.set_name(Lookup(info.name()));
  scopes_.pop_back();
}

}  // namespace onnxcmp
