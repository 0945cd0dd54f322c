#include "compare/causes/causes.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/causes/cause_class.h"
#include "compare/causes/cause_judge.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/causes/forced/lost_nodes.h"
#include "compare/causes/forced/same_model.h"
#include "compare/causes/prescreen.h"
#include "compare/causes/repair/repair.h"
#include "compare/causes/repaired_pairs.h"
#include "compare/causes/searched_values.h"
#include "evaluator/base/status_macros.h"
#include "record/base/work_bounds.h"
#include "record/graphs/replay.h"
#include "record/graphs/side_graph.h"
#include "record/graphs/value_classes.h"
#include "record/streams/common_form.h"
#include "record/streams/fingerprint.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

// True if any pair has different bits.
bool AnythingDiffers(const PerSide<RecordedSide>& sides, const Alignment& alignment) {
  for (size_t r = 0; r < alignment.right_to_left.size(); ++r) {
    const int l = alignment.right_to_left[r];
    if (l != kNone && sides.left.result(l).fingerprint.content !=
                          sides.right.stream->results[r].fingerprint.content) {
      return true;
    }
  }
  return false;
}

class CauseFinder {
 public:
  CauseFinder(const PerSide<RecordedSide>& sides, const Alignment& alignment,
              const CauseOptions& options)
      : left_(sides.left),
        right_(sides.right),
        options_(options),
        alignment_(alignment),
        aligned_(PartnersInOrder(alignment, SideId::kRight)),
        left_form_(FormOf(*left_.stream)),
        right_form_(FormOf(*right_.stream)),
        left_graph_(left_form_.has_value() ? *left_form_ : *left_.stream, left_.evaluator(),
                    left_.side->node_runner()),
        right_graph_(right_form_.has_value() ? *right_form_ : *right_.stream, right_.evaluator(),
                     right_.side->node_runner()) {}

  absl::StatusOr<CauseReport> Find() {
    if (std::optional<CauseReport> report = Prescreened()) return *std::move(report);
    if (const int64_t bytes = ComputedBytes(*left_.stream); bytes > options_.search_memory) {
      CauseReport report;
      report.not_searched =
          absl::StrCat("the left's results take ", BytesText(bytes), ", more than --search-memory");
      return report;
    }
    OC_ASSIGN_OR_RETURN(std::vector<Value> values, AllValues(left_, left_graph_, options_.watch));
    const ValueClasses classes(left_graph_, std::move(values), options_.pool);
    const ForcedRun run(classes, right_graph_, aligned_, Leaves(),
                        PlainValues(right_, right_graph_),
                        LostNodes(classes, right_graph_, aligned_, options_.far));
    Repaired repaired = PairResults(run);
    const ForcedState& state = repaired.state;
    CauseJudge judge(run, state, {left_, right_}, options_);
    CauseReport report = judge.Judge();
    if (judge.reached_limit()) {
      repaired.limits.insert(absl::StrCat(options_.limits.causes, " causes"));
    }
    report.repaired = PairsToAdd(classes, right_graph_, state, alignment_, report.causes);
    HandBackValues(report.repaired, run, state, {left_.store, right_.store});
    if (!repaired.limits.empty()) {
      report.notes.push_back(
          absl::StrCat("the search for causes was cut short, there may be others: it reached its ",
                       repaired.limits.size() == 1 ? "limit of " : "limits of ",
                       absl::StrJoin(repaired.limits, ", ")));
    }
    // A result with a cause need not be paired any further.
    if (repaired.lost != kNone && absl::c_none_of(report.causes, IsWrong) &&
        !judge.IsExplainedInside(right_graph_.producer(repaired.lost))) {
      report.notes.push_back(absl::StrCat("nothing after the right's '",
                                          right_graph_.result(repaired.lost).name,
                                          "' could be paired to look for its cause"));
    }
    return report;
  }

 private:
  // The report if the two are known to differ by rounding alone, without a search.
  std::optional<CauseReport> Prescreened() {
    if (!options_.outputs_agree || options_.apart.empty() || left_form_.has_value() ||
        right_form_.has_value()) {
      return std::nullopt;
    }
    const Prescreen look =
        PrescreenCauses({left_, right_}, left_graph_, right_graph_, aligned_, Leaves(), options_);
    if (!look.clean) return std::nullopt;
    CauseReport report;
    if (look.left_out > 0) {
      report.notes.push_back(absl::StrFormat(
          "no cause was looked for at %d of %d results that are farther apart than what they read: "
          "the outputs agree, and that would take longer than a quarter of the run",
          look.left_out, look.suspects));
    }
    return report;
  }

  // One model in two places is paired by its names, however far the values are apart.
  Repaired PairResults(const ForcedRun& run) {
    if (right_graph_.runner() != nullptr || left_.side->node_runner() != nullptr) {
      if (const auto matches = MatchesOfSameModel(run.left(), right_graph_)) {
        RunAheadOn(run, *matches);
        Repaired paired;
        paired.state = run.Run(*matches);
        return paired;
      }
    }
    return Repair(run, Hints(), options_.limits);
  }

  // Values of the right's constants and inputs, by result; computed on first use.
  const std::vector<Value>& Leaves() {
    if (!leaves_.has_value()) leaves_ = LeavesOf(right_graph_, *right_.side->feeds());
    return *leaves_;
  }

  // The stream in the form that both sides share, in which their values are compared.
  static std::optional<ResultStream> FormOf(const ResultStream& stream) {
    if (!HasForms(stream)) return std::nullopt;
    return InCommonForm(stream);
  }

  std::vector<std::pair<int, int>> Hints() const {
    std::vector<std::pair<int, int>> hints;
    for (const auto& [left, right] : alignment_.tentative) hints.emplace_back(right, left);
    for (const int r : right_graph_.results()) {
      if (aligned_[Index(r)] != kNone) {
        hints.emplace_back(r, aligned_[Index(r)]);
      }
    }
    return hints;
  }

  const RecordedSide& left_;
  const RecordedSide& right_;
  const CauseOptions& options_;
  const Alignment& alignment_;
  std::vector<int> aligned_;
  std::optional<ResultStream> left_form_;  // the graphs' streams, if not the sides' own
  std::optional<ResultStream> right_form_;
  SideGraph left_graph_;
  SideGraph right_graph_;
  std::optional<std::vector<Value>> leaves_;
};

}  // namespace

absl::StatusOr<CauseReport> FindCauses(const PerSide<RecordedSide>& sides,
                                       const Alignment& alignment, const CauseOptions& options) {
  if (!AnythingDiffers(sides, alignment)) return CauseReport();
  if (sides.right.evaluator() == nullptr) {
    CauseReport report;
    report.not_searched = absl::StrCat(
        "the right is a recording, and causes are found by running the right model on "
        "the left's values",
        sides.left.evaluator() == nullptr ? "" : "; exchange the two sides");
    return report;
  }
  int body_searches = work_bounds::kTrials;
  CauseOptions bounded = options;
  if (bounded.body_searches == nullptr) bounded.body_searches = &body_searches;
  return CauseFinder(sides, alignment, bounded).Find();
}

}  // namespace onnxcmp
