#include "compare/causes/repair/repair_moves.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/btree_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/functional/function_ref.h"
#include "compare/causes/forced/node_inputs.h"
#include "record/base/work_bounds.h"
#include "record/graphs/region.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

class RepairMover {
 public:
  explicit RepairMover(Repairs* repairs)
      : run_(repairs->run()), suggester_(repairs->suggester()), repairs_(*repairs) {}

  void MoveAll() {
    for (size_t i = 0; i < repairs_.pairs().size(); ++i) {
      const Suggestion repair = repairs_.pairs()[i];
      const int n = run_.right().producer(repair.right);
      if (n == kNone || !state().fixed.contains(repair.right)) continue;
      if (!run_.right().node(n).made->captures.empty()) continue;
      if (MoveToDiffering(repair, n) || MoveToUnmatched(repair, n)) continue;
      if (!MoveIntoRegion(repair)) MoveToParts(repair);
    }
  }

 private:
  const ForcedState& state() const { return repairs_.state(); }

  // True if a right node gives the left's result with a class in place of one input, and the values
  // of `value` for the others.
  bool GivesMatch(const Suggestion& repair, int n,
                  absl::FunctionRef<const Value&(int r)> value) const {
    const Value& wanted = run_.left().value(repair.left);
    if (!IsMeasurable(wanted)) return false;
    const auto outputs = run_.right().Run(n, value);
    const auto slot = static_cast<size_t>(run_.right().result(repair.right).slot);
    if (!outputs.ok() || slot >= outputs->size() || !IsMeasurable((*outputs)[slot])) return false;
    const Tensor& given = (*outputs)[slot].tensor();
    const bool shaped =
        given.shape() == wanted.tensor().shape() || run_.IsFlattened(repair.left, repair.right);
    return shaped && given.num_elements() == wanted.tensor().num_elements() &&
           Near(run_.left().measured(repair.left), Measure(given));
  }

  // True if no match is lost; an intermediate result may find another match by chance.
  bool LosesNothing(const ForcedState& moved) const {
    return moved.matched >= state().matched &&
           suggester_.OutputsMet(moved) >= suggester_.OutputsMet(state());
  }

  // Replaces a repair by another pair. False if the resulting state is not good enough.
  bool Move(const Suggestion& repair, int r, int c,
            absl::FunctionRef<bool(const ForcedState&)> is_good) {
    FixedMatches fixed = state().fixed;
    fixed.erase(repair.right);
    fixed[r] = c;
    ForcedState moved = repairs_.Try(fixed, ForcedRun::Abandon());
    if (!is_good(moved)) return false;
    repairs_.Adopt(std::move(moved), {r, c, 1});
    return true;
  }

  // True if a right node may be at fault for giving the result before a left node that the right
  // lacks, class `c`: a product without its bias, a convolution without its activation. There is no
  // such evidence if it has the operator of the left node that made its match.
  bool LacksNode(int r, int c) const {
    const SideGraph& left = run_.left().graph();
    const int match = state().at(r).match;
    const int n = run_.right().producer(r);
    if (match == kNone || match == c || n == kNone || repairs_.IsTaken(c)) return false;
    const int skipped = left.producer(run_.left().representative(c));
    const int before = left.producer(run_.left().representative(match));
    if (skipped == kNone || before == kNone) return false;
    const StreamNode& made = *run_.right().node(n).made;
    const StreamNode& other = *left.node(before).made;
    return (made.op_type != other.op_type || made.domain != other.domain) &&
           !HasTrait(made, OperatorTrait::kMoves) && !HasTrait(made, OperatorTrait::kCasts) &&
           absl::c_any_of(left.Reads(skipped),
                          [&](int read) { return run_.left().of(read) == match; });
  }

  // True if the match of a right result may belong to another, and class `c` to this one. A copy is
  // as certain as its source, unless another result copies the same source.
  bool MayBeAnother(int r, int c) const {
    int root = r;
    while (state().at(root).match != kNone && repairs_.CopiedBy(root) != kNone) {
      if (repairs_.IsClaimedTwice(root) && !repairs_.IsTaken(c)) return true;
      root = repairs_.CopiedBy(root);
    }
    return repairs_.IsWeak(root, c) || LacksNode(r, c);
  }

