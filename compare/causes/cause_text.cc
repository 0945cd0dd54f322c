#include "compare/causes/cause_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/causes/attribute_differences.h"
#include "compare/causes/cause_class.h"
#include "compare/causes/folded/channel_layer.h"
#include "compare/causes/folded/folded_normalization.h"
#include "compare/causes/forced/node_inputs.h"
#include "compare/causes/iteration_search.h"
#include "compare/causes/named_parts.h"
#include "compare/causes/other_operators.h"
#include "compare/causes/runtime_blame.h"
#include "record/differences/value_relation.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

// The left result that a right one corresponds to, unless that is the result beside it: another
// result, or an input of a node that the right does not have.
std::string AnsweringText(const ValueClasses& classes, const ForcedState& state, int l, int r) {
  const int match = state.at(r).match;
  if (match == kNone || classes.of(l) == match) return "";
  const std::string& name = classes.graph().result(classes.representative(match)).name;
  std::string which = absl::StrCat(", which is the left's '", name, "'");
  const int skipped = l == kNone ? kNone : classes.graph().producer(l);
  if (skipped == kNone) return which;
  for (const int read : classes.graph().Reads(skipped)) {
    if (classes.of(read) != match) continue;
    return absl::StrCat(which, ": the left's ", classes.graph().node(skipped).made->op_type,
                        " is skipped");
  }
  return which;
}

// How a constant of the right differs from the left's, by the parts that its reader gives it, or
// else by all elements. Empty if either is no constant, or if that takes too many words.
std::string ConstantRelation(const ForcedRun& run, const ForcedState& state, int l, int r,
                             const StreamNode& reader, size_t slot) {
  if (l == kNone || r == kNone || !run.left().graph().IsConstant(l) || !run.right().IsConstant(r)) {
    return "";
  }
  const Value& left = run.left().value_of(l);
  const Value& right = state.at(r).own.empty() ? state.at(r).held : state.at(r).own;
  if (!IsMeasurable(left) || !IsMeasurable(right)) return "";
  std::string parts = NamedPartsText(reader, slot, left.tensor(), right.tensor());
  return parts.empty() ? RelationText(left.tensor(), right.tensor()) : parts;
}

// Differences between the inputs of both nodes: another order, or another result.
std::vector<std::string> InputDifferences(const ForcedRun& run, const ForcedState& state, int left,
                                          int right) {
  const ValueClasses& classes = run.left();
  const SideGraph::GraphNode& ours = classes.graph().node(left);
  const SideGraph::GraphNode& theirs = run.right().node(right);
  std::vector<int> left_inputs;
  std::vector<int> right_inputs;
  std::vector<int> left_present;
  std::vector<int> right_present;
  std::vector<std::string> differences;
  size_t place = 0;
  for (const InputPair& pair : PairInputs(run, state, left, right)) {
    left_inputs.push_back(classes.of(pair.left));
    right_inputs.push_back(pair.right == kNone ? kNone : state.at(pair.right).match);
    if (pair.left != kNone) left_present.push_back(left_inputs.back());
    if (pair.right != kNone) right_present.push_back(right_inputs.back());
    const size_t at = place++;
    if (pair.equal ||
        (pair.left == kNone &&
         HasAttributeForInput(classes.graph(), ours, run.right(), theirs, at)) ||
        (pair.right == kNone &&
         HasAttributeForInput(run.right(), theirs, classes.graph(), ours, at))) {
      continue;
    }
    differences.push_back(absl::StrCat(
        "input ", at, ": ", pair.left == kNone ? "none" : classes.graph().result(pair.left).name,
        " | ", pair.right == kNone ? "none" : run.right().result(pair.right).name,
        pair.right == kNone ? "" : AnsweringText(classes, state, pair.left, pair.right)));
    const std::string how = ConstantRelation(run, state, pair.left, pair.right, *theirs.made, at);
    if (!how.empty()) absl::StrAppend(&differences.back(), ": ", how);
  }
  // The same inputs in the same order at other places: Resize gained an input between two others.
  if (!differences.empty() && left_present == right_present) {
    return HaveOtherInputs(classes.graph(), ours, run.right(), theirs) ? std::vector<std::string>()
                                                                       : differences;
  }
  std::sort(left_inputs.begin(), left_inputs.end());
  std::sort(right_inputs.begin(), right_inputs.end());
  if (!differences.empty() && left_inputs == right_inputs &&
      !absl::c_linear_search(right_inputs, kNone)) {
    return {"reads its inputs in another order"};
  }
  return differences;
}

