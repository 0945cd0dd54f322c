#include "compare/causes/effects/cause_effects.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/types/span.h"
#include "compare/causes/repair/repair_suggestions.h"
#include "compare/sides/value_bank.h"
#include "record/graphs/replay.h"

namespace onnxcmp {

// The right with some results replaced. Values of its own run stand wherever nothing before them is
// replaced, and outputs of the first such run wherever they are the same.
class CauseEffects::EffectReplay : public HoldingReplay {
 public:
  EffectReplay(const ForcedRun& run, const Replacements& replaced, const Plan& plan,
               NodeOutputs* kept, int64_t bytes)
      : HoldingReplay(run.right(), plan.nodes, plan.outputs),
        run_(run),
        replaced_(replaced),
        plan_(plan),
        kept_(kept),
        open_(bytes) {}

 private:
  bool IsGiven(int r) const override {
    return replaced_.contains(r) || graph().producer(r) == kNone || plan_.plain.contains(r);
  }
  Value Given(int r) override {
    const auto it = replaced_.find(r);
    if (it != replaced_.end()) return it->second;
    return graph().producer(r) == kNone ? run_.leaf(r) : run_.plain(r);
  }
  Outputs Compute(int n) override {
    Outputs outputs = HoldingReplay::Compute(n);
    if (outputs.ok()) Keep(n, *outputs);
    return outputs;
  }
  bool IsSettled(int n) override {
    const auto known = plan_.known.find(n);
    if (known == plan_.known.end()) return false;
    Put(n, *known->second);
    return true;
  }

  // For later replays, as far as it fits.
  void Keep(int n, const std::vector<Value>& outputs) {
    if (kept_ == nullptr) return;
    int64_t bytes = 0;
    for (const Value& output : outputs) bytes += BytesHeldBy(output);
    if (bytes > open_) return;
    open_ -= bytes;
    for (const Value& output : outputs) LeaveMemoryAccount(output);
    kept_->emplace(n, outputs);
  }

  const ForcedRun& run_;
  const Replacements& replaced_;
  const Plan& plan_;
  NodeOutputs* const kept_;
  int64_t open_;
};

std::vector<bool> CauseEffects::NodesBehind(const std::vector<int>& results,
                                            absl::FunctionRef<bool(int)> ends) const {
  const SideGraph& right = run_.right();
  std::vector<bool> behind(right.nodes().size());
  right.ReachAfter(results, [&](int r) {
    behind[Index(right.producer(r))] = true;
    return !ends(r);
  });
  return behind;
}

std::vector<bool> CauseEffects::OthersThanFirst(const Replacements& replaced) const {
  std::vector<int> open;
  const auto add_missing = [&](const Replacements& in, const Replacements& other) {
    for (const auto& [r, value] : in) {
      if (!other.contains(r)) open.push_back(r);
    }
  };
  add_missing(*first_, replaced);
  add_missing(replaced, *first_);
  // A result that both runs replace is the same whatever its node gives.
  return NodesBehind(open, [&](int r) { return replaced.contains(r) && first_->contains(r); });
}

CauseEffects::Plan CauseEffects::Prepare(const Replacements& replaced) const {
  const SideGraph& right = run_.right();
  Plan plan;
  std::vector<int> starts;
  for (const auto& [r, value] : replaced) starts.push_back(r);
  const std::vector<bool> changed = NodesBehind(starts, [](int) { return false; });
  const std::vector<bool> others = known_.empty() ? std::vector<bool>() : OthersThanFirst(replaced);
  for (const auto& [output, source] : right.outputs()) {
    if (source != kNone) plan.outputs.push_back(source);
  }
  std::vector<bool> needed(right.nodes().size());
  const auto is_made = [&](int r) {
    const int n = right.producer(r);
    if (n == kNone || replaced.contains(r)) return false;
    if (!changed[Index(n)] && !run_.plain(r).empty()) {
      plan.plain.insert(r);
      return false;
    }
    needed[Index(n)] = true;
    const auto known = known_.find(n);
    if (known == known_.end() || others[Index(n)]) return true;
    plan.known.emplace(n, &known->second);
    return false;
  };
  Reach(
      plan.outputs, [&](int r) { return right.Before(r); }, is_made);
  for (size_t n = 0; n < needed.size(); ++n) {
    if (needed[n]) plan.nodes.push_back(static_cast<int>(n));
  }
  return plan;
}

std::vector<Value> CauseEffects::OutputsWithout(const Replacements& replaced) {
  const bool is_first = !first_.has_value();
  if (is_first) first_ = replaced;
  const Plan plan = Prepare(replaced);
  EffectReplay replay(run_, replaced, plan, is_first ? &known_ : nullptr, keep_);
  if (!replay.Run()) return {};
  std::vector<Value> outputs;
  for (const auto& [output, source] : run_.right().outputs()) {
    outputs.push_back(source == kNone ? Value()
                                      : run_.right().ForModel(source, replay.ValueOf(source)));
  }
  return outputs;
}

std::optional<double> CauseEffects::DistanceWithout(const Replacements& replaced) {
  return DistanceOf(OutputsWithout(replaced));
}

std::optional<double> CauseEffects::DistanceOf(absl::Span<const Value> outputs) const {
  if (outputs.empty()) return std::nullopt;
  const auto counterparts = OutputCounterparts(run_.left(), run_.right());
  std::optional<double> greatest;
  const auto& shown = run_.right().outputs();
  for (size_t i = 0; i < shown.size() && i < outputs.size(); ++i) {
    const auto counterpart = counterparts.find(shown[i].second);
    if (counterpart == counterparts.end()) continue;
    const Value& wanted = run_.left().value(counterpart->second);
    const Value given = run_.right().FromModel(shown[i].second, outputs[i]);
    if (!IsMeasurable(wanted) || !IsMeasurable(given) ||
        !SameKindOfNumber(wanted.tensor().dtype(), given.tensor().dtype())) {
      continue;
    }
    const double distance =
        wanted.tensor().num_elements() == given.tensor().num_elements()
            ? Distance(run_.left().measured(counterpart->second), Measure(given.tensor()))
            : std::numeric_limits<double>::infinity();
    greatest = std::max(greatest.value_or(0), distance);
  }
  return greatest;
}

double UnexplainedLimit(const SideGraph& left, const SideGraph& right) {
  double limit = 1e-3;
  for (const SideGraph* graph : {&left, &right}) {
    for (const auto& [output, source] : graph->outputs()) {
      limit = std::max(limit, 16 * EpsilonOf(graph->result(output).precision));
    }
  }
  return limit;
}

}  // namespace onnxcmp
