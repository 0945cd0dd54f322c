#include "compare/input_sets/compare_sets.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "compare/input_sets/brief_options.h"
#include "compare/input_sets/calibration_fit.h"
#include "compare/input_sets/directed_cases.h"
#include "compare/input_sets/real_differences.h"
#include "compare/input_sets/search_plan.h"
#include "compare/input_sets/set_case.h"
#include "compare/input_sets/smaller_inputs.h"
#include "compare/input_sets/told_outputs.h"
#include "compare/input_sets/try_sizes.h"
#include "compare/outcome/verdict.h"
#include "compare/sides/constant_nodes.h"
#include "compare/sides/value_bank.h"
#include "evaluator/base/status_macros.h"
#include "feed/coverage/coverage.h"
#include "feed/coverage/reached_parts.h"
#include "feed/coverage/unread_rows.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/differences/value_difference.h"
#include "record/streams/quantized_streams.h"

namespace onnxcmp {
namespace {

bool LeftFailed(const Comparison& comparison) { return !comparison.left_summary.status.ok(); }

class SetsComparison {
 public:
  SetsComparison(Side& left, Side& right, InputSets& inputs, const CompareOptions& options,
                 const SetsOptions& sets)
      : left_(left),
        right_(right),
        inputs_(inputs),
        options_(options),
        seen_(options.letters),
        sets_(sets) {
    options_.made_up = true;
    if (options_.seen == nullptr) options_.seen = &seen_;
  }

  absl::StatusOr<SetsResult> Run() {
    OC_RETURN_IF_ERROR(First());
    if (!Differs(worst_.comparison) && inputs_.takes_any()) OC_RETURN_IF_ERROR(Further());
    if (!Differs(worst_.comparison) && inputs_.takes_any()) OC_RETURN_IF_ERROR(FeedWhatDiffers());
    if (!Differs(worst_.comparison) && inputs_.takes_any() && sets_.search.has_value()) {
      OC_RETURN_IF_ERROR(Search());
    }
    Comparison& comparison = worst_.comparison;
    if (const std::vector<std::string> purposes = inputs_.Purposes(); !purposes.empty()) {
      comparison.notes.insert(comparison.notes.begin(),
                              absl::StrCat("made up as ", absl::StrJoin(purposes, "; ")));
    }
    if (set_aside_ > 0 && !Differs(comparison)) {
      comparison.notes.push_back(SetAsideText(set_aside_));
    }
    comparison.made_up_sets = count_;
    for (const SideId side : kBothSides) {
      for (const auto& [name, parts] : parts_[side]) {
        coverage_.AddMissing(side, name, parts.MissingText());
      }
    }
    comparison.coverage = coverage_.Get();
    TellOfConstants(&comparison);
    if (!Differs(comparison) && inputs_.takes_any() && told_.Nothing()) {
      comparison.untested = true;
    }
    if (sets_.sizes) {
      OC_RETURN_IF_ERROR(
          AddSizes(left_, right_, inputs_, BriefOptions(options_), sum_, &comparison));
    }
    // A caller that asks the sides for their feeds expects those of the comparison shown.
    if (to_feed_again_.has_value()) {
      OC_ASSIGN_OR_RETURN(worst_.fed, Feed(*to_feed_again_));
    } else {
      left_.SetFeeds(worst_.fed.left);
      right_.SetFeeds(worst_.fed.right);
    }
    return std::move(worst_);
  }

 private:
  using Case = SetCase;

  absl::StatusOr<FedInputs> Feed(Case one) {
    one.sizes = WithSum(one.sizes);
    return FeedCase(one, inputs_, left_, right_);
  }

  SizeChoice WithSum(SizeChoice sizes) const {
    sizes.sum = sum_;
    return sizes;
  }
  std::string SizesText(const Case& one) const { return inputs_.Sizes(WithSum(one.sizes)); }

  // Holds the result, unless one with a greater distance comes. Large inputs are not held: making
  // them again takes less time than a run.
  void Hold(const Case& one, Comparison comparison, FedInputs fed) {
    int64_t bytes = 0;
    for (const SideId side : kBothSides) {
      for (const auto& [name, value] : OfSide(fed, side)) bytes += BytesHeldBy(value);
    }
    to_feed_again_.reset();
    if (bytes > options_.keep_values) {
      to_feed_again_ = one;
      for (const SideId side : kBothSides) OfSide(fed, side).clear();
    }
    worst_ = {std::move(comparison), std::move(fed)};
  }

