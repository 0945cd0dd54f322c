#include "feed/made_up/id_purpose.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "record/graphs/node_questions.h"

namespace onnxcmp {

void TakeIndexForm(const IndexForm& index, bool exact, InputPurpose* found) {
  if (index.modulo > 0 && index.gain > 0) {
    const double wraps = std::round(static_cast<double>(index.modulo) / index.gain);
    found->wraps = static_cast<int32_t>(std::min(wraps, 1e9));
  }
  if (!exact) return;
  if (found->limit.has_value() && found->limit_sum.empty()) {
    found->limit = index.IdsFor(*found->limit);
  }
  for (IdTable& table : found->tables) table.index = index;
}

void SetLimit(const std::optional<TracedSize>& size, InputPurpose* found) {
  if (!size.has_value()) return;
  if (size->fixed.has_value()) found->limit = size->fixed;
  if (size->dim.has_value()) found->limit_sum = {*size->dim};
}

void GuessLimit(const Graph& graph, InputPurpose* found) {
  for (const ValueInfo& input : graph.inputs) {
    if (IsFloatingPoint(input.type.dtype) && input.type.shape.has_value() &&
        input.type.shape->size() >= 2) {
      found->limit_sum = {{input.name, 1}};
      return;
    }
  }
}

void LeaveRoom(const GraphScope& scope, const Graph& graph, const Node& node, InputPurpose* found) {
  const auto* mode = AttributeOf<std::string>(node, "mode");
  if (mode != nullptr && *mode == "circular") return;
  InputPurpose update;
  SetLimit(SizeAlong(scope, node.inputs[1], IntAttribute(node, "axis").value_or(-2)), &update);
  if (!update.limit.has_value() && update.limit_sum.empty()) GuessLimit(graph, &update);
  found->limit = found->limit.value_or(0) - update.limit.value_or(0) + 1;
  for (const InputDim& dim : update.limit_sum) {
    found->limit_sum.push_back({dim.input, dim.axis, -1});
  }
}

}  // namespace onnxcmp
