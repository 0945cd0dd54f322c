#include "compare/causes/repair/repair.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "compare/causes/repair/exchanged_results.h"
#include "compare/causes/repair/repair_moves.h"
#include "compare/causes/repair/repair_round.h"
#include "compare/causes/repair/repair_suggestions.h"
#include "compare/causes/repair/repairs.h"
#include "evaluator/tensor/dtype.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

class Repairer {
 public:
  Repairer(const ForcedRun& run, std::vector<std::pair<int, int>> hints, const RepairLimits& limits)
      : run_(run),
        suggester_(run, hints, limits.constant_looks),
        limits_(limits),
        hints_(std::move(hints)),
        repairs_(run, suggester_, limits) {}

  Repaired Repair() {
    do {
      RepairSuspects();
    } while (repairs_.repaired().lost != kNone && FallBack());
    // Results that no repair has reached may still be explained.
    if (!state().skipped.empty()) repairs_.Adopt(run_.Completed(state()));
    RepairLeftOvers();
    PairExchanged(&repairs_);
    MoveUpstream(&repairs_);
    DropNeedless(&repairs_);
    if (suggester_.limited()) {
      repairs_.Note(absl::StrCat(limits_.constant_looks, " looks at each constant"));
    }
    return std::move(repairs_.repaired());
  }

 private:
  const ForcedState& state() const { return repairs_.state(); }

  // If no trial confirms a pair: takes the first aligned pair without a match whose inputs all have
  // one. Its fault may hide later faults, as two exchanged results do; but an output that differs
  // has a cause, whatever matches that costs. False if there is none.
  bool FallBack() {
    std::sort(hints_.begin(), hints_.end());
    const Suggester::Standing standing = suggester_.StandingOf(state());
    return FallBack(standing, /*outputs_may_take=*/false) ||
           FallBack(standing, /*outputs_may_take=*/true);
  }
  // The second call is for outputs alone: all others were tried before.
  bool FallBack(const Suggester::Standing& standing, bool outputs_may_take) {
    constexpr int kNoEnd = std::numeric_limits<int>::max();
    for (const auto& [r, l] : hints_) {
      const int c = run_.left().of(l);
      const ForcedResult& result = state().at(r);
      if (c == kNone || !standing.suspect[Index(r)] || result.own.empty() ||
          state().fixed.contains(r) || !run_.right().IsComputed(r) || !suggester_.Fits(r, c) ||
          !repairs_.StartsRegion(r) || (outputs_may_take && !suggester_.AreCounterparts(r, c))) {
        continue;
      }
      ForcedState state_with = repairs_.Try({r, c, 1}, kNoEnd);
      if (state_with.at(r).match != c ||
          (repairs_.GainOf(state_with, {r, c, 1}) < 0 && !outputs_may_take)) {
        continue;
      }
      repairs_.Adopt(std::move(state_with), {r, c, 1});
      repairs_.repaired().lost = kNone;
      fell_back_ = true;
      return true;
    }
    return false;
  }

  void RepairSuspects() {
    std::set<std::pair<int, int>> refused;
    for (int i = 0; i < limits_.rounds; ++i) {
      const Suggester::Standing standing = suggester_.StandingOf(state());
      if (standing.doomed_count == 0) {
        // Untried suggestions were not needed, if trials confirmed all repairs.
        if (!fell_back_) repairs_.repaired().limits.clear();
        return;
      }
      RepairRound round(standing, &refused, &repairs_);
      round.TryAll(suggester_.ForSuspects(state(), standing));
      // Comparing all constants takes long, and one that is read elsewhere is rarely at fault.
      if (!round.IsEnough()) {
        const auto may_outdo = [&](int r) { return round.MayOutdo(r); };
        round.TryAll(suggester_.ForOtherConstants(state(), standing, may_outdo));
      }
      if (!round.HasBest()) {
        for (const int r : run_.right().results()) {
          if (!standing.suspect[Index(r)]) continue;
          repairs_.repaired().lost = r;
          break;
        }
        return;
      }
      round.AdoptBest();
    }
    repairs_.Note(absl::StrCat(limits_.rounds, " repairs"));
  }

  void RepairLeftOvers() {
    std::set<std::pair<int, int>> tried;
    for (bool more = true; more;) {
      more = false;
      for (const Suggestion& suggestion : suggester_.ForLeftOvers(state())) {
        if (MeansTheSame(suggestion)) continue;
        if (!tried.insert({suggestion.right, suggestion.left}).second) continue;
        if (static_cast<int>(tried.size()) > limits_.left_over_trials) {
          repairs_.Note(absl::StrCat(limits_.left_over_trials, " trials of left-over results"));
          return;
        }
        if (repairs_.RanLong()) return;
        ForcedState trial = repairs_.Try(suggestion, work_bounds::kTrials);
        if (trial.abandoned || trial.at(suggestion.right).match != suggestion.left) continue;
        const int gain = repairs_.GainOf(trial, suggestion);
        const bool constant = run_.right().IsConstant(suggestion.right);
        if (gain < 0 || (gain == 0 && suggestion.structure < (constant ? 0.5 : 0.99))) continue;
        if (suggester_.OutputsMet(trial) < suggester_.OutputsMet(state())) continue;
        if (constant && gain <= TrivialGain(trial, suggestion.right) &&
            (suggester_.FlowsIntoFixed(state(), suggestion.right) || repairs_.MovesAny(trial))) {
          continue;
        }
        repairs_.Adopt(std::move(trial), suggestion);
        more = true;
        break;
      }
    }
  }

  // True for integers of which a reader makes what the left's reader makes of its own: an axis
  // counted from the end, an end beyond the last element.
  bool MeansTheSame(const Suggestion& suggestion) const {
    const SideGraph& right = run_.right();
    const ValueClasses& left = run_.left();
    if (!right.IsConstant(suggestion.right) || !IsInteger(right.result(suggestion.right).dtype)) {
      return false;
    }
    const auto is_made_of_the_lefts = [&](int member) {
      const int n = left.graph().producer(member);
      return n != kNone && absl::c_any_of(left.graph().Reads(n), [&](int read) {
               return left.of(read) == suggestion.left;
             });
    };
    return absl::c_any_of(right.After(suggestion.right), [&](int after) {
      const ForcedResult& result = state().at(after);
      return result.match != kNone && result.own_content == result.held_content &&
             absl::c_any_of(left.members(result.match), is_made_of_the_lefts);
    });
  }

  // Number of results that match only because the left's node gives them with the left's constant:
  // these prove nothing.
  int TrivialGain(const ForcedState& trial, int constant) const {
    return static_cast<int>(absl::c_count_if(run_.right().After(constant), [&](int r) {
      return trial.at(r).match != kNone && state().at(r).match == kNone;
    }));
  }

  const ForcedRun& run_;
  const Suggester suggester_;
  const RepairLimits limits_;
  std::vector<std::pair<int, int>> hints_;
  Repairs repairs_;
  bool fell_back_ = false;  // to a pair that no trial confirmed
};

}  // namespace

Repaired Repair(const ForcedRun& run, std::vector<std::pair<int, int>> hints,
                const RepairLimits& limits) {
  return Repairer(run, std::move(hints), limits).Repair();
}

}  // namespace onnxcmp
