#include "compare/causes/cause_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/causes/bodies/iteration_search.h"
#include "compare/reports/attribute_text.h"
#include "compare/streams/node_facts.h"

namespace onnxcmp {
namespace {

// "attribute epsilon: 1e-05 | 0.01", one for each that is not written alike. Of other operators
// only what both have says something.
std::vector<std::string> AttributeDifferences(const Node& left, const Node& right,
                                              bool same_operator) {
  std::vector<std::string> differences;
  for (const std::string& name : AttributeNames(&left, &right)) {
    if (!same_operator && !(left.attributes.contains(name) && right.attributes.contains(name))) {
      continue;
    }
    const std::string ours = AttributeText(left, name);
    const std::string theirs = AttributeText(right, name);
    if (ours != theirs) {
      differences.push_back(absl::StrCat("attribute ", name, ": ", ours, " | ", theirs));
    }
  }
  return differences;
}

// What both nodes read: in another order, or something else.
std::vector<std::string> InputDifferences(const ForcedRun& run, const ForcedState& state, int left,
                                          int right) {
  const LeftClasses& classes = run.left();
  const std::vector<int>& ours = classes.graph().node(left).made->inputs;
  const std::vector<int>& theirs = run.right().node(right).made->inputs;
  std::vector<int> left_inputs;
  std::vector<int> right_inputs;
  for (const int r : ours) left_inputs.push_back(classes.of(r));
  for (const int r : theirs) right_inputs.push_back(r == kNone ? kNone : state.at(r).match);
  if (left_inputs == right_inputs) return {};
  std::vector<int> sorted_left = left_inputs;
  std::vector<int> sorted_right = right_inputs;
  std::sort(sorted_left.begin(), sorted_left.end());
  std::sort(sorted_right.begin(), sorted_right.end());
  if (sorted_left == sorted_right) {
    const StreamNode& made = *run.right().node(right).made;
    return {IsCommutative(made.domain, made.op_type) ? "" : "reads its inputs in another order"};
  }
  std::vector<std::string> differences;
  const size_t count = std::max(ours.size(), theirs.size());
  for (size_t i = 0; i < count; ++i) {
    const int l = i < ours.size() ? ours[i] : kNone;
    const int r = i < theirs.size() ? theirs[i] : kNone;
    const int left_class = i < left_inputs.size() ? left_inputs[i] : kNone;
    const int right_class = i < right_inputs.size() ? right_inputs[i] : kNone;
    if (l == kNone && r == kNone) continue;
    if (left_class == right_class && left_class != kNone) continue;
    differences.push_back(absl::StrCat("input ", i, ": ",
                                       l == kNone ? "none" : classes.graph().result(l).name, " | ",
                                       r == kNone ? "none" : run.right().result(r).name));
  }
  return differences;
}

std::string What(const Cause& cause, const ForcedRun& run, const ForcedState& state) {
  const SideGraph& left = run.left().graph();
  const SideGraph& right = run.right();
  const std::string distance =
      cause.local.has_value() ? absl::StrFormat("%.2g", cause.local->values.max_absolute) : "";
  if (cause.kind == CauseKind::kInput) {
    return absl::StrCat("the two sides are fed other values, by up to ", distance);
  }
  if (cause.kind == CauseKind::kInitializer) {
    return absl::StrCat("the constants differ by up to ", distance);
  }
  const std::string reason = cause.local.has_value() ? cause.local->values.reason : "";
  std::vector<std::string> parts = {
      distance.empty() ? "gives something else on the left's own inputs"
      : reason.empty()
          ? absl::StrCat("on the left's own inputs the right differs by up to ", distance)
          : absl::StrCat("on the left's own inputs the right gives another ", reason)};
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
    // A default is as good as saying it: the hashes know.
    if (ours.node != nullptr && theirs.node != nullptr &&
        ours.made->attributes != theirs.made->attributes) {
      for (std::string& text : AttributeDifferences(*ours.node, *theirs.node, same_operator)) {
        parts.push_back(std::move(text));
      }
    }
    if (same_operator) {
      for (std::string& text : InputDifferences(run, state, l, r)) {
        if (!text.empty()) parts.push_back(std::move(text));
      }
    }
  }
  return absl::StrJoin(parts, "; ");
}

}  // namespace

std::string CauseText(const Cause& cause, const ForcedRun& run, const ForcedState& state) {
  std::string what = What(cause, run, state);
  CauseInBody calls;
  calls.left_path = run.left().graph().result(cause.left).path;
  calls.right_path = run.right().result(cause.right).path;
  if (calls.left_path.empty() && calls.right_path.empty()) return what;
  return absl::StrCat(InBodyText(calls), what);
}

}  // namespace onnxcmp