// Masks that the left's model is fed: inputs of 0 and 1 for positions.
std::vector<NamedMask> MasksOf(const ValueClasses& classes) {
  std::vector<NamedMask> masks;
  for (const int r : classes.graph().results()) {
    const StreamResult& result = classes.graph().result(r);
    if (result.kind != ResultKind::kInput || !IsMeasurable(classes.value_of(r))) continue;
    if (result.shape.has_value() && result.shape->size() == 2) {
      masks.push_back({result.name, classes.value_of(r).tensor()});
    }
  }
  return masks;
}

// The relation of the right's values to the left's; empty if it takes too many words.
std::string HowItDiffers(const Cause& cause, const ForcedRun& run, const ForcedState& state) {
  const ValueClasses& classes = run.left();
  const ForcedResult& result = state.at(cause.right);
  const int same = classes.Find(result.own_content);
  if (same != kNone && same != classes.of(cause.left) &&
      classes.result(same).fingerprint.size > 1) {
    return absl::StrCat("the right's value is the left's '", classes.result(same).name, "'");
  }
  const Value& left = result.match != kNone ? result.held : classes.value_of(cause.left);
  if (!IsMeasurable(left) || !IsMeasurable(result.own)) return "";
  const std::vector<int>& readers = run.right().readers(cause.right);
  if (run.right().IsConstant(cause.right) && !readers.empty()) {
    const StreamNode& reader = *run.right().node(readers.front()).made;
    const auto slot = absl::c_find(reader.inputs, cause.right) - reader.inputs.begin();
    std::string parts =
        NamedPartsText(reader, static_cast<size_t>(slot), left.tensor(), result.own.tensor());
    if (!parts.empty()) return parts;
  }
  return RelationText(left.tensor(), result.own.tensor(), MasksOf(classes));
}

bool GivesAnotherShape(const Cause& cause, const SideGraph& left, const SideGraph& right) {
  const std::optional<Shape>& ours = left.result(cause.left).shape;
  const std::optional<Shape>& theirs = right.result(cause.right).shape;
  return ours.has_value() && theirs.has_value() && ours != theirs && cause.local.has_value() &&
         cause.local->values.max_absolute == 0 && cause.local->values.reason.empty();
}

// The same for a node that gives another shape alone in a runtime, and elements that are rounded.
bool AnotherShapeInRuntime(const ForcedRun& run, const ForcedState& state, const Cause& cause) {
  const Value& own = state.at(cause.right).own;
  return run.right().runner() != nullptr && cause.left != kNone && IsMeasurable(own) &&
         IsMeasurable(run.left().value_of(cause.left)) &&
         own.tensor().shape() != run.left().value_of(cause.left).tensor().shape() &&
         !run.IsFlattened(run.left().of(cause.left), cause.right);
}

// The wrong number of a normalization that one side has folded into the layer before a pair of
// results. Empty if there is none, or if it is not known.
std::string FoldingText(const ForcedRun& run, const ForcedState& state, int l, int r) {
  // At least this many weights of a channel identify its layer, whatever the layer reads.
  constexpr size_t kTelling = 4;
  const ValueClasses& left = run.left();
  const auto of_left = [&](int read) -> const Value& { return left.value_of(read); };
  const auto of_right = [&](int read) -> const Value& {
    return state.at(read).own.empty() ? state.at(read).held : state.at(read).own;
  };
  const std::optional<ChannelLayer> ours = LayerBefore(left.graph(), l, of_left);
  const std::optional<ChannelLayer> theirs = LayerBefore(run.right(), r, of_right);
  if (!ours.has_value() || !theirs.has_value()) return "";
  const int c = left.of(ours->input);
  const bool read_the_same = c != kNone && state.at(theirs->input).match == c;
  const bool tells = absl::c_all_of(ours->weights, [&](const std::vector<double>& weights) {
    return weights.size() >= kTelling;
  });
  if (!read_the_same && !tells) return "";
  return FoldedNormalizationText({*ours, *theirs});
}

std::string FoldingText(const Cause& cause, const ForcedRun& run, const ForcedState& state) {
  const SideGraph& left = run.left().graph();
  const SideGraph& right = run.right();
  // A constant belongs to the layer that reads it.
  int r = cause.right;
  int l = cause.left;
  if (right.IsConstant(r)) {
    if (right.readers(r).empty()) return "";
    r = right.node(right.readers(r).front()).made->outputs[0];
    if (r == kNone) return "";
    l = state.at(r).match == kNone ? run.aligned(r) : run.left().representative(state.at(r).match);
  }
  if (r == kNone || l == kNone || !right.IsComputed(r) || !left.IsComputed(l)) return "";
  return FoldingText(run, state, EndOfLayer(left, l), EndOfLayer(right, r));
}

