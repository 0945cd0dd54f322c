#include "compare/input_sets/runtime_sets.h"

#include <optional>
#include <utility>

#include "compare/input_sets/brief_options.h"
#include "compare/input_sets/real_differences.h"
#include "compare/input_sets/set_case.h"
#include "compare/input_sets/told_outputs.h"
#include "compare/input_sets/try_sizes.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/verdict.h"
#include "evaluator/base/status_macros.h"
#include "record/base/per_side.h"

namespace onnxcmp {
namespace {

class RuntimeSets {
 public:
  RuntimeSets(Side& left, Side& right, InputSets& inputs, const CompareOptions& options)
      : left_(left), right_(right), inputs_(inputs), options_(options) {}

  absl::StatusOr<SetsResult> Run(const SetsOptions& sets) {
    OC_ASSIGN_OR_RETURN(SetsResult result, First());
    const bool first_ran = result.comparison.verdict() != Verdict::kFailed;
    int count = 1;
    // Each is another start of the runtime's sessions.
    const bool more = first_ran && !Differs(result.comparison) && inputs_.takes_any() &&
                      IsSmall(result.comparison.left);
    for (int set = 1; more && set < sets.sets; ++set) {
      SetCase one = FurtherCase(set, /*coarse=*/true, /*tiny=*/false);
      one.sizes.attempt = attempt_;
      absl::StatusOr<FedInputs> fed = Feed(one);
      if (!fed.ok()) continue;
      OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(left_, right_, BriefOptions(options_)));
      if (!comparison.left_summary.status.ok()) continue;
      ++count;
      if (!Differs(comparison)) continue;
      if (comparison.verdict() == Verdict::kDifferent) {
        OC_ASSIGN_OR_RETURN(comparison, Compare(left_, right_, options_));
        if (!Differs(comparison)) continue;
      }
      // A side that does not run with other sizes has nothing else to show.
      if (comparison.verdict() == Verdict::kFailed) {
        SetCase first;
        first.sizes.attempt = attempt_;
        TellSizes(inputs_.Sizes(first.sizes), SideId::kLeft, inputs_.Sizes(one.sizes), &comparison);
      }
      result.comparison = std::move(comparison);
      result.fed = *std::move(fed);
      is_last_ = true;
      break;
    }
    result.comparison.made_up_sets = count;
    if (sets.sizes && result.comparison.left_summary.status.ok()) {
      OC_RETURN_IF_ERROR(AddSizes(left_, right_, inputs_, BriefOptions(options_), std::nullopt,
                                  &result.comparison));
      is_last_ = false;
    }
    // New feeds would take from the sides what they know of their last run.
    if (!is_last_) {
      left_.SetFeeds(result.fed.left);
      right_.SetFeeds(result.fed.right);
    }
    return result;
  }

 private:
  absl::StatusOr<FedInputs> Feed(const SetCase& one) {
    is_last_ = false;
    return FeedCase(one, inputs_, left_, right_);
  }

  // The usual sizes, or others if the left runs on these alone.
  absl::StatusOr<SetsResult> First() {
    SetsResult first;
    for (int attempt = 0; attempt < kSizeAttempts; ++attempt) {
      SetCase one;
      one.sizes.attempt = attempt;
      absl::StatusOr<FedInputs> fed = Feed(one);
      if (!fed.ok()) {
        if (attempt == 0) return fed.status();
        break;
      }
      OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(left_, right_, options_));
      const bool ran = comparison.left_summary.status.ok();
      if (attempt == 0 || ran) {
        attempt_ = attempt;
        first = {std::move(comparison), *std::move(fed)};
        is_last_ = true;
      }
      if (ran || inputs_.Sizes(one.sizes).empty()) break;
    }
    return first;
  }

  Side& left_;
  Side& right_;
  InputSets& inputs_;
  const CompareOptions& options_;
  int attempt_ = 0;
  bool is_last_ = false;  // the result is of the sides' last run
};

}  // namespace

absl::StatusOr<SetsResult> CompareRuntimeSets(Side& left, Side& right, InputSets& inputs,
                                              const CompareOptions& options,
                                              const SetsOptions& sets) {
  return RuntimeSets(left, right, inputs, options).Run(sets);
}

}  // namespace onnxcmp
