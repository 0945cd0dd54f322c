#include "compare/causes/repair/repairs.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

std::vector<bool> FindConstants(const SideGraph& right) {
  std::vector<bool> constant(right.stream().results.size());
  for (const int r : right.results()) {
    constant[Index(r)] = right.IsConstant(r);
    if (!right.IsComputed(r)) continue;
    const std::vector<int> reads = right.Before(r);
    constant[Index(r)] = absl::c_all_of(reads, [&](int read) { return constant[Index(read)]; });
  }
  return constant;
}

// Limit of node runs. Small models may run as often as one with many nodes.
int64_t MostRuns(const SideGraph& right, const RepairLimits& limits) {
  constexpr int64_t kLeastNodes = 100;
  constexpr int64_t kSmall = int64_t{1} << 18;  // elements
  int64_t elements = 0;
  for (const int r : right.results()) elements += right.result(r).fingerprint.size;
  const auto nodes = static_cast<int64_t>(right.nodes().size());
  return limits.node_runs *
         std::max<int64_t>(nodes, elements <= kSmall ? work_bounds::kManyCandidates : kLeastNodes);
}

}  // namespace

Repairs::Repairs(const ForcedRun& run, const Suggester& suggester, const RepairLimits& limits)
    : run_(run),
      suggester_(suggester),
      limits_(limits),
      of_constants_(FindConstants(run.right())),
      most_runs_(MostRuns(run.right(), limits)) {
  repaired_.state = run_.Run({});
  // Runs once more, with the constants that were paired late.
  Adopt(run_.Run(repaired_.state.fixed, &repaired_.state));
}

void Repairs::Adopt(ForcedState state) {
  repaired_.state = std::move(state);
  claims_ = Claims(run_, repaired_.state);
}

void Repairs::Adopt(ForcedState state, const Suggestion& pair) {
  Adopt(std::move(state));
  pairs_.push_back(pair);
}

bool Repairs::RanLong() {
  if (run_.runs() - repeated_runs_ <= most_runs_) return false;
  Note(absl::StrCat(limits_.node_runs, " runs of each node"));
  return true;
}

bool Repairs::TriedEnough() {
  if (repaired_.trials < limits_.all_trials) return false;
  Note(absl::StrCat(limits_.all_trials, " trials"));
  return true;
}

void Repairs::CountOnce(int64_t runs) {
  repeated_runs_ += runs;
  --repaired_.trials;
}

ForcedState Repairs::Try(const Suggestion& suggestion, int patience) {
  FixedMatches fixed = state().fixed;
  fixed[suggestion.right] = suggestion.left;
  return Try(fixed, {.patience = patience});
}

ForcedState Repairs::Try(const FixedMatches& fixed, const ForcedRun::Abandon& abandon) {
  ++repaired_.trials;
  return run_.Run(fixed, &state(), abandon);
}

int Repairs::GainOf(const ForcedState& trial, const Suggestion& suggestion) const {
  const int own = trial.at(suggestion.right).match != kNone ? 1 : 0;
  const int before = state().at(suggestion.right).match != kNone ? 1 : 0;
  return (trial.matched - own) - (state().matched - before);
}

bool Repairs::MovesAny(const ForcedState& trial) const {
  const Claims claims(run_, trial);
  absl::flat_hash_set<int> found;  // classes of new matches
  for (const int r : run_.right().results()) {
    if (trial.at(r).match != state().at(r).match) found.insert(trial.at(r).match);
  }
  return absl::c_any_of(run_.right().results(), [&](int r) {
    const int before = state().at(r).match;
    const int after = trial.at(r).match;
    if (before == kNone || after == before) return false;
    return after == kNone ? found.contains(before) : claims.of(before) == 0;
  });
}

bool Repairs::IsWeak(int r, int c) const {
  if (state().at(r).match == kNone) return true;
  if (run_.right().result(r).fingerprint.size <= 4) return true;
  if (run_.right().producer(r) == kNone) return IsMistaken(state(), claims_, r, c);
  if (CopiedBy(r) != kNone || suggester_.AreCounterparts(r, c)) return true;
  return IsClaimedTwice(r) && !IsTaken(c);
}

bool Repairs::IsClaimedTwice(int r) const {
  const int match = state().at(r).match;
  if (match == kNone || claims_.of(match) < 2) return false;
  const SideGraph& right = run_.right();
  const std::string& op_type = right.node(right.producer(r)).made->op_type;
  return absl::c_any_of(right.results(), [&](int other) {
    const int n = right.producer(other);
    return other != r && state().at(other).match == match && n != kNone &&
           right.node(n).made->op_type == op_type;
  });
}

bool Repairs::IsMistaken(const ForcedState& trial, int r, int c) const {
  return IsMistaken(trial, Claims(run_, trial), r, c);
}

bool Repairs::StartsRegion(int r) const {
  return absl::c_all_of(run_.right().Before(r), [&](int read) {
    if (IsOfConstants(read)) return true;
    if (state().at(read).match == kNone) return false;
    return !run_.right().IsComputed(read) || (CopiedBy(read) == kNone && !IsClaimedTwice(read));
  });
}

}  // namespace onnxcmp
