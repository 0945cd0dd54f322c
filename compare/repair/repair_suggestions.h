// Which pairs may be at the root of what finds no partner in a forced run.
#ifndef ONNXCMP_COMPARE_REPAIR_REPAIR_SUGGESTIONS_H_
#define ONNXCMP_COMPARE_REPAIR_REPAIR_SUGGESTIONS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "compare/differences/nearness.h"
#include "compare/forced/forced_run.h"
#include "compare/forced/node_inputs.h"
#include "compare/graphs/left_classes.h"
#include "compare/graphs/side_graph.h"
#include "compare/repair/constant_suggestions.h"
#include "compare/streams/fingerprint.h"
#include "compare/streams/hash128.h"

namespace onnxcmp {

// Outputs that correspond to each other, by name and then by position: right result to left class.
absl::flat_hash_map<int, int> OutputCounterparts(const LeftClasses& left, const SideGraph& right);

class Suggester {
 public:
  // `hints`: pairs that the alignment thought of: right result, left result. `constant_looks`: as
  // in RepairLimits.
  Suggester(const ForcedRun& run, std::vector<std::pair<int, int>> hints, int64_t constant_looks);

  // Whether there were more constants than may be looked at.
  bool limited() const { return constants_.limited(); }

  struct Standing {
    std::vector<bool> doomed;   // by right result: nothing after it has a match
    std::vector<bool> suspect;  // from which a doomed one is reached through unmatched ones
    int doomed_count = 0;
  };
  Standing StandingOf(const ForcedState& state) const;

  // For the first suspects and what they read; the best first.
  std::vector<Suggestion> ForSuspects(const ForcedState& state, const Standing& standing) const;
  // For those constants that they do not read and are `wanted`.
  std::vector<Suggestion> ForOtherConstants(const ForcedState& state, const Standing& standing,
                                            absl::FunctionRef<bool(int r)> wanted) const;
  // For what has no match, or one that another result has as well, although what follows it agrees.
  std::vector<Suggestion> ForLeftOvers(const ForcedState& state) const;

  // The left nodes of a right node's operator, with the share of its inputs that agree.
  struct Likeness {
    int node = kNone;
    double share = 0;
    bool reordered = false;  // the same inputs in another order
    InputPair differing;     // the only one that differs
  };
  std::vector<Likeness> Like(const ForcedState& state, int n) const;
  // Whether a right result can stand for a class: kind of number, shape, and outputs only for
  // their counterparts.
  bool Fits(int right, int c) const;
  // The same, whatever the shape.
  bool FitsInItsShape(int right, int c) const;
  // How many outputs are matched with what corresponds to them.
  int OutputsMet(const ForcedState& state) const {
    return static_cast<int>(
        std::count_if(counterparts_.begin(), counterparts_.end(),
                      [&](const auto& pair) { return state.at(pair.first).match == pair.second; }));
  }
  // Whether what a result flows into was given its match by order, so that a trial that changes
  // nothing there proves nothing.
  bool FlowsIntoFixed(const ForcedState& state, int r) const;
  // Whether they are outputs that correspond to each other.
  bool AreCounterparts(int right, int c) const {
    const auto it = counterparts_.find(right);
    return it != counterparts_.end() && it->second == c;
  }

 private:
  class Collector;

  // Nodes that make the first suspects, and some that read these.
  struct Suspects {
    absl::flat_hash_set<int> chosen;
    std::vector<int> nodes;  // the same, and those whose results they are handed on
  };
  Suspects FirstSuspects(const ForcedState& state, const Standing& standing) const;

  // What made a right result, or the left result that stands for a class; empty if no node did.
  std::string OperatorOf(int right) const;
  std::string OperatorOfClass(int c) const;
  // The only one that has another shape on the right; none if it is none, or several.
  InputPair OtherShape(const std::vector<InputPair>& pairs) const;

  // Whether what a node gives has much in common with a class that it reads: it is scaled, clamped,
  // shifted.
  bool Resembles(const ForcedState& state, int right, int c) const;

  // What is known of all results while what is left over is looked at.
  struct LeftOvers;
  bool IsLost(const LeftOvers& open, int r, int c, LazyMeasured* measured) const;
  void SuggestForConstant(const LeftOvers& open, int r, Collector* collector) const;
  void SuggestReadInstead(const LeftOvers& open, const Likeness& likeness,
                          Collector* collector) const;
  void SuggestForComputed(const LeftOvers& open, int r, Collector* collector) const;
  void SuggestHinted(const LeftOvers& open, Collector* collector) const;

  void SuggestForNode(const ForcedState& state, int n, Collector* collector) const;
  void SuggestAfter(const ForcedState& state, int n, Collector* collector) const;

  const ForcedRun& run_;
  std::vector<std::pair<int, int>> hints_;
  absl::flat_hash_map<int, int> counterparts_;
  mutable ConstantSuggester constants_;  // remembers what it has looked at
  mutable absl::flat_hash_map<std::pair<Hash128, int>, bool> resembling_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPAIR_REPAIR_SUGGESTIONS_H_
