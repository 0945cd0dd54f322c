#include "compare/input_sets/try_sizes.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/input_sets/set_case.h"
#include "compare/outcome/verdict.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/model.h"
#include "feed/feeds.h"
#include "feed/made_up/regime.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"

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
  std::vector<std::string> shown(
      sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(
                                         std::min<size_t>(work_bounds::kNamed, sizes.size())));
  std::string text = absl::StrJoin(shown, " or ");
  if (sizes.size() > work_bounds::kNamed)
    absl::StrAppend(&text, " or ", sizes.size() - work_bounds::kNamed, " more");
  return text;
}

absl::StatusOr<std::vector<TriedSizes>> TrySizes(Side& left, Side& right, InputSets& inputs,
                                                 const CompareOptions& options,
                                                 const std::optional<SizeSum>& sum) {
  const PerSide<Feeds> had = {*left.feeds(), *right.feeds()};
  std::set<std::string> seen;
  std::vector<TriedSizes> tried;
  for (SizeChoice choice : Choices(left, right)) {
    if (tried.size() >= work_bounds::kTrials) break;
    choice.sum = sum;
    SetCase usual;
    usual.sizes = choice;
    if (!FeedCase(usual, inputs, left, right).ok()) continue;
    TriedSizes one;
    one.sizes = inputs.Sizes(choice);
    if (one.sizes.empty() || !seen.insert(one.sizes).second) continue;
    OC_ASSIGN_OR_RETURN(const Comparison comparison, Compare(left, right, options));
    one.status = {comparison.left_summary.status, comparison.right_summary.status};
    one.agrees = comparison.verdict() <= Verdict::kClose;
    tried.push_back(std::move(one));
  }
  left.SetFeeds(had.left);
  right.SetFeeds(had.right);
  return tried;
}

}  // namespace

