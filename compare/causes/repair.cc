#include "compare/causes/repair.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "compare/causes/repair_suggestions.h"

namespace onnxcmp {
namespace {

class Repairer {
 public:
  Repairer(const ForcedRun& run, std::vector<std::pair<int, int>> hints, const RepairLimits& limits)
      : run_(run), suggester_(run, std::move(hints), limits.constant_looks), limits_(limits) {}

  Repaired Repair() {
    repaired_.state = run_.Run({});
    // Once more, on the constants that were paired late.
    Adopt(run_.Run(repaired_.state.fixed, &repaired_.state));
    RepairSuspects();
    RepairLeftOvers();
    MoveUpstream();
    if (suggester_.limited()) {
      Note(absl::StrCat(limits_.constant_looks, " looks at each constant"));
    }
    return std::move(repaired_);
  }

 private:
  // Whether little but its bits speaks for a result's match, where class c might be right.
  bool IsWeak(int r, int c) const {
    const ForcedResult& result = state().at(r);
    if (result.match == kNone) return true;
    if (run_.right().result(r).fingerprint.size <= 4) return true;
    const int n = run_.right().producer(r);
    if (n == kNone) return false;
    if (CopiedBy(r) != kNone || suggester_.AreCounterparts(r, c)) return true;
    return IsClaimedTwice(r) && !IsTaken(c);
  }
  int CopiedBy(int r) const { return run_.CopiedBy(state(), r); }
  bool IsTaken(int c) const { return claims_[static_cast<size_t>(c)] > 0; }
  // By another result of the same operator.
  bool IsClaimedTwice(int r) const {
    const int match = state().at(r).match;
    if (match == kNone || claims_[static_cast<size_t>(match)] < 2) return false;
    const SideGraph& right = run_.right();
    const std::string& op_type = right.node(right.producer(r)).made->op_type;
    return absl::c_any_of(right.results(), [&](int other) {
      const int n = right.producer(other);
      return other != r && state().at(other).match == match && n != kNone &&
             right.node(n).made->op_type == op_type;
    });
  }

  const ForcedState& state() const { return repaired_.state; }

  void Adopt(ForcedState state) {
    repaired_.state = std::move(state);
    claims_.assign(static_cast<size_t>(run_.left().size()), 0);
    for (const int r : run_.right().results()) {
      const int match = repaired_.state.at(r).match;
      if (match != kNone) ++claims_[static_cast<size_t>(match)];
    }
  }

  void Note(std::string limit) { repaired_.limits.insert(std::move(limit)); }

  bool RanLong() {
    const auto nodes = static_cast<int64_t>(run_.right().nodes().size());
    if (run_.runs() <= limits_.node_runs * std::max<int64_t>(nodes, 100)) return false;
    Note(absl::StrCat(limits_.node_runs, " runs of each node"));
    return true;
  }

  // Whether no more suspects may be tried, of a round that has come so far.
  bool TriedEnough(int of_round) {
    if (repaired_.trials >= limits_.all_trials) {
      Note(absl::StrCat(limits_.all_trials, " trials"));
      return true;
    }
    if (of_round == limits_.trials) Note(absl::StrCat(limits_.trials, " trials for one repair"));
    return of_round == limits_.trials || RanLong();
  }

  // The true one lets the results behind it match at once.
  static constexpr int kPatience = 32;
  ForcedState Try(const Suggestion& suggestion, int patience = kPatience) {
    FixedMatches fixed = state().fixed;
    fixed[suggestion.right] = suggestion.left;
    ++repaired_.trials;
    return run_.Run(fixed, &state(), patience);
  }
  // Results that found a match besides the one suggested.
  int GainOf(const ForcedState& trial, const Suggestion& suggestion) const {
    const int own = trial.at(suggestion.right).match != kNone ? 1 : 0;
    const int before = state().at(suggestion.right).match != kNone ? 1 : 0;
    return (trial.matched - own) - (state().matched - before);
  }

  // Whether all that a result is made of is sure of its match: no other can be at the root of it.
  bool StartsRegion(const Suggestion& suggestion) const {
    const int n = run_.right().producer(suggestion.right);
    if (n == kNone) return true;
    for (const int read : run_.right().Reads(n)) {
      if (state().at(read).match == kNone) return false;
      if (run_.right().IsComputed(read) && (CopiedBy(read) != kNone || IsClaimedTwice(read))) {
        return false;
      }
    }
    return true;
  }

