#include "compare/causes/bodies/body_models.h"

#include <utility>
#include <variant>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {
namespace {

std::shared_ptr<Model> PartOf(const Model& whole) {
  auto part = std::make_shared<Model>();
  part->ir_version = whole.ir_version;
  part->producer = whole.producer;
  part->imports = whole.imports;
  return part;
}

}  // namespace

std::vector<Body> BodiesOf(const Node& node) {
  using GraphPointer = std::shared_ptr<const Graph>;
  std::vector<Body> bodies;
  if (node.body != nullptr) bodies.push_back({"", node.body});
  for (const auto& [name, value] : node.attributes) {
    if (const auto* graph = std::get_if<GraphPointer>(&value)) {
      bodies.push_back({name, *graph});
    } else if (const auto* graphs = std::get_if<std::vector<GraphPointer>>(&value)) {
      for (size_t i = 0; i < graphs->size(); ++i) {
        bodies.push_back({absl::StrCat(name, "[", i, "]"), (*graphs)[i]});
      }
    }
  }
  return bodies;
}

std::string PathOfNode(const Node& node) {
  std::string label = node.name;
  for (const std::string& output : node.outputs) {
    if (label.empty()) label = output;
  }
  if (label.empty()) label = node.op_type;
  return absl::StrCat(node.call_path, node.call_path.empty() ? "" : "/", label);
}

std::shared_ptr<const Model> ModelOfNode(const Model& whole, const Node& node,
                                         absl::Span<const std::string> captures) {
  std::shared_ptr<Model> part = PartOf(whole);
  absl::flat_hash_set<absl::string_view> seen;
  const auto read = [&](const std::string& name) {
    if (!name.empty() && seen.insert(name).second) part->graph.inputs.push_back({name, {}});
  };
  for (const std::string& input : node.inputs) read(input);
  for (const std::string& capture : captures) read(capture);
  for (const std::string& output : node.outputs) {
    if (!output.empty()) part->graph.outputs.push_back({output, {}});
  }
  part->graph.nodes.push_back(node);
  return part;
}

std::shared_ptr<const Model> ModelOfBody(const Model& whole, const Graph& body,
                                         absl::Span<const OuterValue> around) {
  std::shared_ptr<Model> part = PartOf(whole);
  part->graph = body;
  for (ValueInfo& input : part->graph.inputs) input.type = {};
  for (ValueInfo& output : part->graph.outputs) output.type = {};
  absl::flat_hash_set<absl::string_view> own;
  for (const ValueInfo& input : body.inputs) own.insert(input.name);
  for (const Initializer& initializer : body.initializers) own.insert(initializer.name);
  for (const Node& node : body.nodes) own.insert(node.outputs.begin(), node.outputs.end());
  for (const OuterValue& outer : around) {
    if (!own.insert(outer.name).second) continue;
    if (outer.constant) {
      part->graph.initializers.push_back({outer.name, outer.value});
    } else {
      part->graph.inputs.push_back({outer.name, {}});
    }
  }
  return part;
}

}  // namespace onnxcmp
