#include "compare/causes/repair/exchanged_results.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compare/causes/forced/forced_run.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

class ExchangeFinder {
 public:
  explicit ExchangeFinder(Repairs* repairs) : run_(repairs->run()), repairs_(*repairs) {}

  void PairAll() {
    for (const std::vector<int>& group : Groups()) {
      if (tried_ >= work_bounds::kCandidates || repairs_.RanLong()) return;
      if (LeadsToWrong(group)) TryOrders(group);
    }
  }

 private:
  // Groups up to this size have all orders tried; larger ones only exchanges of two and rotations.
  static constexpr size_t kMostInAnyOrder = 4;

  using Order = std::vector<size_t>;  // by member: the member whose match it gets

  const ForcedState& state() const { return repairs_.state(); }

  // Results that may have been exchanged: outputs of one node, or of nodes of one operator that
  // read the same value first.
  std::vector<std::vector<int>> Groups() const {
    const SideGraph& right = run_.right();
    std::vector<std::vector<int>> groups;
    for (const SideGraph::GraphNode& node : right.nodes()) {
      const StreamNode& made = *node.made;
      if (made.outputs.size() > 1) Add({made.outputs.begin(), made.outputs.end()}, &groups);
    }
    for (const int read : right.results()) {
      if (right.IsConstant(read)) continue;
      const std::vector<int>& readers = right.readers(read);
      for (size_t i = 0; i < readers.size() && readers.size() <= 4 * work_bounds::kFewTrials; ++i) {
        const StreamNode& first = *right.node(readers[i]).made;
        const auto is_like = [&](int n) {
          const StreamNode& made = *right.node(n).made;
          return made.op_type == first.op_type && made.domain == first.domain &&
                 made.outputs.size() == 1 && !made.inputs.empty() && made.inputs[0] == read;
        };
        if (!is_like(readers[i]) || std::any_of(readers.begin(), readers.begin() + i, is_like))
          continue;
        std::vector<int> results;
        for (const int n : readers) {
          if (is_like(n)) results.push_back(right.node(n).made->outputs[0]);
        }
        Add(std::move(results), &groups);
      }
    }
    AddConstants(&groups);
    return groups;
  }

  // Two exchanged constants: a node with a wrong result reads one where the left's node reads the
  // other.
  void AddConstants(std::vector<std::vector<int>>* groups) const {
    const SideGraph& right = run_.right();
    absl::flat_hash_map<int, int> constants;  // by class
    for (const int r : right.results()) {
      if (right.IsConstant(r) && MatchOf(r) != kNone) constants.try_emplace(MatchOf(r), r);
    }
    absl::flat_hash_set<int> added;
    for (size_t n = 0; n < right.nodes().size(); ++n) {
      if (absl::c_none_of(right.node(static_cast<int>(n)).made->outputs,
                          [&](int output) { return output != kNone && IsWrong(output); })) {
        continue;
      }
      for (const Suggester::InputOverlap& similarity :
           repairs_.suggester().Like(state(), static_cast<int>(n))) {
        const int r = similarity.differing.right;
        const int c = run_.left().of(similarity.differing.left);
        const auto other = constants.find(c);
        if (r == kNone || !right.IsConstant(r) || MatchOf(r) == kNone || c == kNone ||
            other == constants.end() || other->second == r || added.contains(r) ||
            added.contains(other->second)) {
          continue;
        }
        added.insert({r, other->second});
        groups->push_back({r, other->second});
      }
    }
  }

  // A result's match without repairs.
  int MatchOf(int r) const {
    return state().fixed.contains(r) ? run_.left().Find(state().at(r).own_content)
                                     : state().at(r).match;
  }

  // Adds results with a certain match that no repair fixed, whose inputs have one as well.
  void Add(std::vector<int> results, std::vector<std::vector<int>>* groups) const {
    const SideGraph& right = run_.right();
    std::erase_if(results, [&](int r) {
      return r == kNone || !right.IsComputed(r) || MatchOf(r) == kNone ||
             !run_.left().computed(MatchOf(r)) || absl::c_any_of(right.Before(r), [&](int read) {
               return !right.IsConstant(read) && state().at(read).match == kNone;
             });
    });
    if (results.size() < 2 || results.size() > work_bounds::kFewTrials) return;
    absl::flat_hash_set<int> matches;
    for (const int r : results) {
      if (!matches.insert(MatchOf(r)).second) return;
    }
    groups->push_back(std::move(results));
  }

  bool IsWrong(int r) const {
    return run_.right().IsComputed(r) &&
           (state().at(r).match == kNone || state().fixed.contains(r));
  }