  // Whether what a result flows into was given its match by order, so that a trial that changes
  // nothing there proves nothing.
  bool FlowsIntoFixed(int r) const {
    std::vector<int> open = {r};
    absl::flat_hash_set<int> seen;
    while (!open.empty()) {
      const int next = open.back();
      open.pop_back();
      for (const int n : run_.right().readers(next)) {
        for (const int output : run_.right().node(n).made->outputs) {
          if (output == kNone || !seen.insert(output).second) continue;
          const ForcedResult& result = state().at(output);
          if (result.rule == MatchRule::kFixed) return true;
          if (result.match == kNone) open.push_back(output);
        }
      }
    }
    return false;
  }

  void RepairSuspects() {
    std::set<std::pair<int, int>> refused;
    for (int round = 0; round < limits_.rounds; ++round) {
      const Suggester::Standing standing = suggester_.StandingOf(state());
      if (standing.doomed_count == 0) {
        // Whatever was left untried was not needed.
        repaired_.limits.clear();
        return;
      }
      std::vector<Suggestion> suggestions = suggester_.ForSuspects(state(), standing);
      std::stable_partition(suggestions.begin(), suggestions.end(), [&](const Suggestion& s) {
        return s.structure >= 0.3 && StartsRegion(s);
      });
      std::optional<Suggestion> best;
      ForcedState best_state;
      double best_value = 0;
      constexpr int kLeast = 3;
      int best_gain = 0;
      int tried = 0;
      for (const Suggestion& suggestion : suggestions) {
        if (TriedEnough(tried)) break;
        if (refused.contains({suggestion.right, suggestion.left})) continue;
        ++tried;
        ForcedState trial = Try(suggestion);
        // One of several readers of what is wrong: the others hold up the rest.
        if (trial.abandoned && GainOf(trial, suggestion) > std::max(kLeast, best_gain)) {
          trial = Try(suggestion, std::numeric_limits<int>::max());
        }
        if (trial.abandoned || trial.at(suggestion.right).match != suggestion.left) continue;
        const int gain = GainOf(trial, suggestion);
        double value = gain + 0.1 * suggestion.structure;
        if (run_.right().IsConstant(suggestion.right)) value += 0.5;
        if (!IsWeak(suggestion.right, suggestion.left)) value -= 3;
        // Results that are near by chance do not lead to the outputs.
        if (suggester_.OutputsMet(trial) > suggester_.OutputsMet(state())) value += 0.3;
        // Of two that explain the same, the first one.
        value -= 0.05 * suggestion.right / static_cast<double>(trial.results.size());
        const bool speaks = suggestion.structure >= 0.5 && gain >= 0;
        if (gain <= 0 && !speaks) {
          if (gain < 0) refused.insert({suggestion.right, suggestion.left});
          continue;
        }
        if (!best.has_value() || value > best_value) {
          best = suggestion;
          best_value = value;
          best_gain = gain;
          best_state = std::move(trial);
        }
        if (best_value >= 0.95 * standing.doomed_count && best_value > 4 && StartsRegion(*best)) {
          break;
        }
      }
      if (!best.has_value() || best_value <= -1) {
        for (const int r : run_.right().results()) {
          if (!standing.suspect[static_cast<size_t>(r)]) continue;
          repaired_.lost = r;
          break;
        }
        return;
      }
      Adopt(std::move(best_state));
      repairs_.push_back(*best);
    }
    Note(absl::StrCat(limits_.rounds, " repairs"));
  }

  void RepairLeftOvers() {
    std::set<std::pair<int, int>> tried;
    for (bool more = true; more;) {
      more = false;
      for (const Suggestion& suggestion : suggester_.ForLeftOvers(state())) {
        if (!tried.insert({suggestion.right, suggestion.left}).second) continue;
        if (static_cast<int>(tried.size()) > limits_.left_over_trials) {
          Note(absl::StrCat(limits_.left_over_trials, " trials of what is left over"));
          return;
        }
        if (RanLong()) return;
        ForcedState trial = Try(suggestion);
        if (trial.abandoned || trial.at(suggestion.right).match != suggestion.left) continue;
        const int gain = GainOf(trial, suggestion);
        const bool constant = run_.right().IsConstant(suggestion.right);
        if (gain < 0 || (gain == 0 && suggestion.structure < (constant ? 0.5 : 0.99))) continue;
        if (gain == 0 && constant && FlowsIntoFixed(suggestion.right)) continue;
        Adopt(std::move(trial));
        repairs_.push_back(suggestion);
        more = true;
        break;
      }
    }
  }

