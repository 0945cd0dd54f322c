#include "compare/inputs/index_limits.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "compare/graphs/constants.h"
#include "compare/operators/operator_traits.h"

namespace onnxcmp {
namespace {

using Names = absl::flat_hash_map<absl::string_view, const Node*>;

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
absl::string_view TraceBack(absl::string_view name, const Names& producers, Passes passes) {
  for (auto it = producers.find(name);
       it != producers.end() && passes(*it->second) && !it->second->inputs.empty();
       it = producers.find(name)) {
    name = it->second->inputs[0];
  }
  return name;
}

class Tables {
 public:
  Tables(const Graph& graph, const Names& producers) : producers_(producers) {
    for (const ValueInfo& input : graph.inputs) {
      AddInput(input);
    }
    for (const Initializer& initializer : graph.initializers) {
      if (initializer.value.is_tensor()) {
        shapes_[initializer.name] = initializer.value.tensor().shape();
      }
    }
    for (const Node& node : graph.nodes) {
      if (const Tensor* value = ConstantOf(node)) {
        shapes_[node.outputs[0]] = value->shape();
      }
    }
  }

  // Number of rows of the table `name` along an axis; nothing if that is not known.
  std::optional<int64_t> Rows(absl::string_view name, int64_t axis) const {
    const auto it = shapes_.find(TraceBack(name, producers_, KeepsShape));
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

  const Names& producers_;
  absl::flat_hash_map<absl::string_view, Shape> shapes_;
};

// An input slot of indices into the rows (along axis) of another input.
struct Lookup {
  size_t indices;
  size_t table;
  int64_t axis;
};

std::vector<Lookup> LookupsOf(const Node& node) {
  const auto axis = [&](absl::string_view name) {
    const auto it = node.attributes.find(name);
    return it != node.attributes.end() && std::holds_alternative<int64_t>(it->second)
               ? std::get<int64_t>(it->second)
               : 0;
  };
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
  Names producers;
  for (const Node& node : graph.nodes) {
    for (const std::string& output : node.outputs) {
      producers.emplace(output, &node);
    }
  }
  absl::flat_hash_set<absl::string_view> inputs;
  for (const ValueInfo& input : graph.inputs) {
    inputs.insert(input.name);
  }
  const Tables tables(graph, producers);
  absl::flat_hash_map<std::string, int64_t> limits;
  for (const Node& node : graph.nodes) {
    for (const Lookup& lookup : LookupsOf(node)) {
      if (std::max(lookup.indices, lookup.table) >= node.inputs.size()) {
        continue;
      }
      const absl::string_view ids =
          TraceBack(node.inputs[lookup.indices], producers, PassesElements);
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