  // The results that depend on the members, within a limit.
  absl::flat_hash_set<int> After(const std::vector<int>& group, size_t most) const {
    absl::flat_hash_set<int> seen;
    run_.right().ReachAfter(
        group, [&](int after) { return seen.insert(after).second; }, most);
    return seen;
  }

  bool LeadsToWrong(const std::vector<int>& group) const {
    return absl::c_any_of(After(group, work_bounds::kTrials), [&](int r) { return IsWrong(r); });
  }

  std::vector<Order> Orders(size_t count) const {
    Order order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    std::vector<Order> orders;
    if (count <= kMostInAnyOrder) {
      while (absl::c_next_permutation(order)) orders.push_back(order);
      return orders;
    }
    for (const size_t by : {size_t{1}, count - 1}) {
      Order rotated = order;
      std::rotate(rotated.begin(), rotated.begin() + static_cast<std::ptrdiff_t>(by),
                  rotated.end());
      orders.push_back(std::move(rotated));
    }
    for (size_t i = 0; i < count; ++i) {
      for (size_t k = i + 1; k < count; ++k) {
        orders.push_back(order);
        std::swap(orders.back()[i], orders.back()[k]);
      }
    }
    return orders;
  }

  // The pairs of an order, in place of repairs behind them; nothing if a pair does not fit.
  std::optional<FixedMatches> FixedAs(const std::vector<int>& group, const Order& order,
                                      const absl::flat_hash_set<int>& after) const {
    FixedMatches fixed;
    for (const auto& [r, c] : state().fixed) {
      if (!after.contains(r) && !absl::c_linear_search(group, r)) fixed[r] = c;
    }
    for (size_t i = 0; i < group.size(); ++i) {
      const int c = MatchOf(group[order[i]]);
      if (order[i] == i) continue;
      if (!repairs_.suggester().FitsInItsShape(group[i], c)) return std::nullopt;
      fixed[group[i]] = c;
    }
    return fixed;
  }

  bool HasName(int r, int c) const {
    return absl::c_any_of(run_.left().members(c), [&](int l) {
      return run_.left().graph().result(l).name == run_.right().result(r).name;
    });
  }

  // Number of members with the name of their match in an order, less those with the name of their
  // present match: in that case their readers were exchanged.
  int NamesFor(const std::vector<int>& group, const Order& order) const {
    int names = 0;
    for (size_t i = 0; i < group.size(); ++i) {
      if (order[i] == i) continue;
      if (HasName(group[i], MatchOf(group[order[i]]))) ++names;
      if (HasName(group[i], MatchOf(group[i]))) --names;
    }
    return names;
  }

  // Number of nodes at which results are fixed.
  size_t PlacesOf(const ForcedState& of) const {
    absl::flat_hash_set<int> places;
    for (const auto& [r, c] : of.fixed) {
      if (run_.right().IsComputed(r)) places.insert(run_.right().producer(r));
    }
    return places.size();
  }

  // Between trials with equally many matches, the better one has the right names, or fewer faulty
  // places.
  bool IsBetter(const ForcedState& trial, int names, const ForcedState& than) const {
    if (trial.matched != than.matched) return trial.matched > than.matched;
    return names > 0 || PlacesOf(trial) < PlacesOf(than);
  }

  void TryOrders(const std::vector<int>& group) {
    const Suggester& suggester = repairs_.suggester();
    const absl::flat_hash_set<int> after = After(group, run_.right().stream().results.size());
    const int met = suggester.OutputsMet(state());
    const int doomed = suggester.StandingOf(state()).doomed_count;
    std::optional<ForcedState> best;
    for (const Order& order : Orders(group.size())) {
      const int names = NamesFor(group, order);
      const std::optional<FixedMatches> fixed = FixedAs(group, order, after);
      if (names < 0 || !fixed.has_value()) continue;
      if (++tried_ > work_bounds::kCandidates || repairs_.RanLong()) break;
      ForcedState trial = repairs_.Try(*fixed, {.patience = work_bounds::kCandidates});
      const bool better =
          best.has_value() ? IsBetter(trial, 0, *best) : IsBetter(trial, names, state());
      if (trial.abandoned || !better || suggester.OutputsMet(trial) < met ||
          suggester.StandingOf(trial).doomed_count > doomed) {
        continue;
      }
      best = std::move(trial);
    }
    if (!best.has_value()) return;
    repairs_.Adopt(*std::move(best));
    for (const int r : group) {
      const auto it = state().fixed.find(r);
      if (it != state().fixed.end()) repairs_.AddPair({r, it->second, 1});
    }
  }

  const ForcedRun& run_;
  Repairs& repairs_;
  int tried_ = 0;
};

}  // namespace

void PairExchanged(Repairs* repairs) { ExchangeFinder(repairs).PairAll(); }

}  // namespace onnxcmp
