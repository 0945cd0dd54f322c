#include "feed/made_up/limit_rule.h"

#include <string>

#include "evaluator/tensor/dtype.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

// Makes the limit of `found`, which is a cache's size, the last place where an update still fits.
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

}  // namespace

absl::string_view InputOf(const Node& node, size_t slot) {
  return slot < node.inputs.size() ? absl::string_view(node.inputs[slot]) : absl::string_view();
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

void TakeLimit(const GraphScope& scope, const Graph& root, const Node& node, const LimitRule& rule,
               InputPurpose* found) {
  const absl::string_view other = InputOf(node, rule.input);
  switch (rule.from) {
    case LimitRule::From::kNone:
      break;
    case LimitRule::From::kAxis:
    case LimitRule::From::kRoom:
      SetLimit(SizeAlong(scope, other, IntAttribute(node, rule.attribute).value_or(rule.axis)),
               found);
      if (rule.from == LimitRule::From::kRoom) LeaveRoom(scope, root, node, found);
      break;
    case LimitRule::From::kAttribute:
      found->limit = IntAttribute(node, rule.attribute);
      break;
    case LimitRule::From::kValue:
      if (const auto number = NumberOf(ConstantIn(scope, other))) {
        found->limit = static_cast<int64_t>(*number);
      }
      break;
    case LimitRule::From::kTuple:
      SetLimit(SizeAlong(scope, other, 0), found);
      if (OneIndexEach(scope, node)) {
        SetLimit(SizeAlong(scope, other, IntAttribute(node, "batch_dims").value_or(0)), found);
      } else {
        found->limit = LeastDim(scope, other);
      }
      break;
  }
}

}  // namespace onnxcmp
