#include "compare/causes/repair/constant_suggestions.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "compare/causes/repair/claims.h"
#include "compare/causes/repair/constant_similarity.h"
#include "record/base/thresholds.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMaxConstantPairs = 200000;  // limit for one repair

}  // namespace

std::vector<bool> InnocentConstants(const ForcedRun& run, const ForcedState& state) {
  const SideGraph& right = run.right();
  const auto is_right = [&](int r) {
    if (r == kNone) return true;
    const ForcedResult& result = state.at(r);
    if (result.match == kNone) return false;
    if (result.own.empty()) return true;
    return IsMeasurable(result.own) &&
           run.DistanceOf(result) <=
               thresholds::kFarEpsilons * EpsilonOf(result.own.tensor().dtype());
  };
  // A node reads several constants, and is judged once.
  std::vector<std::optional<bool>> known(right.nodes().size());
  const auto gives_what_is_right = [&](int n) {
    std::optional<bool>& of_node = known[Index(n)];
    if (!of_node.has_value()) of_node = absl::c_all_of(right.node(n).made->outputs, is_right);
    return *of_node;
  };
  std::vector<bool> innocent(state.results.size());
  for (const int r : right.results()) {
    innocent[Index(r)] = state.at(r).match == kNone && right.IsConstant(r) &&
                         absl::c_all_of(right.readers(r), gives_what_is_right);
  }
  return innocent;
}

bool Tells(const Tensor& constant) {
  return IsFloatingPoint(constant.dtype()) || constant.num_elements() >= 16;
}

ConstantSuggester::ConstantSuggester(const ForcedRun& run, int64_t looks) : run_(run) {
  // The least limit, which suffices for small models.
  constexpr int64_t kAtLeast = int64_t{1} << 22;
  int64_t elements = 0;
  for (const int r : run.right().results()) {
    if (run.right().IsConstant(r)) elements += run.right().result(r).fingerprint.size;
  }
  open_looks_ = looks * std::max(elements, kAtLeast);
}

std::vector<Suggestion> ConstantSuggester::For(const ForcedState& state,
                                               absl::Span<const int> results,
                                               const std::vector<bool>& innocents,
                                               absl::FunctionRef<bool(int, int)> fits) {
  std::vector<Suggestion> suggestions;
  const ValueClasses& left = run_.left();
  const Claims claims(run_, state);
  int64_t open_pairs = kMaxConstantPairs;
  for (const int r : results) {
    const ForcedResult& result = state.at(r);
    if (result.match != kNone || !run_.right().IsConstant(r) || !IsMeasurable(result.own)) continue;
    const bool innocent = innocents[Index(r)];
    const bool tells = Tells(result.own.tensor());
    // A small one may have a fault that a mask hides.
    if (innocent && (!tells || run_.right().result(r).fingerprint.size > kMaxSortedConstant)) {
      continue;
    }
    LazyMeasured own;
    for (const int c : left.of_shape(result.own.tensor().shape())) {
      if (--open_pairs < 0) {
        limited_ = true;
        return suggestions;
      }
      if (claims.IsTaken(c) || !IsMeasurable(left.value(c)) || !fits(r, c)) continue;
      if (!tells && !left.constant(c)) continue;
      if (innocent && run_.IsNear(c, result.own, &own)) continue;
      // The same elements in another layout need no comparison.
      const double similarity =
          left.result(c).fingerprint.elements == run_.right().result(r).fingerprint.elements
              ? 1
              : SimilarityTo(r, c, result.own, &own);
      if (similarity >= 0.5) suggestions.push_back({r, c, similarity});
    }
  }
  return suggestions;
}

double ConstantSuggester::SimilarityTo(int r, int c, const Value& own, LazyMeasured* measured) {
  if (const auto known = similarities_.find({r, c}); known != similarities_.end()) {
    return known->second;
  }
  const int64_t looks = std::max<int64_t>(work_bounds::kCandidates, own.tensor().num_elements());
  if (looks > open_looks_) {
    limited_ = true;
    return 0;
  }
  open_looks_ -= looks;
  return similarities_[{r, c}] = ConstantSimilarity(
             run_.left().measured(c), measured->For(own.tensor(), run_.left().pool()));
}

}  // namespace onnxcmp
