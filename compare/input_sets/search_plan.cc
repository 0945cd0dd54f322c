#include "compare/input_sets/search_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "compare/input_sets/directed_cases.h"
#include "compare/outputs/compared_row.h"
#include "feed/made_up/regime.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

// Another case that has much in common with one.
SetCase Beside(const SetCase& one, uint64_t i) {
  SetCase other = one;
  switch (i % 5) {
    case 0:
      other.numbers = i;
      break;
    case 1:
      other.regime = static_cast<Regime>(i / 5 % kRegimes);
      other.mixture.reset();
      break;
    case 2:
      other.sizes.shrink = one.sizes.shrink * (i / 5 % 2 == 0 ? 2 : 0.5);
      break;
    case 3:
      other.mixture = i;
      break;
    default:
      other.sizes.set = static_cast<int>(i / 5 % 7);
      other.numbers = i;
      break;
  }
  return other;
}

}  // namespace

SearchPlan::SearchPlan(const Coverage& coverage) {
  std::vector<Regime> asked;
  for (const UnexercisedNode& node : coverage.missing) {
    const std::vector<Regime> answers = AnswersTo(node.why);
    asked.insert(asked.end(), answers.begin(), answers.end());
  }
  first_ = CasesForMissing(coverage);
  std::vector<SetCase> others = FirstSearchCases();
  std::stable_sort(others.begin(), others.end(), [&](const SetCase& a, const SetCase& b) {
    return std::count(asked.begin(), asked.end(), a.regime) >
           std::count(asked.begin(), asked.end(), b.regime);
  });
  first_.insert(first_.end(), others.begin(), others.end());
}

SetCase SearchPlan::Next() {
  const uint64_t i = given_++;
  if (i < first_.size()) return first_[static_cast<size_t>(i)];
  // MixtureCase() tells even numbers from odd ones.
  if (i % 4 < 2 || near_.empty()) return MixtureCase(i);
  return Beside(near_[static_cast<size_t>(i / 4) % near_.size()].one, i / 4);
}

void SearchPlan::Told(const SetCase& one, double nearness) {
  if (!(nearness > 0)) return;
  near_.push_back({one, nearness});
  std::stable_sort(near_.begin(), near_.end(),
                   [](const Near& a, const Near& b) { return a.nearness > b.nearness; });
  if (near_.size() > work_bounds::kFewTrials) near_.resize(work_bounds::kFewTrials);
}

double NearnessOf(const Comparison& comparison) {
  constexpr double kInner = 0.5;  // inner differences may be lost again
  double nearness = 0;
  const auto look = [&](const ValueDifference& difference, double weight) {
    if (!std::isfinite(difference.apart) || !(difference.tolerance.whole > 0)) return;
    nearness = std::max(nearness, weight * difference.apart / difference.tolerance.whole);
  };
  for (const OutputPair& pair : comparison.outputs.pairs) look(pair.difference, 1);
  for (const ComparedRow& row : comparison.rows) {
    if (row.difference != nullptr) look(row.difference->values, kInner);
  }
  return nearness;
}

}  // namespace onnxcmp
