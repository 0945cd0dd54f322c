#include "feed/made_up/use_purposes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "feed/made_up/arange.h"
#include "feed/made_up/index_form.h"
#include "feed/made_up/ml_purpose.h"
#include "feed/made_up/traced_size.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

absl::string_view InputOf(const Node& node, size_t slot) {
  return slot < node.inputs.size() ? absl::string_view(node.inputs[slot]) : absl::string_view();
}

// Takes a size as the limit.
void SetLimit(const std::optional<TracedSize>& size, InputPurpose* found) {
  if (!size.has_value()) return;
  if (size->fixed.has_value()) found->limit = size->fixed;
  if (size->dim.has_value()) found->limit_sum = {*size->dim};
}

// Takes the length of a sequence, which is mostly along the second axis.
void GuessLimit(const Graph& graph, InputPurpose* found) {
  for (const ValueInfo& input : graph.inputs) {
    if (IsFloatingPoint(input.type.dtype) && input.type.shape.has_value() &&
        input.type.shape->size() >= 2) {
      found->limit_sum = {{input.name, 1}};
      return;
    }
  }
}

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

void TakeLimit(const Reading& at, const LimitRule& rule, InputPurpose* found) {
  const GraphScope& scope = *at.scope;
  const Node& node = *at.node;
  const absl::string_view other = InputOf(node, rule.input);
  switch (rule.from) {
    case LimitRule::From::kNone:
      break;
    case LimitRule::From::kAxis:
      SetLimit(SizeAlong(scope, other, rule.axis), found);
      break;
    case LimitRule::From::kAxisOf:
    case LimitRule::From::kRoom:
      SetLimit(SizeAlong(scope, other, IntAttribute(node, rule.attribute).value_or(rule.axis)),
               found);
      if (rule.from == LimitRule::From::kRoom) LeaveRoom(scope, *at.root, node, found);
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

// Makes the limit of `found`, which counts rows, one of ids, and keeps the form with its tables.
// `exact`: nothing is computed after the form's remainder or sum; else only the remainder counts.
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

}  // namespace

std::optional<InputPurpose> Found(Purpose purpose, const Reading& at, const PurposeRule& rule) {
  InputPurpose found;
  found.purpose = purpose;
  found.why = UseText(*at.node, PurposeName(purpose));
  TakeLimit(at, rule.limit, &found);
  return found;
}

std::optional<InputPurpose> MaskOrLengths(const Reading& at, const PurposeRule& rule) {
  const auto& type = at.input->type;
  const bool lengths = IsInteger(type.dtype) && type.shape.has_value() && type.shape->size() == 1;
  std::optional<InputPurpose> found = Found(Purpose::kMask, at, rule);
  if (!lengths) return found;
  found->purpose = Purpose::kLengths;
  TakeLimit(at, {LimitRule::From::kAxis, 0, 1}, &*found);
  return found;
}

std::optional<InputPurpose> Sums(const Reading& at, const PurposeRule& rule) {
  std::optional<InputPurpose> found = Found(Purpose::kMask, at, rule);
  found->sums = true;
  return found;
}

std::optional<InputPurpose> Weights(const Reading& at, const PurposeRule&) {
  InputPurpose found;
  found.weights = true;
  found.why = UseText(*at.node, "weights");
  return found;
}

std::optional<InputPurpose> SmallNumbers(const Reading& at, const PurposeRule& rule) {
  std::optional<InputPurpose> found = Found(Purpose::kSmall, at, rule);
  found->first = rule.first;
  found->rest = rule.rest;
  found->step = rule.step;
  found->fraction = rule.fraction;
  return found;
}
std::optional<InputPurpose> Pieces(const Reading& at, const PurposeRule& rule) {
  std::optional<InputPurpose> found = SmallNumbers(at, rule);
  found->pieces = true;
  return found;
}
std::optional<InputPurpose> Rounds(const Reading& at, const PurposeRule& rule) {
  std::optional<InputPurpose> found = SmallNumbers(at, rule);
  found->counts = true;
  return found;
}
std::optional<InputPurpose> Growing(const Reading& at, const PurposeRule& rule) {
  std::optional<InputPurpose> found = SmallNumbers(at, rule);
  found->grows = true;
  return found;
}

std::optional<InputPurpose> FoundCache(int64_t full, const Reading& at, const PurposeRule& rule) {
  std::optional<InputPurpose> found = Found(Purpose::kLengths, at, rule);
  for (const LimitRule& part :
       {LimitRule{LimitRule::From::kAxis, 0, 1}, LimitRule{LimitRule::From::kAxis, 3, 2}}) {
    InputPurpose of_part;
    TakeLimit(at, part, &of_part);
    if (of_part.limit.has_value()) found->limit = found->limit.value_or(0) + *of_part.limit;
    found->limit_sum.insert(found->limit_sum.end(), of_part.limit_sum.begin(),
                            of_part.limit_sum.end());
  }
  found->full = full;
  return found;
}

std::optional<InputPurpose> RowIds(const Reading& at, const PurposeRule& rule) {
  std::optional<InputPurpose> found = Found(Purpose::kIds, at, rule);
  const Node& node = *at.node;
  found->not_negative = !IsOneOf(
      node, {"Gather", "GatherElements", "GatherND", "OneHot", "ScatterElements", "ScatterND"});
  const auto* reduction = AttributeOf<std::string>(node, "reduction");
  found->adds_up = reduction != nullptr && *reduction != "none";
  const bool by_axis = rule.limit.from == LimitRule::From::kAxis ||
                       rule.limit.from == LimitRule::From::kAxisOf ||
                       rule.limit.from == LimitRule::From::kRoom;
  const Tensor* table = by_axis || SelectsRows(*at.scope, node)
                            ? TableIn(*at.scope, InputOf(node, rule.limit.input))
                            : nullptr;
  if (table != nullptr) {
    const int64_t axis = IntAttribute(node, rule.limit.attribute).value_or(rule.limit.axis);
    found->tables.push_back({table, axis, {}});
  }
  const ElementForm& form = at.form;
  found->shifted = form.gain != 1 || form.offset != 0 || form.index.has_value();
  if (found->shifted) {
    const IndexForm index = form.index.value_or(IndexForm{form.gain, form.offset});
    TakeIndexForm(index, index.gain == form.gain && index.offset == form.offset, &*found);
  }
  return found;
}

std::optional<InputPurpose> FoundCounted(Purpose purpose, const Reading& at,
                                         const PurposeRule& rule) {
  const auto size = CountsUpTo(*at.scope, InputOf(*at.node, 1 - at.slot));
  if (!size.has_value()) return std::nullopt;
  std::optional<InputPurpose> found = Found(purpose, at, rule);
  found->not_negative = true;
  SetLimit(size, &*found);
  if (!found->limit.has_value() && found->limit_sum.empty()) GuessLimit(*at.root, &*found);
  return found;
}

std::optional<InputPurpose> OfMl(const Reading& at, const PurposeRule&) {
  return PurposeOfMl(*at.node, at.slot, at.input->type.dtype, at.form.Features());
}

}  // namespace onnxcmp
