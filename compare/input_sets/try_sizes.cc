#include "compare/input_sets/try_sizes.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/base/per_side.h"
#include "compare/input_sets/set_case.h"
#include "compare/inputs/made_up/regime.h"
#include "compare/outcome/verdict.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/model.h"

namespace onnxcmp {
namespace {

std::vector<SizeChoice> Choices(const Side& left, const Side& right) {
  std::vector<SizeChoice> choices(1);
  for (const int64_t batch : {1, 3, 4, 8}) {
    choices.emplace_back().batch = batch;
  }
  choices.emplace_back().stretch = 3;
  choices.emplace_back().reach = 1;
  choices.emplace_back().reach = 7;
  for (const Side* side : {&left, &right}) {
    for (const SizeChoice& choice : OtherSizes(side->evaluator()->model().graph)) {
      choices.push_back(choice);
    }
  }
  return choices;
}

std::string TextOf(const std::vector<std::string>& sizes) {
  constexpr size_t kMost = 3;
  std::vector<std::string> shown(
      sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, sizes.size())));
  std::string text = absl::StrJoin(shown, " or ");
  if (sizes.size() > kMost) absl::StrAppend(&text, " or ", sizes.size() - kMost, " others");
  return text;
}

}  // namespace

absl::StatusOr<std::vector<TriedSizes>> TrySizes(Side& left, Side& right, InputSets& inputs,
                                                 const CompareOptions& options,
                                                 const std::optional<SizeSum>& sum) {
  constexpr size_t kMostTried = 24;
  const PerSide<Feeds> had = {*left.feeds(), *right.feeds()};
  std::set<std::string> seen;
  std::vector<TriedSizes> tried;
  for (SizeChoice choice : Choices(left, right)) {
    if (tried.size() >= kMostTried) break;
    choice.sum = sum;
    absl::StatusOr<FedInputs> fed = inputs.MakeUp(choice, Regime::kUsual, 0, std::nullopt);
    if (!fed.ok()) continue;
    TriedSizes one;
    one.sizes = inputs.Sizes(choice);
    if (one.sizes.empty() || !seen.insert(one.sizes).second) continue;
    left.SetFeeds(std::move(fed->left));
    right.SetFeeds(std::move(fed->right));
    OC_ASSIGN_OR_RETURN(const Comparison comparison, Compare(left, right, options));
    one.status = {comparison.left_summary.status, comparison.right_summary.status};
    one.agree = comparison.verdict <= Verdict::kClose;
    tried.push_back(std::move(one));
  }
  left.SetFeeds(had.left);
  right.SetFeeds(had.right);
  return tried;
}

std::string SizesOfBoth(Side& left, Side& right, InputSets& inputs,
                        const std::optional<SizeSum>& sum) {
  for (SizeChoice choice : OtherSizes(right.evaluator()->model().graph)) {
    choice.sum = sum;
    const absl::StatusOr<FedInputs> fed = inputs.MakeUp(choice, Regime::kUsual, 0, std::nullopt);
    // The right goes first: it mostly fails early.
    if (fed.ok() && right.evaluator()->Run(fed->right).ok() &&
        left.evaluator()->Run(fed->left).ok()) {
      return inputs.Sizes(choice);
    }
  }
  return "";
}

std::vector<FixedSize> FixedByOneSide(const Graph& left, const Graph& right,
                                      const InputMapping& mapping) {
  std::vector<FixedSize> fixed;
  const auto input_of = [](const Graph& graph, const std::string& name) -> const ValueInfo* {
    const auto it = std::find_if(graph.inputs.begin(), graph.inputs.end(),
                                 [&](const ValueInfo& input) { return input.name == name; });
    return it == graph.inputs.end() ? nullptr : &*it;
  };
  for (const MappedInput& pair : mapping.pairs) {
    const ValueInfo* ours = input_of(left, pair.left);
    const ValueInfo* theirs = input_of(right, pair.right);
    if (ours == nullptr || theirs == nullptr || !ours->type.shape.has_value() ||
        !theirs->type.shape.has_value()) {
      continue;
    }
    const size_t rank = std::min(ours->type.shape->size(), theirs->type.shape->size());
    for (size_t axis = 0; axis < rank; ++axis) {
      const auto& l = (*ours->type.shape)[axis].value;
      const auto& r = (*theirs->type.shape)[axis].value;
      if (l.has_value() == r.has_value()) continue;
      const absl::string_view who = SideName(r.has_value() ? SideId::kRight : SideId::kLeft);
      const absl::string_view other = SideName(r.has_value() ? SideId::kLeft : SideId::kRight);
      const std::string size =
          absl::StrCat(r.has_value() ? *r : *l, " along axis ", axis, " of `", ours->name, "`");
      fixed.push_back(
          {absl::StrCat("the ", who, " takes only ", size, ", the ", other, " any size"),
           absl::StrCat(size, ", which the ", who, " has fixed")});
    }
  }
  return fixed;
}

std::string SizesOfOneSide(const std::vector<TriedSizes>& sizes) {
  std::vector<std::string> both;
  std::vector<std::string> differ;
  PerSide<std::vector<std::string>> alone;
  for (const TriedSizes& one : sizes) {
    if (one.status.left.ok() && one.status.right.ok()) {
      both.push_back(one.sizes);
      if (!one.agree) differ.push_back(one.sizes);
    } else if (one.status.left.ok()) {
      alone.left.push_back(one.sizes);
    } else if (one.status.right.ok()) {
      alone.right.push_back(one.sizes);
    }
  }
  std::vector<std::string> parts;
  if (!differ.empty()) parts.push_back(absl::StrCat("with ", TextOf(differ), " outputs differ"));
  for (const SideId side : kBothSides) {
    if (alone[side].empty()) continue;
    parts.push_back(absl::StrCat("with ", TextOf(alone[side]), " the ", SideName(side),
                                 " runs and the ", SideName(Other(side)), " does not"));
  }
  if (parts.empty()) return "";
  return absl::StrCat(both.empty() ? "both run with none of the sizes that were tried"
                                   : absl::StrCat("both run with ", TextOf(both)),
                      "; ", absl::StrJoin(parts, "; "));
}

}  // namespace onnxcmp
