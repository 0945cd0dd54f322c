#include "compare/causes/branches.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compare/causes/bodies/body_models.h"
#include "evaluator/base/status_macros.h"
#include "record/differences/tensor_difference.h"

namespace onnxcmp {
namespace {

std::string BranchOn(bool condition) { return condition ? "then_branch" : "else_branch"; }

// Nothing if the value is no condition.
std::optional<bool> ConditionOf(const Value& value) {
  if (!value.is_tensor() || value.tensor().dtype() != DType::kBool ||
      value.tensor().num_elements() != 1) {
    return std::nullopt;
  }
  return ElementsOf(value.tensor()).front() != 0;
}

// The node ran, so it gave something.
int FirstOutput(const StreamNode& node) {
  return *std::find_if(node.outputs.begin(), node.outputs.end(), [](int r) { return r != kNone; });
}

std::multiset<std::string> OperatorsOf(const Node& node, const std::string& branch) {
  std::multiset<std::string> operators;
  for (const Body& body : BodiesOf(node)) {
    if (body.attribute != branch) continue;
    for (const Node& inner : body.graph->nodes) operators.insert(inner.op_type);
  }
  return operators;
}

// True if the right's node gives the left's results when it takes the other branch.
bool OtherBranchGivesIt(const ForcedRun& run, const ForcedState& state, int left_node,
                        int right_node, bool condition) {
  const SideGraph& right = run.right();
  const int tested = right.node(right_node).made->inputs.front();
  const Value other = Tensor::Of<bool>({}, {!condition});
  const absl::StatusOr<std::vector<Value>> outputs = right.Run(
      right_node, [&](int r) -> const Value& { return r == tested ? other : state.at(r).held; });
  if (!outputs.ok()) return false;
  const FewResults& ours = run.left().graph().node(left_node).made->outputs;
  for (size_t i = 0; i < outputs->size() && i < ours.size(); ++i) {
    if (ours[i] == kNone || (*outputs)[i].empty()) continue;
    const int c = run.left().of(ours[i]);
    LazyMeasured measured;
    if (c == kNone) return false;
    if (ContentOf((*outputs)[i]) == run.left().result(c).fingerprint.content) continue;
    if (!run.IsNear(c, (*outputs)[i], &measured)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<BranchFindings> CompareBranches(const ForcedRun& run, const ForcedState& state,
                                               int left_node, int right_node) {
  BranchFindings findings;
  const SideGraph& left = run.left().graph();
  const SideGraph& right = run.right();
  const StreamNode& ours = *left.node(left_node).made;
  const StreamNode& theirs = *right.node(right_node).made;
  if (ours.op_type != "If" || !ours.domain.empty()) return findings;
  if (ours.inputs.empty() || theirs.inputs.empty() || ours.inputs[0] == kNone ||
      theirs.inputs[0] == kNone) {
    return findings;
  }
  const Value& left_value = run.left().value_of(ours.inputs[0]);
  const Value& right_value = state.at(theirs.inputs[0]).held;
  const std::optional<bool> left_condition = ConditionOf(left_value);
  const std::optional<bool> right_condition = ConditionOf(right_value);
  if (!left_condition.has_value() || !right_condition.has_value()) {
    return absl::InvalidArgumentError("its condition is not known");
  }
  const bool same = left_condition == right_condition;
  findings.explains_all = OtherBranchGivesIt(run, state, left_node, right_node, *right_condition);
  if (same) {
    if (!findings.explains_all) return findings;
    Cause& cause = findings.cause.emplace();
    cause.left = FirstOutput(ours);
    cause.right = FirstOutput(theirs);
    cause.text =
        absl::StrCat("If ", left.result(cause.left).name, " | ", right.result(cause.right).name,
                     ": its branches are exchanged: the right's ", BranchOn(!*right_condition),
                     " gives what the left's ", BranchOn(*left_condition), " does");
    return findings;
  }
  // A condition that is negated and whose branches are exchanged is no mistake.
  if (!findings.explains_all &&
      OperatorsOf(*left.node(left_node).node, BranchOn(*left_condition)) ==
          OperatorsOf(*right.node(right_node).node, BranchOn(*right_condition))) {
    findings.right_branch = BranchOn(*right_condition);
    return findings;
  }
  Cause& cause = findings.cause.emplace();
  cause.left = ours.inputs[0];
  cause.right = theirs.inputs[0];
  cause.local = TensorDifferenceOf(left_value, right_value, {});
  cause.text = absl::StrCat(
      "condition ", left.result(cause.left).name, " | ", right.result(cause.right).name,
      ": the left's If takes ", BranchOn(*left_condition), ", the right's ",
      BranchOn(*right_condition),
      findings.explains_all ? "; with the other branch the right gives what the left does" : "");
  return findings;
}

}  // namespace onnxcmp
