// Suggests pairs that may explain why later results find no partner in a forced run.
#ifndef ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_SUGGESTIONS_H_
#define ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_SUGGESTIONS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/causes/forced/node_inputs.h"
#include "compare/causes/repair/constant_suggestions.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/side_graph.h"
#include "record/graphs/value_classes.h"
#include "record/streams/fingerprint.h"
#include "record/streams/hash128.h"

namespace onnxcmp {

// Corresponding outputs, by name and then by position: right result to left class.
absl::btree_map<int, int> OutputCounterparts(const ValueClasses& left, const SideGraph& right);

class Suggester {
 public:
  // `hints`: aligned and tentative pairs: right result, left result. `constant_looks`: as in
  // RepairLimits.
  Suggester(const ForcedRun& run, std::vector<std::pair<int, int>> hints, int64_t constant_looks);

  // True if there were more constants than could be compared.
  bool limited() const { return constants_.limited(); }

  struct Standing {
    std::vector<bool> doomed;   // by right result: nothing after it has a match
    std::vector<bool> suspect;  // a doomed one depends on it through unmatched results
    int doomed_count = 0;
  };
  Standing StandingOf(const ForcedState& state) const;

  // For the first suspects and their inputs; the best first.
  std::vector<Suggestion> ForSuspects(const ForcedState& state, const Standing& standing) const;
  // For constants that they do not read and that are `wanted`.
  std::vector<Suggestion> ForOtherConstants(const ForcedState& state, const Standing& standing,
                                            absl::FunctionRef<bool(int r)> wanted) const;
  // For results without a match, or with one that another result shares, although later results
  // agree.
  std::vector<Suggestion> ForLeftOvers(const ForcedState& state) const;

  // A left node of a right node's operator, with the share of its inputs that agree.
  struct InputOverlap {
    int node = kNone;
    double share = 0;
    bool reordered = false;  // the same inputs in another order
    InputPair differing;     // the only differing one
  };
  std::vector<InputOverlap> Like(const ForcedState& state, int n) const;
  // True if a right result may be the counterpart of a class: by kind of number, shape, and outputs
  // only with their counterparts.
  bool Fits(int right, int c) const;
  // The same for any shape.
  bool FitsInItsShape(int right, int c) const;
  // Number of outputs that are matched with their counterparts.
  int OutputsMet(const ForcedState& state) const {
    return static_cast<int>(
        std::count_if(counterparts_.begin(), counterparts_.end(),
                      [&](const auto& pair) { return state.at(pair.first).match == pair.second; }));
  }
  // True if a later result that depends on it has a fixed match: a trial without an effect there
  // proves nothing.
  bool FlowsIntoFixed(const ForcedState& state, int r) const;
  // True if they are corresponding outputs.
  bool AreCounterparts(int right, int c) const {
    const auto it = counterparts_.find(right);
    return it != counterparts_.end() && it->second == c;
  }

 private:
  bool HasLostFactor(const ForcedState& state, int r) const;
  class Collector;

  // Nodes of the first suspects, and some of their readers.
  struct Suspects {
    absl::flat_hash_set<int> chosen;
    std::vector<int> nodes;  // the same, and the nodes that pass on their results to them
  };
  Suspects FirstSuspects(const ForcedState& state, const Standing& standing) const;

  // The operator of a right result, or of the left result of a class; empty if no node made it.
  std::string OperatorOf(int right) const;
  std::string OperatorOfClass(int c) const;
  // The only pair with another shape on the right; none if there are several.
  InputPair OtherShape(const std::vector<InputPair>& pairs) const;

  // True if a node's result resembles a class that it reads: it is scaled, clamped, shifted.
  bool Resembles(const ForcedState& state, int right, int c) const;

  // Facts about all results, used for leftover ones.
  struct LeftOvers;
  bool IsLost(const LeftOvers& open, int r, int c, LazyMeasured* measured) const;
  void SuggestForConstant(const LeftOvers& open, int r, Collector* collector) const;
  void SuggestReadInstead(const LeftOvers& open, const InputOverlap& similarity,
                          Collector* collector) const;
  void SuggestForComputed(const LeftOvers& open, int r, Collector* collector) const;
  void SuggestHinted(const LeftOvers& open, Collector* collector) const;

  void SuggestForNode(const ForcedState& state, int n, Collector* collector) const;
  void SuggestAfter(const ForcedState& state, int n, Collector* collector) const;

  const ForcedRun& run_;
  std::vector<std::pair<int, int>> hints_;
  absl::btree_map<int, int> counterparts_;
  mutable ConstantSuggester constants_;  // caches its comparisons
  mutable absl::flat_hash_map<std::pair<Hash128, int>, bool> resembling_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_SUGGESTIONS_H_
