#include "compare/causes/repair/repair_round.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "record/base/work_bounds.h"
#include "record/streams/downstream.h"

namespace onnxcmp {
// True if a constant is read by a node with a wrong result whose other inputs are right: one that
// is only read later explains nothing before that. True for computed results.
bool RepairRound::IsReadAtBeginning(int r) const {
  const SideGraph& right = repairs_.run().right();
  if (!right.IsConstant(r)) return true;
  const auto is_open = [&](int other) { return repairs_.state().at(other).match == kNone; };
  return absl::c_any_of(right.readers(r), [&](int n) {
    return absl::c_any_of(right.node(n).made->outputs,
                          [&](int output) { return output != kNone && is_open(output); }) &&
           absl::c_none_of(right.Reads(n), [&](int read) {
             return !repairs_.IsOfConstants(read) && is_open(read);
           });
  });
}

// Sorts suggestions with evidence at the start of a region first, then all others for computed
// results: a later pair explains nothing before it. Within each kind, every right result's best
// comes before any second.
void RepairRound::Order(std::vector<Suggestion>* suggestions) const {
  absl::flat_hash_map<int, int> seen;
  std::vector<std::tuple<int, int, Suggestion>> ranked;
  for (const Suggestion& s : *suggestions) {
    const bool starts = repairs_.StartsRegion(s.right);
    const bool likely = s.structure >= 0.3 && starts && IsReadAtBeginning(s.right);
    const int kind = likely ? 0 : starts && repairs_.run().right().IsComputed(s.right) ? 1 : 2;
    ranked.emplace_back(kind, seen[s.right]++, s);
  }
  absl::c_stable_sort(ranked, [](const auto& a, const auto& b) {
    return std::pair(std::get<0>(a), std::get<1>(a)) < std::pair(std::get<0>(b), std::get<1>(b));
  });
  suggestions->clear();
  for (const auto& [kind, rank, s] : ranked) suggestions->push_back(s);
}

// True if a result depends on the suggestion that repairs all, or is a constant that only such
// results read, not one that is read together with it.
bool RepairRound::LiesAfter(int r) const {
  const SideGraph& right = repairs_.run().right();
  if (!right.IsConstant(r)) return whole_->after[Index(r)];
  return absl::c_all_of(right.readers(r), [&](int n) {
    const bool together = right.IsConstant(whole_->suggestion.right) &&
                          absl::c_linear_search(right.Reads(n), whole_->suggestion.right);
    return !together && absl::c_all_of(right.node(n).made->outputs, [&](int output) {
      return output == kNone || whole_->after[Index(output)];
    });
  });
}

// True if a suggestion that repairs all cannot be outdone by this one: this one lies after it, or
// not before it and with no more evidence.
bool RepairRound::IsRuledOut(const Suggestion& suggestion) const {
  if (!whole_.has_value()) return false;
  const Suggestion& known = whole_->suggestion;
  const SideGraph& right = repairs_.run().right();
  return LiesAfter(suggestion.right) ||
         (suggestion.right >= known.right && suggestion.structure <= known.structure &&
          (!right.IsConstant(suggestion.right) || right.IsConstant(known.right)));
}

bool RepairRound::IsEnough() const {
  return best_.has_value() && value_ >= 0.95 * standing_.doomed_count && value_ > 4 &&
         repairs_.StartsRegion(best_->right);
}

bool RepairRound::TriedEnough() {
  if (repairs_.TriedEnough()) return true;
  const int most = repairs_.limits().trials;
  if (tried_ == most) repairs_.Note(absl::StrCat(most, " trials for one repair"));
  return tried_ == most || repairs_.RanLong();
}

// True for constants of unlike lengths: a node that takes any, as Gather does, gives the left's
// result for the left's, which proves nothing unless all that comes after is right, too.
bool RepairRound::IsAnotherLength(const Suggestion& suggestion) const {
  const ForcedRun& run = repairs_.run();
  return run.right().IsConstant(suggestion.right) &&
         run.right().result(suggestion.right).fingerprint.size !=
             run.left().result(suggestion.left).fingerprint.size;
}

// False if a trial with more patience might show more.
bool RepairRound::Try(const Suggestion& suggestion, int patience) {
  constexpr int kLeast = 3;
  const Suggester& suggester = repairs_.suggester();
  ForcedState trial = repairs_.Try(suggestion, patience);
  // It is one of several readers of a wrong result: the other readers keep the rest from matching.
  if (trial.abandoned && repairs_.GainOf(trial, suggestion) > std::max(kLeast, gain_)) {
    trial = repairs_.Try(suggestion, std::numeric_limits<int>::max());
  }
  if (trial.abandoned) return false;
  if (trial.at(suggestion.right).match != suggestion.left) return true;
  if (IsAnotherLength(suggestion) && suggester.StandingOf(trial).doomed_count > 0) return true;
  const int gain = repairs_.GainOf(trial, suggestion);
  double value = gain + 0.1 * suggestion.structure;
  if (repairs_.run().right().IsConstant(suggestion.right)) value += 0.5;
  const bool is_weak = repairs_.IsWeak(suggestion.right, suggestion.left);
  if (!is_weak) value -= 3;
  // Matches by chance do not reach the outputs.
  if (suggester.OutputsMet(trial) > suggester.OutputsMet(repairs_.state())) value += 0.3;
  // The earlier of two equal explanations wins.
  value -= 0.05 * suggestion.right / static_cast<double>(trial.results.size());
  const bool speaks = suggestion.structure >= 0.5 && gain >= 0;
  if (gain <= 0 && !speaks) {
    if (gain < 0) refused_.insert({suggestion.right, suggestion.left});
    return true;
  }
  if (best_.has_value() && value <= value_) return true;
  best_ = suggestion;
  value_ = value;
  gain_ = gain;
  state_ = std::move(trial);
  if (is_weak && repairs_.StartsRegion(suggestion.right) &&
      suggester.StandingOf(state_).doomed_count == 0) {
    whole_ = {suggestion, Behind({suggestion.right}, repairs_.run().right().stream())};
  }
  return true;
}

void RepairRound::TryAll(std::vector<Suggestion> suggestions) {
  Order(&suggestions);
  std::vector<std::pair<Suggestion, int64_t>> impatient;  // with the number of their runs
  for (const Suggestion& suggestion : suggestions) {
    if (TriedEnough()) break;
    if (refused_.contains({suggestion.right, suggestion.left}) || IsRuledOut(suggestion)) continue;
    ++tried_;
    const int64_t before = repairs_.run().runs();
    // With the true pair, later results match at once, so few misses are allowed at first.
    if (!Try(suggestion, work_bounds::kFewTrials)) {
      impatient.emplace_back(suggestion, repairs_.run().runs() - before);
    }
    if (IsEnough()) break;
  }
  TryAgain(impatient);
}

// Most are not worth the wait if another one is known to be right.
void RepairRound::TryAgain(const std::vector<std::pair<Suggestion, int64_t>>& impatient) {
  for (const auto& [suggestion, runs] : impatient) {
    if (IsRuledOut(suggestion)) continue;
    // It is another partner for the result of the suggestion that repairs all.
    if (whole_.has_value() && suggestion.right == whole_->suggestion.right) continue;
    if (IsEnough() && suggestion.right >= best_->right) continue;
    if (repairs_.RanLong()) break;
    repairs_.CountOnce(runs);
    Try(suggestion, work_bounds::kTrials);
  }
}

void RepairRound::AdoptBest() { repairs_.Adopt(std::move(state_), *best_); }

}  // namespace onnxcmp