std::string What(const Cause& cause, const ForcedRun& run, const ForcedState& state) {
  const SideGraph& left = run.left().graph();
  const SideGraph& right = run.right();
  const std::string distance =
      cause.local.has_value() ? TwoDigits(cause.local->values.max_absolute) : "";
  const std::string relation =
      cause.kind == CauseKind::kQuantization ? "" : HowItDiffers(cause, run, state);
  const std::string how = relation.empty() ? "" : absl::StrCat(": ", relation);
  if (cause.kind == CauseKind::kInput) {
    return absl::StrCat("the two sides are fed other values, by up to ", distance, how);
  }
  if (cause.kind == CauseKind::kInitializer) {
    const std::string folding = FoldingText(cause, run, state);
    const DType dtype = left.result(cause.left).dtype;
    const bool numbers = dtype != DType::kString && dtype != DType::kBool;
    return absl::StrCat(ConstantsText(cause, numbers ? distance : "", relation),
                        folding.empty() ? "" : "; ", folding);
  }
  if (DrawsInRuntime(right, cause.right)) {
    return "draws random numbers, and no two programs draw the same";
  }
  const std::string who = WhoErrs(run, state, cause.right);
  const std::string reason = cause.local.has_value() ? cause.local->values.reason : "";
  const bool infinite = cause.local.has_value() && !std::isfinite(cause.local->values.max_absolute);
  std::vector<std::string> parts = {
      distance.empty() ? "gives something else on the left's own inputs"
      : GivesAnotherShape(cause, left, right)
          ? absl::StrCat("gives the left's elements in another shape: ",
                         ShapeToString(*left.result(cause.left).shape), " | ",
                         ShapeToString(*right.result(cause.right).shape))
      : AnotherShapeInRuntime(run, state, cause)
          ? absl::StrCat("on the left's own inputs ", who, " gives another shape: ",
                         ShapeToString(run.left().value_of(cause.left).tensor().shape()), " | ",
                         ShapeToString(state.at(cause.right).own.tensor().shape()))
      : reason.empty() && infinite
          ? absl::StrCat("on the left's own inputs at ", cause.local->values.max_absolute_at, ": ",
                         cause.local->values.max_absolute_pair)
      : reason.empty()
          ? absl::StrCat("on the left's own inputs ", who, " differs by up to ", distance, how)
          : absl::StrCat("on the left's own inputs ", who, " gives another ", reason)};
  if (cause.kind != CauseKind::kQuantization) {
    std::string folding = FoldingText(cause, run, state);
    if (!folding.empty()) parts.push_back(std::move(folding));
  }
  const int l = left.producer(cause.left);
  const int r = right.producer(cause.right);
  if (l != kNone && r != kNone) {
    const SideGraph::GraphNode& ours = left.node(l);
    const SideGraph::GraphNode& theirs = right.node(r);
    const bool same_operator =
        ours.made->op_type == theirs.made->op_type && ours.made->domain == theirs.made->domain;
    if (!same_operator) {
      parts.push_back(absl::StrCat("operator: ", ours.made->op_type, " | ", theirs.made->op_type));
    }
    if (ours.node != nullptr && theirs.node != nullptr) {
      for (std::string& text : VersionDifferences(left, ours, right, theirs)) {
        parts.push_back(std::move(text));
      }
      // An explicit default equals an absent one; the hashes account for that.
      if (!same_operator && IsMistake(cause.kind)) {
        absl::c_move(OtherOperatorTexts(cause, run, state), std::back_inserter(parts));
      }
      if (ours.made->attributes != theirs.made->attributes) {
        for (std::string& text : AttributeDifferences(run, state, l, r)) {
          parts.push_back(std::move(text));
        }
      }
    }
    if (same_operator) {
      for (std::string& text : InputDifferences(run, state, l, r)) {
        parts.push_back(std::move(text));
      }
    }
  }
  return absl::StrJoin(parts, "; ");
}

}  // namespace

std::string ConstantsText(const Cause& cause, absl::string_view distance,
                          absl::string_view relation) {
  const ValueDifference* const values = cause.local.has_value() ? &cause.local->values : nullptr;
  if (values != nullptr && !values->reason.empty()) {
    return absl::StrCat("the constants have another ", values->reason, relation.empty() ? "" : ": ",
                        relation);
  }
  std::string how(relation);
  if (how.empty() && values != nullptr && !values->max_absolute_pair.empty()) {
    how = absl::StrCat(values->max_absolute_pair, " at ", values->max_absolute_at);
  }
  return absl::StrCat("the constants differ", distance.empty() ? "" : " by up to ", distance,
                      how.empty() ? "" : ": ", how);
}

std::string CauseText(const Cause& cause, const ForcedRun& run, const ForcedState& state) {
  std::string what = What(cause, run, state);
  CauseInBody calls;
  calls.left_path = run.left().graph().result(cause.left).path;
  calls.right_path = run.right().result(cause.right).path;
  if (calls.left_path.empty() && calls.right_path.empty()) return what;
  return absl::StrCat(InBodyText(calls), what);
}

}  // namespace onnxcmp