  void Count(const Comparison& comparison) {
    unread_ = count_ == 0 ? comparison.unread : UnreadByBoth(unread_, comparison.unread);
    ++count_;
    for (const SideId side : kBothSides) coverage_.Add(OfSide(comparison, side), side);
    told_.Add(comparison.left);
    for (Side* side : {&left_, &right_})
      AddInputs(*side, side == &left_ ? SideId::kLeft : SideId::kRight);
  }

  // Coverage that the inputs of a side alone tell.
  void AddInputs(const Side& side, SideId id) {
    const Graph& graph = side.evaluator()->model().graph;
    for (const ValueInfo& input : graph.inputs) {
      const auto fed = side.feeds()->find(input.name);
      const bool open = input.type.shape.has_value() && !input.type.shape->empty() &&
                        !input.type.shape->front().value.has_value();
      if (!open || fed == side.feeds()->end() || !fed->second.is_tensor()) continue;
      coverage_.AddRows(id, input.name, fed->second.tensor().dim(0));
    }
    if (HasParts(graph)) AddReachedParts(*side.evaluator(), *side.feeds(), &parts_[id]);
  }

  absl::Status First() {
    std::vector<std::string> tried;
    std::optional<SetsResult> first;
    for (int attempt = 0; attempt < kSizeAttempts; ++attempt) {
      Case one;
      one.sizes.attempt = attempt;
      absl::StatusOr<FedInputs> fed = Feed(one);
      if (!fed.ok()) {
        if (!first.has_value()) return fed.status();
        break;
      }
      OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(left_, right_, options_));
      const std::string sizes = SizesText(one);
      tried.push_back(sizes);
      if (!LeftFailed(comparison)) return HoldFirst(one, std::move(comparison), *std::move(fed));
      if (!first.has_value()) first = SetsResult{std::move(comparison), *std::move(fed)};
      if (sizes.empty()) break;  // there are no sizes to choose
      // Repeats the attempt with the same sizes, except for a sum.
      if (attempt == 0 && FindSum()) --attempt;
    }
    if (const std::optional<Case> one = CaseOfLeftAlone(); one.has_value() && tried.size() > 1) {
      OC_ASSIGN_OR_RETURN(FedInputs fed, Feed(*one));
      OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(left_, right_, options_));
      return HoldFirst(*one, std::move(comparison), std::move(fed));
    }
    if (tried.size() > 1) {
      first->comparison.notes.push_back(absl::StrCat(
          "the left model ran on none of the sizes that were tried: ", absl::StrJoin(tried, "; "),
          "; give --inputs, or --dim NAME=N"));
    }
    count_ = 1;
    worst_ = *std::move(first);
    return absl::OkStatus();
  }

  // Sizes from the numbers in the left's shapes, if it runs with them.
  std::optional<Case> CaseOfLeftAlone() {
    for (const SizeChoice& sizes : OtherSizes(left_.evaluator()->model().graph)) {
      Case one;
      one.sizes = sizes;
      if (Feed(one).ok() && left_.evaluator()->Run(*left_.feeds()).ok()) return one;
    }
    return std::nullopt;
  }

  // Holds the first comparison with sizes with which the left runs.
  absl::Status HoldFirst(const Case& one, Comparison comparison, FedInputs fed) {
    base_ = one.sizes;
    const std::string sizes = SizesText(one);
    if (comparison.verdict() == Verdict::kFailed) {
      TellSizes(SizesOfBoth(left_, right_, inputs_, sum_), SideId::kLeft, sizes, &comparison);
    } else if (!HasUsualSizes(one) && !sum_.has_value()) {
      const std::string alone = SizesOfRightAlone(left_, right_, inputs_, base_);
      left_.SetFeeds(fed.left);
      right_.SetFeeds(fed.right);
      TellSizes(sizes, SideId::kRight, alone, &comparison);
    }
    Count(comparison);
    Hold(one, std::move(comparison), std::move(fed));
    return FitCalibration(one);
  }

