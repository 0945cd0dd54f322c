// Collects the suggestions of Suggester.
#ifndef ONNXCMP_COMPARE_CAUSES_REPAIR_SUGGESTION_COLLECTOR_H_
#define ONNXCMP_COMPARE_CAUSES_REPAIR_SUGGESTION_COLLECTOR_H_

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/types/span.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/causes/repair/constant_suggestions.h"
#include "compare/causes/repair/repair_suggestions.h"

namespace onnxcmp {

// Keeps the best suggestion for each pair.
class Suggester::Collector {
 public:
  Collector(const Suggester& suggester, const ForcedState& state)
      : suggester_(suggester), state_(state) {}

  void Add(int right, int c, double structure) {
    if (right == kNone || c == kNone || state_.fixed.contains(right)) return;
    if (state_.at(right).match == c || !suggester_.Fits(right, c)) return;
    Keep(right, c, structure);
  }
  // The same for another shape from the same operator.
  void AddInItsShape(int right, int c, double structure) {
    if (right == kNone || c == kNone || state_.fixed.contains(right)) return;
    if (suggester_.run_.HasShapeOf(c, right) || !suggester_.FitsInItsShape(right, c)) return;
    if (suggester_.OperatorOf(right) != suggester_.OperatorOfClass(c)) return;
    Keep(right, c, structure);
  }

  void AddConstants(absl::Span<const int> results, const std::vector<bool>& innocents) {
    const auto fits = [&](int r, int c) { return suggester_.Fits(r, c); };
    for (const Suggestion& constants :
         suggester_.constants_.For(state_, results, innocents, fits)) {
      Add(constants.right, constants.left, constants.structure);
    }
  }

  void Keep(int right, int c, double structure) {
    double& best = structures_[{right, c}];
    best = std::max(best, structure);
  }

  std::vector<Suggestion> Take() const {
    std::vector<Suggestion> suggestions;
    for (const auto& [pair, structure] : structures_) {
      suggestions.push_back({pair.first, pair.second, structure});
    }
    std::stable_sort(
        suggestions.begin(), suggestions.end(),
        [](const Suggestion& a, const Suggestion& b) { return a.structure > b.structure; });
    return suggestions;
  }

 private:
  const Suggester& suggester_;
  const ForcedState& state_;
  absl::btree_map<std::pair<int, int>, double> structures_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPAIR_SUGGESTION_COLLECTOR_H_
