#include "prove/trials/prove_sizes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "compare/input_sets/brief_options.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "feed/input_mapping.h"
#include "feed/made_up/free_sizes.h"
#include "feed/made_up/regime.h"

namespace onnxcmp {
namespace {

// Small ones first, which differ from each other and from those of made-up sets.
std::vector<SizeChoice> SmallSizes() {
  std::vector<SizeChoice> choices(2);
  choices[0].batch = 3;
  choices[0].reach = 7;
  choices[1].set = 1;
  for (const int attempt : {0, 1, 2}) choices.emplace_back().attempt = attempt;
  return choices;
}

bool HaveTheSameShapes(const Feeds& a, const Feeds& b) {
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second.TypeString() != value.TypeString()) return false;
  }
  return true;
}

// The options of a run that nobody watches.
CompareOptions OptionsAtOtherSizes(const CompareOptions& compare) {
  CompareOptions options = BriefOptions(compare);
  options.fusions = false;
  options.letters = false;
  options.seen = nullptr;
  options.watch = nullptr;
  options.made_up = true;
  return options;
}

// The reason why a comparison at other sizes is not proved.
std::string WhySizeNotProved(const Comparison& comparison, const ProofReport& report) {
  if (!report.not_possible.empty()) return report.not_possible;
  if (comparison.verdict() == Verdict::kDifferent) return "outputs differ";
  if (report.parted.empty()) return "";
  const ProofRow& row = report.parted.front();
  return absl::StrCat(row.left, row.proof == RowProof::kDiffers ? " differs in exact arithmetic"
                                                                : " is not proved");
}

// The sides have these inputs afterwards. Nothing if neither side runs at these sizes, or they are
// those of `had`.
std::optional<ComparedSizes> CompareAt(const SizeChoice& choice, const PerSide<Feeds>& had,
                                       const PerSide<Side*>& sides, InputSets& inputs,
                                       const CompareOptions& compare) {
  // Inputs of fixed sizes may be large: none are made up for nothing.
  if (inputs.Sizes(choice).empty()) return std::nullopt;
  absl::StatusOr<FedInputs> fed = inputs.MakeUp(choice, Regime::kUsual, 0, std::nullopt);
  if (!fed.ok() || HaveTheSameShapes(had.left, fed->left)) return std::nullopt;
  std::string sizes = inputs.Sizes(choice);
  sides.left->SetFeeds(std::move(fed->left));
  sides.right->SetFeeds(std::move(fed->right));
  absl::StatusOr<Comparison> comparison = Compare(*sides.left, *sides.right, compare);
  if (!comparison.ok()) return std::nullopt;
  if (!comparison->left_summary.status.ok() && !comparison->right_summary.status.ok()) {
    return std::nullopt;
  }
  return ComparedSizes{std::move(sizes), *std::move(comparison)};
}

// `conversions`: a proof with exact numbers will do.
ProofSizes ProveAt(const ComparedSizes& compared, const PerSide<Side*>& sides,
                   const ProofOptions& options, bool conversions) {
  ProofSizes found;
  found.sizes = compared.sizes;
  const bool left = compared.comparison.left_summary.status.ok();
  const bool right = compared.comparison.right_summary.status.ok();
  if (!left || !right) {
    found.why = left ? "the right does not run" : "the left does not run";
    return found;
  }
  const ProofReport report = ProveEqual(sides, compared.comparison, options);
  found.proved = report.proved || (conversions && report.conversions.proved);
  if (!found.proved) found.why = WhySizeNotProved(compared.comparison, report);
  return found;
}

}  // namespace

std::optional<ComparedSizes> CompareAtOtherSizes(const PerSide<Side*>& sides, InputSets& inputs,
                                                 const CompareOptions& compare) {
  const PerSide<Feeds> had = {*sides.left->feeds(), *sides.right->feeds()};
  for (const SizeChoice& choice : SmallSizes()) {
    auto compared = CompareAt(choice, had, sides, inputs, OptionsAtOtherSizes(compare));
    if (compared.has_value()) return compared;
  }
  return std::nullopt;
}

ProofReport ProveOnSizes(const PerSide<Side*>& sides, const Comparison& comparison,
                         InputSets* inputs, const CompareOptions& compare,
                         const ProofOptions& options) {
  ProofReport report = ProveEqual(sides, comparison, options);
  if (options.mapping != nullptr && report.not_possible.empty()) {
    report.guessed = GuessedPairs(*options.mapping, sides.left->evaluator()->model().graph,
                                  sides.right->evaluator()->model().graph);
  }
  if (!(report.proved || report.conversions.proved) || inputs == nullptr) return report;
  const PerSide<Feeds> had = {*sides.left->feeds(), *sides.right->feeds()};
  const auto compared = CompareAtOtherSizes(sides, *inputs, compare);
  if (compared.has_value()) {
    report.sizes.push_back(ProveAt(*compared, sides, options, report.conversions.proved));
  }
  sides.left->SetFeeds(had.left);
  sides.right->SetFeeds(had.right);
  return report;
}

}  // namespace onnxcmp