  // A repaired result whose node does on the left's inputs what the left's does is innocent: the
  // inputs that differ are at fault.
  void MoveUpstream() {
    for (size_t i = 0; i < repairs_.size(); ++i) {
      const Suggestion repair = repairs_[i];
      const int n = run_.right().producer(repair.right);
      if (n == kNone || !state().fixed.contains(repair.right)) continue;
      const SideGraph& left = run_.left().graph();
      const int l = left.producer(run_.left().representative(repair.left));
      if (l == kNone) continue;
      const StreamNode& made = *run_.right().node(n).made;
      const StreamNode& other = *left.node(l).made;
      if (made.op_type != other.op_type || made.domain != other.domain ||
          made.attributes != other.attributes || made.inputs.size() != other.inputs.size() ||
          !made.captures.empty()) {
        continue;
      }
      std::vector<std::pair<int, int>> differing;
      bool movable = true;
      absl::node_hash_map<int, Value> values;
      std::vector<int> left_inputs;
      std::vector<int> right_inputs;
      for (size_t k = 0; k < made.inputs.size(); ++k) {
        const int r = made.inputs[k];
        const int c = run_.left().of(other.inputs[k]);
        if (r == kNone && other.inputs[k] == kNone) continue;
        if (r == kNone || c == kNone) {
          movable = false;
          break;
        }
        left_inputs.push_back(c);
        right_inputs.push_back(state().at(r).match);
        if (state().at(r).match != c &&
            !absl::c_linear_search(differing, std::pair<int, int>(r, c))) {
          differing.emplace_back(r, c);
          // A copy is as sure as what it is a copy of.
          int root = r;
          while (state().at(root).match != kNone && CopiedBy(root) != kNone) root = CopiedBy(root);
          movable = movable && IsWeak(root, c) && suggester_.Fits(r, c);
        }
        const auto value = values.emplace(r, run_.ValueFor(c, r)).first;
        movable = movable && !value->second.empty();
      }
      std::sort(left_inputs.begin(), left_inputs.end());
      std::sort(right_inputs.begin(), right_inputs.end());
      // Several that differ are one region that is at fault.
      if (!movable || differing.size() != 1 || left_inputs == right_inputs) continue;
      const auto outputs =
          run_.right().Run(n, [&](int r) -> const Value& { return values.find(r)->second; });
      const auto slot = static_cast<size_t>(run_.right().result(repair.right).slot);
      if (!outputs.ok() || slot >= outputs->size() || !IsMeasurable((*outputs)[slot])) continue;
      const Tensor& given = (*outputs)[slot].tensor();
      const Value& wanted = run_.left().value(repair.left);
      if (!IsMeasurable(wanted) || given.shape() != wanted.tensor().shape() ||
          !Near(run_.left().measured(repair.left), Measure(given))) {
        continue;
      }
      FixedMatches fixed = state().fixed;
      fixed.erase(repair.right);
      for (const auto& [r, c] : differing) fixed[r] = c;
      ++repaired_.trials;
      ForcedState moved = run_.Run(fixed, &state());
      if (moved.matched < state().matched) continue;
      Adopt(std::move(moved));
      for (const auto& [r, c] : differing) repairs_.push_back({r, c, 1});
    }
  }

  const ForcedRun& run_;
  const Suggester suggester_;
  const RepairLimits limits_;
  Repaired repaired_;
  std::vector<int> claims_;  // by class: right results that are matched with it
  std::vector<Suggestion> repairs_;
};

}  // namespace

Repaired Repair(const ForcedRun& run, std::vector<std::pair<int, int>> hints,
                const RepairLimits& limits) {
  return Repairer(run, std::move(hints), limits).Repair();
}

}  // namespace onnxcmp