  // True if the left runs with a size that is the sum of others. Tried once.
  bool FindSum() {
    if (sum_.has_value()) return false;
    for (const SizeSum& sum : inputs_.SumsToTry()) {
      sum_ = sum;
      if (Feed({}).ok() && left_.evaluator()->Run(*left_.feeds()).ok()) return true;
    }
    sum_.reset();
    return false;
  }

  // Numbers of the usual size and kind are mostly others than those that a side's scales were
  // calibrated with, and what is cut off then is no mistake. On others that fit, the sides are
  // judged as on given inputs.
  absl::Status FitCalibration(Case one) {
    if (!DifferInQuantization(worst_.comparison.left, worst_.comparison.right)) {
      return absl::OkStatus();
    }
    CalibrationFit fit = FitOf(worst_.comparison);
    if (fit.scales == 0) return absl::OkStatus();
    const bool longer =
        IsSmall(worst_.comparison.left) && TakesSignals(left_.evaluator()->model().graph);
    OC_RETURN_IF_ERROR(
        FitCase([this](const Case& other) { return FitOn(other); }, longer, &one, &fit));
    absl::StatusOr<FedInputs> fed = Feed(one);
    if (!fed.ok()) return absl::OkStatus();
    options_.calibrated = fit.Fits();
    OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(left_, right_, options_));
    if (comparison.verdict() == Verdict::kFailed) return absl::OkStatus();
    for (const SideId side : kBothSides) coverage_.Add(OfSide(comparison, side), side);
    comparison.notes.push_back(FitText(fit, one));
    Hold(one, std::move(comparison), *std::move(fed));
    return absl::OkStatus();
  }

  // How well a set fits; nothing if the models do not run on it.
  absl::StatusOr<std::optional<CalibrationFit>> FitOn(const Case& one) {
    if (!Feed(one).ok()) return std::nullopt;
    OC_ASSIGN_OR_RETURN(const Comparison comparison,
                        Compare(left_, right_, BriefOptions(options_)));
    if (comparison.verdict() == Verdict::kFailed) return std::nullopt;
    return FitOf(comparison);
  }

  absl::Status Further() {
    // The calibration range of the scales is unknown: further sets would only show that.
    if (IsCalibrated()) return absl::OkStatus();
    const bool small = IsSmall(worst_.comparison.left);
    const bool tiny = IsTiny(worst_.comparison.left);
    masks_ = inputs_.Masks();
    for (int set = 1; set < sets_.sets; ++set) {
      const int64_t seen = coverage_.seen();
      OC_ASSIGN_OR_RETURN(const bool ran, Try(FurtherCase(set, IsCoarse(), tiny)));
      if (Differs(worst_.comparison)) break;
      if (ran && coverage_.seen() == seen && !small) break;
    }
    return absl::OkStatus();
  }

  // Feeds the rows that differ, and numbers and sizes between constants that do; then what may
  // exercise what no set has.
  absl::Status FeedWhatDiffers() {
    if (IsCalibrated() || sets_.sets < 2) return absl::OkStatus();
    const std::vector<UnreadRows> unread = unread_;
    for (size_t i = 0; i < std::min<size_t>(unread.size(), work_bounds::kNamed); ++i) {
      OC_RETURN_IF_ERROR(TryAll(CasesForRows(unread[i]), [&] {
        return std::find(unread_.begin(), unread_.end(), unread[i]) == unread_.end();
      }));
    }
    if (IsCoarse()) return absl::OkStatus();
    const PerSide<const Graph*> graphs = {&left_.evaluator()->model().graph,
                                          &right_.evaluator()->model().graph};
    const auto never = [] { return false; };
    OC_RETURN_IF_ERROR(
        TryAll(CasesBetweenNumbers(*graphs.left, *graphs.right, inputs_.BetweenLimits()), never));
    if (!IsTiny(worst_.comparison.left)) return absl::OkStatus();
    OC_RETURN_IF_ERROR(TryAll(CasesForSizes(*graphs.left, *graphs.right), never));
    OC_RETURN_IF_ERROR(TryAll(CasesForSingleIntegers(*graphs.left), never));
    OC_RETURN_IF_ERROR(TryAll(CasesOfNothing(*graphs.left, *graphs.right), never));
    return TryAll(CasesForMissing(coverage_.Get()),
                  [&] { return CasesForMissing(coverage_.Get()).empty(); });
  }

  // Until the sides differ, or enough is seen.
  absl::Status TryAll(const std::vector<Case>& cases, absl::FunctionRef<bool()> enough) {
    for (const Case& one : cases) {
      if (Differs(worst_.comparison) || enough()) break;
      OC_RETURN_IF_ERROR(Try(one).status());
    }
    return absl::OkStatus();
  }

  // Reports inputs that are fixed, and differing rows that no input selected.
  void TellOfConstants(Comparison* comparison) {
    comparison->unread =
        comparison->verdict() <= Verdict::kClose ? unread_ : std::vector<UnreadRows>();
    TellFixedSizes(left_, right_, inputs_.mapping(), comparison);
    for (const FrozenInput& frozen : inputs_.Frozen()) {
      comparison->frozen.push_back(frozen.text);
      ++comparison->coverage->nodes;
      comparison->coverage->missing.push_back(
          {frozen.side, "input", frozen.name,
           absl::StrCat("it is a constant of the ", SideName(Other(frozen.side)))});
    }
  }

  // Compares on one more set; false if the left model cannot run on it.
  absl::StatusOr<bool> Try(Case one) {
    for (const int attempt : {base_.attempt, base_.attempt + 2}) {
      one.sizes.attempt = std::min(attempt, kSizeAttempts - 1);
      if (base_.batch > 0) one.sizes.batch = base_.batch;
      if (base_.reach > 0) one.sizes.reach = base_.reach;
      absl::StatusOr<FedInputs> fed = Feed(one);
      if (!fed.ok()) return false;
      OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(left_, right_, BriefOptions(options_)));
      if (LeftFailed(comparison)) continue;
      // Masks that hide a whole row amplify rounding, too.
      const bool usual = one.regime == Regime::kUsual && one.probes.empty();
      if (Differs(comparison) && (!usual || !masks_.empty()) && !IsReal(comparison, one.regime)) {
        ++set_aside_;
        return true;
      }
      if (comparison.verdict() == Verdict::kFailed && !Differs(worst_.comparison)) {
        Case first;
        first.sizes = base_;
        TellSizes(SizesText(first), SideId::kLeft, SizesText(one), &comparison);
      }
      const std::string sizes = comparison.sizes_of_one_side;
      Count(comparison);
      if (comparison.verdict() > worst_.comparison.verdict()) {
        OC_ASSIGN_OR_RETURN(comparison, Compare(left_, right_, options_));
        if (!sizes.empty() && comparison.verdict() == Verdict::kFailed) {
          comparison.sizes_of_one_side = sizes;
          comparison.differ_by_sizes = true;
        }
        if (comparison.verdict() > worst_.comparison.verdict()) {
          Hold(one, std::move(comparison), *std::move(fed));
        }
      }
      return true;
    }
    return false;
  }

  // --- The search.

  absl::Status Search() {
    const absl::Time end = absl::Now() + *sets_.search;
    SearchPlan plan(coverage_.Get());
    while (absl::Now() < end && searched_ < sets_.most_searched) {
      Case one = plan.Next();
      if (IsCoarse()) one.mixture.reset();
      // Overflow in 16-bit types is worth knowing.
      const bool overflows = one.regime == Regime::kLarge && !IsCalibrated();
      if (!MayShow(one.regime) && !overflows) continue;
      ++searched_;
      absl::StatusOr<FedInputs> fed = Feed(one);
      if (!fed.ok()) continue;
      if (!plan.WantsNearness() && !OutputsDiffer(left_, right_, options_.tolerance)) continue;
      OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(left_, right_, BriefOptions(options_)));
      if (LeftFailed(comparison)) continue;
      const int64_t seen = coverage_.seen();
      for (const SideId side : kBothSides) coverage_.Add(OfSide(comparison, side), side);
      plan.Told(one, NearnessOf(comparison) + (coverage_.seen() > seen ? 1 : 0));
      if (!Differs(comparison) || !IsReal(comparison, one.regime)) continue;
      ++count_;
      return Show(one, *std::move(fed));
    }
    worst_.comparison.notes.push_back(
        absl::StrFormat("a search of %s over %d further sets found none on which they differ",
                        absl::FormatDuration(*sets_.search), searched_));
    return absl::OkStatus();
  }

  bool IsCalibrated() const {
    const Comparison& comparison = worst_.comparison;
    return DifferInQuantization(comparison.left, comparison.right) ||
           (comparison.verdict() == Verdict::kClose && IsQuantized(comparison.right));
  }

  // True if outputs agree only by the tolerance of a coarse type, or by one that the user set.
  bool IsCoarse() const {
    constexpr double kFine = 1e-3;
    if (options_.tolerance.atol.has_value() || !options_.tolerance.by_name.empty()) return true;
    const std::vector<OutputPair>& pairs = worst_.comparison.outputs.pairs;
    return IsCalibrated() || std::any_of(pairs.begin(), pairs.end(), [](const OutputPair& pair) {
             return !pair.same_bits && pair.difference.tolerance.whole > kFine;
           });
  }

  // Coarse types are not made for numbers of other sizes.
  bool MayShow(Regime regime) const { return SuitsCoarseTypes(regime) || !IsCoarse(); }

  // Differences by rounding alone, as numbers of unusual sizes cause, vanish in double. Results
  // that are infinite or NaN on one side only count; in coarse types nothing else does.
  bool IsReal(const Comparison& comparison, Regime regime) const {
    if (comparison.verdict() == Verdict::kFailed) return true;
    if (DifferBeyondNumbers(comparison)) return true;
    if (!MayShow(regime) || IsCalibrated() ||
        AgreeButForPadding(left_, right_, masks_, options_.tolerance)) {
      return false;
    }
    return DifferInDouble(left_, right_, comparison, IsCoarse());
  }

  // Shrinks the case as long as it differs, and compares it fully.
  absl::Status Show(Case one, FedInputs fed) {
    for (const int set : {1, 0}) {
      Case smaller = one;
      smaller.sizes.set = set;
      smaller.sizes.stretch = 1;
      absl::StatusOr<FedInputs> less = Feed(smaller);
      if (!less.ok() || !OutputsDiffer(left_, right_, options_.tolerance)) continue;
      one = smaller;
      fed = *std::move(less);
      break;
    }
    fed = MadeSmaller(std::move(fed), inputs_.mapping(), work_bounds::kManyCandidates,
                      [&](const FedInputs& less) { return DifferOn(less, one.regime); });
    left_.SetFeeds(fed.left);
    right_.SetFeeds(fed.right);
    OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(left_, right_, options_));
    comparison.notes.push_back(
        absl::StrFormat("found by searching: set %d of those that were tried", searched_));
    to_feed_again_.reset();
    worst_ = {std::move(comparison), std::move(fed)};
    return absl::OkStatus();
  }

  bool DifferOn(const FedInputs& fed, Regime regime) {
    left_.SetFeeds(fed.left);
    right_.SetFeeds(fed.right);
    if (!OutputsDiffer(left_, right_, options_.tolerance)) return false;
    const absl::StatusOr<Comparison> comparison = Compare(left_, right_, BriefOptions(options_));
    return comparison.ok() && !LeftFailed(*comparison) && Differs(*comparison) &&
           IsReal(*comparison, regime);
  }

  Side& left_;
  Side& right_;
  InputSets& inputs_;
  CompareOptions options_;
  SeenConstants seen_;
  const SetsOptions& sets_;
  SetsResult worst_;
  std::optional<Case> to_feed_again_;  // the case of the result, if its inputs are not held
  CoverageCounter coverage_;
  PerSide<PartsOfNodes> parts_;
  ToldOutputs told_;  // the left's
  int count_ = 0;
  int searched_ = 0;
  int set_aside_ = 0;               // sets whose differences are not real
  SizeChoice base_;                 // with which the left runs
  std::optional<SizeSum> sum_;      // a sum of sizes that the left model needs
  std::vector<std::string> masks_;  // inputs that are masks
  std::vector<UnreadRows> unread_;  // unread on all sets so far
};

}  // namespace

absl::StatusOr<SetsResult> CompareSets(Side& left, Side& right, InputSets& inputs,
                                       const CompareOptions& options, const SetsOptions& sets) {
  return SetsComparison(left, right, inputs, options, sets).Run();
}

}  // namespace onnxcmp