absl::StatusOr<FedInputs> FeedCase(const SetCase& one, InputSets& inputs, Side& left, Side& right) {
  // Releases the previous feeds before new ones are made.
  left.SetFeeds({});
  right.SetFeeds({});
  OC_ASSIGN_OR_RETURN(FedInputs fed,
                      inputs.MakeUp(one.sizes, one.regime, one.numbers, one.mixture, one.probes));
  left.SetFeeds(fed.left);
  right.SetFeeds(fed.right);
  return fed;
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

namespace {

// Names of open axes; axes without one go by their place.
struct OpenAxes {
  std::set<std::string> batches;
  std::set<std::string> others;
};

OpenAxes OpenAxesOf(const Graph& graph) {
  OpenAxes open;
  for (const ValueInfo& input : graph.inputs) {
    if (!input.type.shape.has_value()) continue;
    for (size_t axis = 0; axis < input.type.shape->size(); ++axis) {
      const TypeInfo::Dim& dim = (*input.type.shape)[axis];
      if (dim.value.has_value()) continue;
      (axis == 0 ? open.batches : open.others)
          .insert(dim.symbol.empty() ? absl::StrCat("axis ", axis) : dim.symbol);
    }
  }
  return open;
}

// The size of an open axis as it is fed; 0 if no input has it.
int64_t FedSize(const Side& side, bool batch) {
  for (const ValueInfo& input : side.evaluator()->model().graph.inputs) {
    const auto fed = side.feeds()->find(input.name);
    if (!input.type.shape.has_value() || fed == side.feeds()->end() || !fed->second.is_tensor()) {
      continue;
    }
    for (size_t axis = 0; axis < input.type.shape->size(); ++axis) {
      const bool open = !(*input.type.shape)[axis].value.has_value();
      if (open && (axis == 0) == batch) {
        return fed->second.tensor().shape()[axis];
      }
    }
  }
  return 0;
}

}  // namespace

std::string SizesOfRightAlone(Side& left, Side& right, InputSets& inputs, const SizeChoice& both) {
  constexpr int64_t kOtherBatches[] = {2, 3};
  constexpr int64_t kOtherLengths[] = {16, 8};
  const OpenAxes open = OpenAxesOf(left.evaluator()->model().graph);
  if (open.batches.size() > 1 || open.others.size() > 1) return "";
  const int64_t batch = FedSize(left, true);
  const int64_t length = FedSize(left, false);
  std::vector<SizeChoice> choices;
  for (const int64_t other : kOtherBatches) {
    if (open.batches.empty() || other == batch) continue;
    choices.push_back(both);
    choices.back().batch = other;
    choices.back().reach = length;
  }
  for (const int64_t other : kOtherLengths) {
    if (open.others.empty() || other == length) continue;
    choices.push_back(both);
    choices.back().batch = batch;
    choices.back().reach = other;
  }
  for (const SizeChoice& choice : choices) {
    const absl::StatusOr<FedInputs> fed = inputs.MakeUp(choice, Regime::kUsual, 0, std::nullopt);
    // The left goes first: it mostly fails early.
    if (fed.ok() && !left.evaluator()->Run(fed->left).ok() &&
        right.evaluator()->Run(fed->right).ok()) {
      return inputs.Sizes(choice);
    }
  }
  return "";
}

void TellSizes(const std::string& both, SideId alone, const std::string& with,
               Comparison* comparison) {
  if (both.empty() || with.empty() || both == with) return;
  comparison->sizes_of_one_side =
      absl::StrCat("both run with ", both, "; with ", with, " the ", SideName(alone),
                   " runs and the ", SideName(Other(alone)), " does not");
  comparison->differ_by_sizes = true;
}

namespace {

// An axis of an input that only one side leaves open.
struct FixedSize {
  std::string input;  // of the side that leaves it open
  SideId fixed_by;
  std::string text;     // "the right takes only 4 along axis 0 of `x`, the left any size"
  std::string fed;      // "4 along axis 0 of `x`, which the right has fixed"
  std::string missing;  // "its axis 0 is 4 on the right"
};

std::vector<FixedSize> FixedByOneSide(const Side& left, const Side& right,
                                      const InputMapping& mapping) {
  std::vector<FixedSize> fixed;
  for (const MappedInput& pair : mapping.pairs) {
    const ValueInfo* ours = FindValueInfo(left.evaluator()->model().graph.inputs, pair.left);
    const ValueInfo* theirs = FindValueInfo(right.evaluator()->model().graph.inputs, pair.right);
    if (ours == nullptr || theirs == nullptr || !ours->type.shape.has_value() ||
        !theirs->type.shape.has_value()) {
      continue;
    }
    const size_t rank = std::min(ours->type.shape->size(), theirs->type.shape->size());
    for (size_t axis = 0; axis < rank; ++axis) {
      const auto& l = (*ours->type.shape)[axis].value;
      const auto& r = (*theirs->type.shape)[axis].value;
      if (l.has_value() == r.has_value()) continue;
      const SideId by = r.has_value() ? SideId::kRight : SideId::kLeft;
      const absl::string_view who = SideName(by);
      const int64_t number = r.has_value() ? *r : *l;
      const std::string size = absl::StrCat(number, " along axis ", axis, " of `", ours->name, "`");
      fixed.push_back({r.has_value() ? ours->name : theirs->name, by,
                       absl::StrCat("the ", who, " takes only ", size, ", the ",
                                    SideName(Other(by)), " any size"),
                       absl::StrCat(size, ", which the ", who, " has fixed"),
                       absl::StrCat("its axis ", axis, " is ", number, " on the ", who)});
    }
  }
  return fixed;
}

// Sizes that only one side runs with, if both run with others; "" if there are none.
std::string SizesOfOneSide(const std::vector<TriedSizes>& sizes) {
  std::vector<std::string> both;
  std::vector<std::string> differ;
  PerSide<std::vector<std::string>> alone;
  for (const TriedSizes& one : sizes) {
    if (one.status.left.ok() && one.status.right.ok()) {
      (one.agrees ? both : differ).push_back(one.sizes);
    } else if (one.status.left.ok()) {
      alone.left.push_back(one.sizes);
    } else if (one.status.right.ok()) {
      alone.right.push_back(one.sizes);
    }
  }
  // Sizes with which they agree come first.
  both.insert(both.end(), differ.begin(), differ.end());
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

}  // namespace

void TellFixedSizes(const Side& left, const Side& right, const InputMapping& mapping,
                    Comparison* comparison) {
  for (const FixedSize& fixed : FixedByOneSide(left, right, mapping)) {
    comparison->frozen.push_back(fixed.fed);
    if (!comparison->coverage.has_value()) continue;
    ++comparison->coverage->nodes;
    comparison->coverage->missing.push_back(
        {Other(fixed.fixed_by), "input", fixed.input, fixed.missing});
  }
}

absl::Status AddSizes(Side& left, Side& right, InputSets& inputs, const CompareOptions& options,
                      const std::optional<SizeSum>& sum, Comparison* comparison) {
  OC_ASSIGN_OR_RETURN(comparison->sizes, TrySizes(left, right, inputs, options, sum));
  std::vector<std::string> found;
  for (const FixedSize& fixed : FixedByOneSide(left, right, inputs.mapping())) {
    found.push_back(fixed.text);
  }
  if (std::string text = SizesOfOneSide(comparison->sizes); !text.empty()) {
    found.push_back(std::move(text));
  }
  if (found.empty()) return absl::OkStatus();
  comparison->sizes_of_one_side = absl::StrJoin(found, "; ");
  if (comparison->verdict() != Verdict::kFailed || comparison->left_summary.status.ok()) {
    comparison->differ_by_sizes = true;
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
