#include "compare/causes/other_operators.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compare/causes/attribute_differences.h"
#include "compare/causes/forced/node_inputs.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {
namespace {

bool GivesTheLefts(const Cause& cause, const ForcedRun& run, int c, const FewResults& made,
                   const std::vector<Value>& outputs) {
  for (size_t i = 0; i < std::min(made.size(), outputs.size()); ++i) {
    if (made[i] != cause.right || outputs[i].empty()) continue;
    LazyMeasured measured;
    return run.IsNear(c, outputs[i], &measured);
  }
  return false;
}

// The two inputs that have to be exchanged for the left's result.
std::string ExchangedInputs(const Cause& cause, const ForcedRun& run, const ForcedState& state) {
  const SideGraph& right = run.right();
  const int n = right.producer(cause.right);
  const int match = state.at(cause.right).match;
  const int c = match != kNone ? match : run.left().of(cause.left);
  const FewResults& inputs = right.node(n).made->inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t j = i + 1; j < inputs.size(); ++j) {
      const int a = inputs[i];
      const int b = inputs[j];
      if (a == kNone || b == kNone || right.result(a).dtype != right.result(b).dtype ||
          right.result(a).shape != right.result(b).shape ||
          state.at(a).held_content == state.at(b).held_content) {
        continue;
      }
      const absl::StatusOr<std::vector<Value>> outputs =
          right.Run(n, [&](int read) -> const Value& {
            return state.at(read == a ? b : read == b ? a : read).held;
          });
      if (outputs.ok() && GivesTheLefts(cause, run, c, right.node(n).made->outputs, *outputs)) {
        return absl::StrCat("reads inputs ", i, " and ", j,
                            " in another order: exchanged, they give the left's result");
      }
    }
  }
  return "";
}

// Fused operators have the name of what they contain: FusedConv, QLinearConv.
bool IsAlike(const std::string& a, const std::string& b) {
  return absl::EndsWith(a, b) || absl::EndsWith(b, a);
}

// A node before a result that has the operator of a node of the other side and reads the same;
// kNone if there is none.
int NodeAlikeBefore(int result, SideId side, int other, const ForcedRun& run,
                    const ForcedState& state) {
  const PerSide<const SideGraph*> graphs = {&run.left().graph(), &run.right()};
  const SideGraph& graph = *graphs[side];
  const StreamNode& wanted = *graphs[Other(side)]->node(other).made;
  int found = kNone;
  graph.ReachBefore(
      {result},
      [&](int r) {
        const int n = graph.producer(r);
        if (n == kNone || found != kNone) return false;
        const StreamNode& made = *graph.node(n).made;
        if (!IsAlike(made.op_type, wanted.op_type)) return true;
        const std::vector<InputPair> pairs = side == SideId::kLeft
                                                 ? PairInputs(run, state, n, other)
                                                 : PairInputs(run, state, other, n);
        const bool equal = absl::c_all_of(pairs, [](const InputPair& pair) { return pair.equal; });
        if (equal && !pairs.empty()) found = n;
        return false;
      },
      work_bounds::kCandidates);
  return found;
}

}  // namespace

std::vector<std::string> OtherOperatorTexts(const Cause& cause, const ForcedRun& run,
                                            const ForcedState& state) {
  if (std::string exchanged = ExchangedInputs(cause, run, state); !exchanged.empty()) {
    return {std::move(exchanged)};
  }
  const int l = run.left().graph().producer(cause.left);
  const int r = run.right().producer(cause.right);
  const SideGraph& left = run.left().graph();
  if (std::vector<std::string> texts =
          FusedActivationDifferences(left, left.node(l), run.right(), run.right().node(r));
      !texts.empty()) {
    return texts;
  }
  const int like_right = NodeAlikeBefore(cause.left, SideId::kLeft, r, run, state);
  if (like_right != kNone) return AttributeDifferences(run, state, like_right, r);
  const int like_left = NodeAlikeBefore(cause.right, SideId::kRight, l, run, state);
  if (like_left != kNone) return AttributeDifferences(run, state, l, like_left);
  return {};
}

}  // namespace onnxcmp
