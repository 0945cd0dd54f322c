#include "compare/causes/runtime_blame.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "record/differences/tensor_distance.h"
#include "record/operators/operator_traits.h"
#include "record/streams/fingerprint.h"
#include "record/text/display_text.h"

namespace onnxcmp {
namespace {

// True if our interpreter, given the same values, comes as far from the left as the runtime did.
bool DoesTheSameHere(const ForcedRun& run, const ForcedState& state, int r) {
  constexpr double kOfTheWay = 0.1;
  const SideGraph& right = run.right();
  const int n = right.producer(r);
  if (n == kNone || right.node(n).index == kNone || !right.runs()) return false;
  const auto& made = right.node(n).made->outputs;
  const auto output = absl::c_find(made, r);
  const absl::StatusOr<std::vector<Value>> outputs =
      right.Run(n, [&](int read) -> const Value& { return state.at(read).held; });
  if (output == made.end() || !outputs.ok()) return false;
  const Value& here = (*outputs)[static_cast<size_t>(output - made.begin())];
  const ForcedResult& result = state.at(r);
  if (!IsMeasurable(here) || !IsMeasurable(result.own) || !IsMeasurable(result.held) ||
      here.tensor().shape() != result.own.tensor().shape()) {
    return !here.empty() && ContentOf(here) == ContentOf(result.own);
  }
  const Measured own = Measure(result.own.tensor());
  return Distance(Measure(here.tensor()), own) <= kOfTheWay * run.DistanceOf(result);
}

}  // namespace

bool DrawsInRuntime(const SideGraph& right, int r) {
  const int n = right.runner() == nullptr || r == kNone ? kNone : right.producer(r);
  return n != kNone && HasTrait(*right.node(n).made, OperatorTrait::kDraws);
}

std::string WhoErrs(const ForcedRun& run, const ForcedState& state, int r) {
  const NodeRunner* const runner = run.right().runner();
  if (runner == nullptr || state.at(r).own.empty() || DoesTheSameHere(run, state, r)) {
    return "the right";
  }
  return PrintableText(runner->name());
}

}  // namespace onnxcmp