  // Moves it to the only input in which two equivalent nodes differ. Several differing inputs
  // belong to one faulty region.
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
        // A copy is as certain as its source.
        if (!MayBeAnother(r, c) || !suggester_.Fits(r, c)) return false;
      }
      if (values.emplace(r, run_.ValueFor(c, r)).first->second.empty()) return false;
    }
    absl::c_sort(left_inputs);
    absl::c_sort(right_inputs);
    if (differing.size() != 1 || left_inputs == right_inputs) return false;
    const auto value = [&](int r) -> const Value& { return values.find(r)->second; };
    return GivesMatch(repair, n, value) &&
           Move(repair, differing.begin()->first, differing.begin()->second,
                [&](const ForcedState& moved) { return LosesNothing(moved); });
  }

  // Moves it to an input without a match, or with an uncertain one, whatever the left's node is: to
  // a left result some hops back with which the right's node gives the left's result.
  bool MoveToUnmatched(const Suggestion& repair, int n) {
    const SideGraph& right = run_.right();
    const std::vector<int> reads = right.Reads(n);
    if (absl::c_any_of(reads, [&](int read) { return state().at(read).held.empty(); }))
      return false;
    const auto held = [&](int r) -> const Value& { return state().at(r).held; };
    const auto loses_nothing = [&](const ForcedState& moved) { return LosesNothing(moved); };
    if (state().at(repair.right).own.empty() || GivesMatch(repair, n, held)) return false;
    for (const int read : reads) {
      if (repairs_.IsOfConstants(read)) continue;
      for (const int c : ClassesBefore(repair.left)) {
        if (state().at(read).match == c || !suggester_.Fits(read, c)) continue;
        if (!repairs_.IsWeak(read, c) && !LacksNode(read, c)) continue;
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

  // Moves it to an unmatched result between the repair and matched ones: the first with which more
  // results match than with the repair, which depends on it in several ways.
  bool MoveIntoRegion(const Suggestion& repair) {
    const auto is_matched = [&](int r) { return state().at(r).match != kNone; };
    const Region region = RegionOf(run_.right(), repair.right, is_matched, 8);
    const std::vector<int> before = ClassesBefore(repair.left);
    int tried = 0;
    for (const int n : region.nodes) {
      for (const int r : run_.right().node(n).made->outputs) {
        if (r == kNone || r == repair.right || is_matched(r) || repairs_.IsOfConstants(r)) continue;
        for (const int c : before) {
          if (!suggester_.Fits(r, c)) continue;
          if (++tried > work_bounds::kTrials) return false;
          const auto gains = [&](const ForcedState& moved) {
            return moved.matched > state().matched && moved.at(repair.right).match == repair.left;
          };
          if (Move(repair, r, c, gains)) return true;
        }
      }
    }
    return false;
  }

  // Moves it to all outputs of a node between the repair and matched results that are parts of its
  // input, as left results are: they may have other sizes, and each needs the others for any match.
  bool MoveToParts(const Suggestion& repair) {
    constexpr size_t kMostParts = 4;
    const auto is_matched = [&](int r) { return state().at(r).match != kNone; };
    const Region region = RegionOf(run_.right(), repair.right, is_matched, 8);
    for (const int n : region.nodes) {
      const StreamNode& made = *run_.right().node(n).made;
      const std::vector<int> outputs(made.outputs.begin(), made.outputs.end());
      if (outputs.size() < 2 || outputs.size() > kMostParts ||
          !HasTrait(made, OperatorTrait::kOneDataInput) || !is_matched(made.inputs[0]) ||
          absl::c_any_of(outputs, [&](int r) { return r == kNone || is_matched(r); })) {
        continue;
      }
      std::vector<int> parts = PartsOf(state().at(made.inputs[0]).match, repair.left);
      if (parts.size() != outputs.size()) continue;
      absl::c_sort(parts);
      do {
        if (MoveToParts(repair, outputs, parts)) return true;
      } while (absl::c_next_permutation(parts));
    }
    return false;
  }

  bool MoveToParts(const Suggestion& repair, const std::vector<int>& outputs,
                   const std::vector<int>& parts) {
    FixedMatches fixed = state().fixed;
    fixed.erase(repair.right);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!suggester_.FitsInItsShape(outputs[i], parts[i])) return false;
      fixed[outputs[i]] = parts[i];
    }
    ForcedState moved = repairs_.Try(fixed, ForcedRun::Abandon());
    if (moved.at(repair.right).match != repair.left || !LosesNothing(moved)) return false;
    repairs_.Adopt(std::move(moved));
    for (size_t i = 0; i < outputs.size(); ++i) repairs_.AddPair({outputs[i], parts[i], 1});
    return true;
  }

  // The inputs of a left result that are selected from a class.
  std::vector<int> PartsOf(int whole, int c) const {
    const SideGraph& left = run_.left().graph();
    std::vector<int> parts;
    for (const int part : ClassesBefore(c)) {
      const int n = left.producer(run_.left().representative(part));
      if (part == c || n == kNone) continue;
      const StreamNode& made = *left.node(n).made;
      if (HasTrait(made, OperatorTrait::kOneDataInput) && run_.left().of(made.inputs[0]) == whole) {
        parts.push_back(part);
      }
    }
    return parts;
  }

  // A left result and the results it depends on, some hops back; the nearest first.
  std::vector<int> ClassesBefore(int c) const {
    const SideGraph& left = run_.left().graph();
    std::vector<int> classes = {c};
    const auto passes = [&](int before) {
      const int of = run_.left().of(before);
      if (of == kNone || run_.left().constant(of) || absl::c_linear_search(classes, of) ||
          classes.size() == work_bounds::kTrials) {
        return false;
      }
      classes.push_back(of);
      return true;
    };
    left.ReachBefore({run_.left().representative(c)}, passes, kUnlimited, work_bounds::kHops);
    return classes;
  }

  const ForcedRun& run_;
  const Suggester& suggester_;
  Repairs& repairs_;
};

}  // namespace

void MoveUpstream(Repairs* repairs) { RepairMover(repairs).MoveAll(); }

void DropNeedless(Repairs* repairs) {
  const ForcedRun& run = repairs->run();
  const Suggester& suggester = repairs->suggester();
  for (const Suggestion& repair : repairs->pairs()) {
    if (!run.right().IsComputed(repair.right) || !repairs->state().fixed.contains(repair.right))
      continue;
    FixedMatches fixed = repairs->state().fixed;
    fixed.erase(repair.right);
    ForcedState without = repairs->Try(fixed, {.needed = repair.right});
    if (without.abandoned || without.matched < repairs->state().matched ||
        repairs->IsMistaken(without, repair.right, repair.left) ||
        suggester.OutputsMet(without) < suggester.OutputsMet(repairs->state()) ||
        suggester.StandingOf(without).doomed_count >
            suggester.StandingOf(repairs->state()).doomed_count) {
      continue;
    }
    repairs->Adopt(std::move(without));
  }
}

}  // namespace onnxcmp
