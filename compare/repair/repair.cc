#include "compare/repair/repair.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "compare/forced/node_inputs.h"
#include "compare/graphs/region.h"
#include "compare/repair/repair_suggestions.h"
#include "compare/streams/downstream.h"

namespace onnxcmp {
namespace {

class Repairer {
 public:
  Repairer(const ForcedRun& run, std::vector<std::pair<int, int>> hints, const RepairLimits& limits)
      : run_(run),
        suggester_(run, hints, limits.constant_looks),
        limits_(limits),
        hints_(std::move(hints)),
        of_constants_(FindConstants()) {}

  Repaired Repair() {
    repaired_.state = run_.Run({});
    // Once more, on the constants that were paired late.
    Adopt(run_.Run(repaired_.state.fixed, &repaired_.state));
    do {
      RepairSuspects();
    } while (repaired_.lost != kNone && FallBack());
    // What no repair has reached may be told of nevertheless.
    if (!state().skipped.empty()) Adopt(run_.Completed(state()));
    RepairLeftOvers();
    MoveUpstream();
    DropNeedless();
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
    const int64_t runs = run_.runs() - repeated_runs_;
    if (runs <= limits_.node_runs * std::max<int64_t>(nodes, 100)) return false;
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

  // The true one lets the results after it match at once, so at first a few are waited for.
  static constexpr int kFirstPatience = 8;
  static constexpr int kPatience = 32;
  ForcedState Try(const Suggestion& suggestion, int patience = kPatience) {
    FixedMatches fixed = state().fixed;
    fixed[suggestion.right] = suggestion.left;
    ++repaired_.trials;
    return run_.Run(fixed, &state(), {.patience = patience});
  }
  // Results that found a match besides the one suggested.
  int GainOf(const ForcedState& trial, const Suggestion& suggestion) const {
    const int own = trial.at(suggestion.right).match != kNone ? 1 : 0;
    const int before = state().at(suggestion.right).match != kNone ? 1 : 0;
    return (trial.matched - own) - (state().matched - before);
  }

  // By right result: it is a constant, or made of nothing else. Such have no partner where a side
  // has other constants, and that keeps nothing after them from being the first that is wrong.
  std::vector<bool> FindConstants() const {
    const SideGraph& right = run_.right();
    std::vector<bool> constant(right.stream().results.size());
    for (const int r : right.results()) {
      constant[Index(r)] = right.IsConstant(r);
      if (!right.IsComputed(r)) continue;
      const std::vector<int> reads = right.Reads(right.producer(r));
      constant[Index(r)] = absl::c_all_of(reads, [&](int read) { return constant[Index(read)]; });
    }
    return constant;
  }

  // Whether all that a result is made of is sure of its match: no other can be at the root of it.
  bool StartsRegion(const Suggestion& suggestion) const {
    const int n = run_.right().producer(suggestion.right);
    if (n == kNone) return true;
    for (const int read : run_.right().Reads(n)) {
      if (of_constants_[Index(read)]) continue;
      if (state().at(read).match == kNone) return false;
      if (run_.right().IsComputed(read) && (CopiedBy(read) != kNone || IsClaimedTwice(read))) {
        return false;
      }
    }
    return true;
  }

  // Whether a constant is read by a node whose result is wrong although all else that it reads is
  // not: one that is only read further on makes up for nothing before that. True of what is
  // computed.
  bool IsReadAtBeginning(int r) const {
    const SideGraph& right = run_.right();
    if (!right.IsConstant(r)) return true;
    const auto is_open = [&](int other) { return state().at(other).match == kNone; };
    return absl::c_any_of(right.readers(r), [&](int n) {
      return absl::c_any_of(right.node(n).made->outputs,
                            [&](int output) { return output != kNone && is_open(output); }) &&
             absl::c_none_of(right.Reads(n), [&](int read) {
               return !of_constants_[Index(read)] && is_open(read);
             });
    });
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

  // First those that begin a region with something to speak for them; of either kind each right
  // result's best before anyone's second.
  void Order(std::vector<Suggestion>* suggestions) const {
    absl::flat_hash_map<int, int> seen;
    std::vector<std::tuple<bool, int, Suggestion>> ranked;
    for (const Suggestion& s : *suggestions) {
      const bool likely = s.structure >= 0.3 && StartsRegion(s) && IsReadAtBeginning(s.right);
      ranked.emplace_back(!likely, seen[s.right]++, s);
    }
    absl::c_stable_sort(ranked, [](const auto& a, const auto& b) {
      return std::pair(std::get<0>(a), std::get<1>(a)) < std::pair(std::get<0>(b), std::get<1>(b));
    });
    suggestions->clear();
    for (const auto& [unlikely, rank, s] : ranked) suggestions->push_back(s);
  }

  // Where no trial proves a pair: the first that the alignment has whose inputs all have a match,
  // and which has none itself. False if there is none.
  bool FallBack() {
    const Suggester::Standing standing = suggester_.StandingOf(state());
    std::sort(hints_.begin(), hints_.end());
    for (const auto& [r, l] : hints_) {
      const int c = run_.left().of(l);
      const ForcedResult& result = state().at(r);
      if (c == kNone || !standing.suspect[Index(r)] || result.own.empty() ||
          state().fixed.contains(r) || !run_.right().IsComputed(r) || !suggester_.Fits(r, c) ||
          !StartsRegion({r, c, 1})) {
        continue;
      }
      ForcedState state_with = Try({r, c, 1}, std::numeric_limits<int>::max());
      if (state_with.at(r).match != c || GainOf(state_with, {r, c, 1}) < 0) continue;
      Adopt(std::move(state_with));
      repairs_.push_back({r, c, 1});
      repaired_.lost = kNone;
      fell_back_ = true;
      return true;
    }
    return false;
  }

  // A suggestion after which nothing is left to repair.
  struct Whole {
    Suggestion suggestion;
    std::vector<bool> after;  // by right result: it is made of what was suggested
  };
  // Whether a result is made of what was suggested, or is a constant that only such results are
  // made of, not one that is read together with it.
  bool LiesAfter(int r, const Whole& whole) const {
    const SideGraph& right = run_.right();
    if (!right.IsConstant(r)) return whole.after[Index(r)];
    return absl::c_all_of(right.readers(r), [&](int n) {
      const bool together = right.IsConstant(whole.suggestion.right) &&
                            absl::c_linear_search(right.Reads(n), whole.suggestion.right);
      return !together && absl::c_all_of(right.node(n).made->outputs, [&](int output) {
        return output == kNone || whole.after[Index(output)];
      });
    });
  }
  // Whether another one may be worth more: it lies before that, more speaks for it, or it is a
  // constant. What lies after it is right by then.
  bool MayOutdo(const Suggestion& suggestion, const Whole& whole) const {
    const Suggestion& known = whole.suggestion;
    if (LiesAfter(suggestion.right, whole)) return false;
    return suggestion.right < known.right || suggestion.structure > known.structure ||
           (run_.right().IsConstant(suggestion.right) && !run_.right().IsConstant(known.right));
  }

  // The best of the suggestions of one round that have been tried.
  struct Round {
    const Suggester::Standing& standing;
    std::set<std::pair<int, int>>& refused;
    std::optional<Suggestion> best = std::nullopt;
    ForcedState state = {};
    double value = 0;
    int gain = 0;
    std::optional<Whole> whole = std::nullopt;

    bool is_enough() const { return value >= 0.95 * standing.doomed_count && value > 4; }
  };

  // False if a trial with more patience might tell more.
  bool TryInRound(const Suggestion& suggestion, int patience, Round* round) {
    constexpr int kLeast = 3;
    ForcedState trial = Try(suggestion, patience);
    // One of several readers of what is wrong: the others hold up the rest.
    if (trial.abandoned && GainOf(trial, suggestion) > std::max(kLeast, round->gain)) {
      trial = Try(suggestion, std::numeric_limits<int>::max());
    }
    if (trial.abandoned) return false;
    if (trial.at(suggestion.right).match != suggestion.left) return true;
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
      if (gain < 0) round->refused.insert({suggestion.right, suggestion.left});
      return true;
    }
    if (round->best.has_value() && value <= round->value) return true;
    round->best = suggestion;
    round->value = value;
    round->gain = gain;
    round->state = std::move(trial);
    const bool is_sure = IsWeak(suggestion.right, suggestion.left) && StartsRegion(suggestion);
    if (is_sure && suggester_.StandingOf(round->state).doomed_count == 0) {
      round->whole = {suggestion, Behind({suggestion.right}, run_.right().stream())};
    }
    return true;
  }

  void TryAll(const std::vector<Suggestion>& suggestions, Round* round) {
    std::vector<std::pair<Suggestion, int64_t>> impatient;  // and the runs that took
    const auto is_ruled_out = [&](const Suggestion& suggestion) {
      return round->whole.has_value() && !MayOutdo(suggestion, *round->whole);
    };
    int tried = 0;
    for (const Suggestion& suggestion : suggestions) {
      if (TriedEnough(tried)) break;
      if (round->refused.contains({suggestion.right, suggestion.left})) continue;
      if (is_ruled_out(suggestion)) continue;
      ++tried;
      const int64_t before = run_.runs();
      if (!TryInRound(suggestion, kFirstPatience, round)) {
        impatient.emplace_back(suggestion, run_.runs() - before);
      }
      if (round->is_enough() && StartsRegion(*round->best)) break;
    }
    // Most are not worth waiting for, if another one is known to be right.
    for (const auto& [suggestion, runs] : impatient) {
      if (is_ruled_out(suggestion)) continue;
      if (round->is_enough() && StartsRegion(*round->best) &&
          suggestion.right >= round->best->right) {
        continue;
      }
      if (RanLong()) break;
      repeated_runs_ += runs;
      --repaired_.trials;
      TryInRound(suggestion, kPatience, round);
    }
  }

  void RepairSuspects() {
    std::set<std::pair<int, int>> refused;
    for (int round = 0; round < limits_.rounds; ++round) {
      const Suggester::Standing standing = suggester_.StandingOf(state());
      if (standing.doomed_count == 0) {
        // Whatever was left untried was not needed, if trials proved what was.
        if (!fell_back_) repaired_.limits.clear();
        return;
      }
      std::vector<Suggestion> suggestions = suggester_.ForSuspects(state(), standing);
      Order(&suggestions);
      Round tried = {.standing = standing, .refused = refused};
      TryAll(suggestions, &tried);
      if (!tried.best.has_value() || tried.value <= -1) {
        for (const int r : run_.right().results()) {
          if (!standing.suspect[Index(r)]) continue;
          repaired_.lost = r;
          break;
        }
        return;
      }
      Adopt(std::move(tried.state));
      repairs_.push_back(*tried.best);
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
      if (!run_.right().node(n).made->captures.empty()) continue;
      if (!MoveToDiffering(repair, n) && !MoveToUnmatched(repair, n)) MoveIntoRegion(repair);
    }
  }

  // Whether a right node gives what the left has if one of its inputs is a class, and the others
  // are what `value` tells.
  bool GivesMatch(const Suggestion& repair, int n,
                  absl::FunctionRef<const Value&(int r)> value) const {
    const Value& wanted = run_.left().value(repair.left);
    if (!IsMeasurable(wanted)) return false;
    const auto outputs = run_.right().Run(n, value);
    const auto slot = static_cast<size_t>(run_.right().result(repair.right).slot);
    if (!outputs.ok() || slot >= outputs->size() || !IsMeasurable((*outputs)[slot])) return false;
    const Tensor& given = (*outputs)[slot].tensor();
    return given.shape() == wanted.tensor().shape() &&
           Near(run_.left().measured(repair.left), Measure(given));
  }

  // Makes another pair of a repair. False if what comes of it is not good enough.
  bool Move(const Suggestion& repair, int r, int c,
            absl::FunctionRef<bool(const ForcedState&)> is_good) {
    FixedMatches fixed = state().fixed;
    fixed.erase(repair.right);
    fixed[r] = c;
    ++repaired_.trials;
    ForcedState moved = run_.Run(fixed, &state());
    if (!is_good(moved)) return false;
    Adopt(std::move(moved));
    repairs_.push_back({r, c, 1});
    return true;
  }

  // To the only input in which two nodes that do the same differ. Several that differ are one
  // region that is at fault.
  bool MoveToDiffering(const Suggestion& repair, int n) {
    const SideGraph& left = run_.left().graph();
    const int l = left.producer(run_.left().representative(repair.left));
    if (l == kNone) return false;
    const StreamNode& made = *run_.right().node(n).made;
    const StreamNode& other = *left.node(l).made;
    if (made.op_type != other.op_type || made.domain != other.domain ||
        made.attributes != other.attributes || made.inputs.size() != other.inputs.size()) {
      return false;
    }
    absl::btree_set<std::pair<int, int>> differing;
    absl::node_hash_map<int, Value> values;
    std::vector<int> left_inputs;
    std::vector<int> right_inputs;
    for (const InputPair& pair : PairInputs(run_, state(), l, n)) {
      const int r = pair.right;
      const int c = run_.left().of(pair.left);
      if (r == kNone || c == kNone) return false;
      left_inputs.push_back(c);
      right_inputs.push_back(state().at(r).match);
      if (!pair.equal && differing.emplace(r, c).second) {
        // A copy is as sure as what it is a copy of.
        int root = r;
        while (state().at(root).match != kNone && CopiedBy(root) != kNone) root = CopiedBy(root);
        if (!IsWeak(root, c) || !suggester_.Fits(r, c)) return false;
      }
      if (values.emplace(r, run_.ValueFor(c, r)).first->second.empty()) return false;
    }
    absl::c_sort(left_inputs);
    absl::c_sort(right_inputs);
    if (differing.size() != 1 || left_inputs == right_inputs) return false;
    const auto value = [&](int r) -> const Value& { return values.find(r)->second; };
    const auto loses_nothing = [&](const ForcedState& s) { return s.matched >= state().matched; };
    return GivesMatch(repair, n, value) &&
           Move(repair, differing.begin()->first, differing.begin()->second, loses_nothing);
  }

  // To an input without a match, or with one that may be what it is a copy of, whatever the left's
  // node does: a left result some hops back with which the right's node gives what the left has.
  bool MoveToUnmatched(const Suggestion& repair, int n) {
    const SideGraph& right = run_.right();
    const std::vector<int> reads = right.Reads(n);
    if (absl::c_any_of(reads, [&](int read) { return state().at(read).held.empty(); }))
      return false;
    const auto held = [&](int r) -> const Value& { return state().at(r).held; };
    const auto loses_nothing = [&](const ForcedState& s) { return s.matched >= state().matched; };
    if (state().at(repair.right).own.empty() || GivesMatch(repair, n, held)) return false;
    for (const int read : reads) {
      const bool copies = state().at(read).match != kNone && CopiedBy(read) != kNone;
      if ((state().at(read).match != kNone && !copies) || of_constants_[Index(read)]) continue;
      for (const int c : ClassesBefore(repair.left)) {
        if (state().at(read).match == c || !suggester_.Fits(read, c)) continue;
        const Value tried = run_.ValueFor(c, read);
        if (tried.empty()) continue;
        const auto value = [&](int r) -> const Value& {
          return r == read ? tried : state().at(r).held;
        };
        if (GivesMatch(repair, n, value) && Move(repair, read, c, loses_nothing)) return true;
      }
    }
    return false;
  }

  // A pair that was tried first, after the fault, may be needed no more once the true one is
  // known: what it paired finds another match by itself, and nothing is lost.
  void DropNeedless() {
    for (const Suggestion& repair : repairs_) {
      if (!run_.right().IsComputed(repair.right) || !state().fixed.contains(repair.right)) continue;
      FixedMatches fixed = state().fixed;
      fixed.erase(repair.right);
      ++repaired_.trials;
      ForcedState without = run_.Run(fixed, &state(), {.needed = repair.right});
      if (without.abandoned || without.matched < state().matched ||
          suggester_.OutputsMet(without) < suggester_.OutputsMet(state()) ||
          suggester_.StandingOf(without).doomed_count >
              suggester_.StandingOf(state()).doomed_count) {
        continue;
      }
      Adopt(std::move(without));
    }
  }

  // To a result without a match between the repair and what has one: the first that lets more match
  // than the repair, which reads it by several ways.
  bool MoveIntoRegion(const Suggestion& repair) {
    constexpr size_t kMostNodes = 8;
    constexpr int kMostTrials = 16;
    const auto is_matched = [&](int r) { return state().at(r).match != kNone; };
    const Region region = RegionOf(run_.right(), repair.right, is_matched, kMostNodes);
    const std::vector<int> before = ClassesBefore(repair.left);
    int tried = 0;
    for (const int n : region.nodes) {
      for (const int r : run_.right().node(n).made->outputs) {
        if (r == kNone || r == repair.right || is_matched(r) || of_constants_[Index(r)]) continue;
        for (const int c : before) {
          if (!suggester_.Fits(r, c)) continue;
          if (++tried > kMostTrials) return false;
          const auto gains = [&](const ForcedState& moved) {
            return moved.matched > state().matched && moved.at(repair.right).match == repair.left;
          };
          if (Move(repair, r, c, gains)) return true;
        }
      }
    }
    return false;
  }

  // A left result and what it was made of, some hops back; the nearest first.
  std::vector<int> ClassesBefore(int c) const {
    constexpr int kHopsBack = 4;
    constexpr size_t kMost = 24;
    const SideGraph& left = run_.left().graph();
    std::vector<int> classes = {c};
    std::vector<int> level = {run_.left().representative(c)};
    for (int hop = 0; hop < kHopsBack; ++hop) {
      std::vector<int> before;
      for (const int result : level) {
        if (left.producer(result) == kNone) continue;
        for (const int read : left.Reads(left.producer(result))) {
          const int of = run_.left().of(read);
          if (of == kNone || run_.left().constant(of) || absl::c_linear_search(classes, of))
            continue;
          if (classes.size() == kMost) return classes;
          classes.push_back(of);
          before.push_back(read);
        }
      }
      level = std::move(before);
    }
    return classes;
  }

  const ForcedRun& run_;
  const Suggester suggester_;
  const RepairLimits limits_;
  std::vector<std::pair<int, int>> hints_;
  const std::vector<bool> of_constants_;
  Repaired repaired_;
  bool fell_back_ = false;     // to a pair that no trial proved
  int64_t repeated_runs_ = 0;  // of nodes in trials that were made again with more patience
  std::vector<int> claims_;    // by class: right results that are matched with it
  std::vector<Suggestion> repairs_;
};

}  // namespace

Repaired Repair(const ForcedRun& run, std::vector<std::pair<int, int>> hints,
                const RepairLimits& limits) {
  return Repairer(run, std::move(hints), limits).Repair();
}

}  // namespace onnxcmp
