#include "feed/index_limits.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "record/graphs/graph_scope.h"
#include "record/graphs/node_questions.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// True if a node's output holds only elements of its first input.
bool PassesElements(const Node& node) {
  return HasTrait(node, OperatorTrait::kCasts) || (HasTrait(node, OperatorTrait::kOneDataInput) &&
                                                   !HasTrait(node, OperatorTrait::kAddsNumbers));
}

// True if a node's output has its first input's shape, so that a table after it has as many rows.
bool KeepsShape(const Node& node) {
  return HasTrait(node, OperatorTrait::kCopies) || HasTrait(node, OperatorTrait::kCasts) ||
         HasTrait(node, OperatorTrait::kRequantizations);
}

// The name that `name` comes from through nodes that `passes` accepts. Graphs have no cycles.
template <typename Passes>
absl::string_view TraceBack(absl::string_view name, const GraphScope& scope, Passes passes) {
  for (const Node* node = ProducerIn(scope, name);
       node != nullptr && passes(*node) && !node->inputs.empty(); node = ProducerIn(scope, name)) {
    name = node->inputs[0];
  }
  return name;
}

class Tables {
 public:
  explicit Tables(const GraphScope& scope) : scope_(scope) {
    for (const ValueInfo& input : scope.graph->inputs) {
      AddInput(input);
    }
    for (const auto& [name, constant] : scope.constants) shapes_[name] = constant->shape();
  }

  // Number of rows of the table `name` along an axis; nothing if that is not known.
  std::optional<int64_t> Rows(absl::string_view name, int64_t axis) const {
    const auto it = shapes_.find(TraceBack(name, scope_, KeepsShape));
    if (it == shapes_.end()) {
      return std::nullopt;
    }
    const int64_t rank = static_cast<int64_t>(it->second.size());
    if (axis < -rank || axis >= rank) {
      return std::nullopt;
    }
    return it->second[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
  }

 private:
  // Adds a weight that is an input. Unknown sizes are 0.
  void AddInput(const ValueInfo& input) {
    if (!input.type.shape.has_value()) {
      return;
    }
    Shape& shape = shapes_[input.name];
    for (const TypeInfo::Dim& dim : *input.type.shape) {
      shape.push_back(dim.value.value_or(0));
    }
  }

  const GraphScope& scope_;
  absl::flat_hash_map<absl::string_view, Shape> shapes_;
};

// An input slot of indices into the rows (along axis) of another input.
struct Lookup {
  size_t indices;
  size_t table;
  int64_t axis;
};

std::vector<Lookup> LookupsOf(const Node& node) {
  const auto axis = [&](absl::string_view name) { return IntAttribute(node, name).value_or(0); };
  if (node.domain.empty() && (node.op_type == "Gather" || node.op_type == "GatherElements")) {
    return {{1, 0, axis("axis")}};
  }
  if (node.domain == kMicrosoftDomain && node.op_type == "GatherPacked") return {{1, 0, 0}};
  if (node.domain == kMicrosoftDomain && node.op_type == "GatherBlockQuantized") {
    return {{1, 0, axis("gather_axis")}};
  }
  if (node.domain == kMicrosoftDomain &&
      (node.op_type == "EmbedLayerNormalization" || node.op_type == "QEmbedLayerNormalization")) {
    std::vector<Lookup> lookups = {{0, 2, 0}, {1, 4, 0}};
    if (node.op_type == "EmbedLayerNormalization") {
      lookups.push_back({8, 3, 0});
    }
    return lookups;
  }
  return {};
}

}  // namespace

absl::flat_hash_map<std::string, int64_t> IndexLimits(const Graph& graph) {
  const std::unique_ptr<GraphScope> scope = MakeScope(graph);
  absl::flat_hash_set<absl::string_view> inputs;
  for (const ValueInfo& input : graph.inputs) {
    inputs.insert(input.name);
  }
  const Tables tables(*scope);
  absl::flat_hash_map<std::string, int64_t> limits;
  for (const Node& node : graph.nodes) {
    for (const Lookup& lookup : LookupsOf(node)) {
      if (std::max(lookup.indices, lookup.table) >= node.inputs.size()) {
        continue;
      }
      const absl::string_view ids = TraceBack(node.inputs[lookup.indices], *scope, PassesElements);
      const std::optional<int64_t> rows = tables.Rows(node.inputs[lookup.table], lookup.axis);
      if (!inputs.contains(ids) || !rows.has_value() || *rows <= 0) {
        continue;
      }
      const auto [it, added] = limits.try_emplace(std::string(ids), *rows);
      it->second = std::min(it->second, *rows);
    }
  }
  return limits;
}

}  // namespace onnxcmp
