#include "compare/compare.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "compare/causes/cause.h"
#include "compare/causes/cause_class.h"
#include "compare/conversion/check_conversion.h"
#include "compare/conversion/conversion.h"
#include "compare/not_finite/find_not_finite.h"
#include "compare/outcome/causes_without_effect.h"
#include "compare/outcome/verdict.h"
#include "compare/outputs/output_comparison.h"
#include "compare/outputs/recorded_results.h"
#include "compare/outputs/unknown_inputs.h"
#include "compare/pictures/value_picture.h"
#include "compare/sides/pair_values.h"
#include "compare/sides/value_store.h"
#include "compare/stages/align_sides.h"
#include "compare/stages/judge_conversion.h"
#include "compare/stages/judge_outputs.h"
#include "compare/stages/keep_nodes_in_float.h"
#include "compare/stages/look_at_quantization.h"
#include "compare/stages/make_reports.h"
#include "compare/stages/measure_rows.h"
#include "compare/stages/name_causes.h"
#include "compare/stages/record_sides.h"
#include "compare/stages/step_tools.h"
#include "compare/stages/take_common_forms.h"
#include "compare/tolerances/pair_tolerance.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "feed/coverage/unread_rows.h"
#include "record/base/per_side.h"
#include "record/base/thresholds.h"
#include "record/differences/tensor_distance.h"
#include "record/operators/node_settings.h"
#include "record/streams/node_watcher.h"
#include "record/streams/quantized_streams.h"
#include "record/streams/result_names.h"

namespace onnxcmp {
namespace {

// True if one side looks like the other in a coarser type: then results are far apart without a
// fault, and hardly any search for one will ask for their values.
bool ExpectsConversion(const PerSide<Side*>& sides) {
  return sides.left->evaluator() != nullptr && sides.right->evaluator() != nullptr &&
         MayBeConverted(
             {&sides.left->evaluator()->model().graph, &sides.right->evaluator()->model().graph});
}

SideRecords Record(const PerSide<Side*>& sides, const CompareOptions& options,
                   PictureAlbum* pictures, const ThreadPool& pool) {
  FingerprintCache own_cache(options.letters);
  FingerprintCache& cache = options.seen != nullptr ? options.seen->fingerprints : own_cache;
  cache.ForgetTheGone();
  RecordSidesOptions recording;
  recording.max_depth = options.max_depth;
  recording.keep_values = options.keep_values;
  recording.search_memory = options.causes && !ExpectsConversion(sides) ? options.search_memory : 0;
  recording.share = options.share;
  recording.numbers = options.letters || options.made_up || options.quantization ||
                      options.fusions || !options.explain.empty() || !options.pairs.empty();
  recording.modules = true;  // tables group rows by them
  recording.shadow = options.shadow;
  recording.shadow_memory = options.search_memory;
  recording.pool = &pool;
  recording.pictures = pictures;
  recording.cache = &cache;
  recording.seen = options.seen;
  recording.tolerance = options.tolerance;
  recording.timings = options.timings;
  recording.watch = options.watch;
  return RecordSides(sides, recording);
}

absl::Status CheckNotStopped(const CompareOptions& options) {
  if (options.stop == nullptr || !options.stop->load(std::memory_order_relaxed)) {
    return absl::OkStatus();
  }
  return absl::CancelledError("the comparison was stopped");
}

// With tolerances by full names of results.
absl::StatusOr<JudgeOptions> JudgeOptionsOf(const PerSide<RecordedSide>& sides,
                                            const CompareOptions& options) {
  JudgeOptions judging;
  judging.tolerance = options.tolerance;
  judging.partial = options.partial;
  judging.any_row_order = options.any_row_order;
  judging.ties_agree = options.ties_agree;
  judging.min_sqnr = options.min_sqnr;
  if (options.tolerance.by_name.empty()) return judging;
  const std::vector<std::string> names = NamesOf({sides.left.stream, sides.right.stream});
  OC_ASSIGN_OR_RETURN(judging.tolerance,
                      WithWholeNames(options.tolerance, names, "results of either side"));
  return judging;
}

PairTolerances TolerancesOf(const PerSide<RecordedSide>& sides, const Alignment& alignment,
                            const ToleranceOptions& options, bool for_other_inputs) {
  PairTolerances tolerances(*sides.left.stream, *sides.right.stream, alignment, options);
  if (for_other_inputs) {
    tolerances.Allow(ToleranceOfOtherCalibration(), "8-bit quantization for other inputs");
  }
  return tolerances;
}

absl::StatusOr<PerSide<NotFinite>> FindNotFiniteOnBoth(const PerSide<RecordedSide>& sides,
                                                       const StepTools& tools) {
  PerSide<NotFinite> found;
  OC_ASSIGN_OR_RETURN(found.left, FindNotFinite(sides.left, "left again", tools.watch));
  OC_ASSIGN_OR_RETURN(found.right, FindNotFinite(sides.right, "right again", tools.watch));
  return found;
}

// An explicit request for causes always runs the full search.
bool AsksForCauses(const CompareOptions& options) {
  return options.repro || options.fail_on == FailOn::kCauses;
}

absl::StatusOr<CauseReport> SearchCauses(
    const PerSide<RecordedSide>& sides, const PerSide<std::vector<NamedOutput>>& outputs,
    const MeasuredRows& measured, const OutputComparison& judged, const PairTolerances& tolerances,
    const ToleranceOptions& tolerance, const CompareOptions& options, const StepTools& tools) {
  if (!options.causes) return CauseReport();
  NameCausesOptions naming;
  naming.asked = AsksForCauses(options);
  naming.quick = options.quick_causes && !naming.asked;
  naming.limits = options.cause_limits;
  naming.repro = options.repro;
  naming.tolerance = tolerance;
  return NameCauses(sides, outputs, measured, judged, tolerances, naming, tools);
}

// True if outputs are so far apart that a search for causes will follow. Affects only what further
// runs keep.
bool AreFarApart(const PerSide<std::vector<NamedOutput>>& outputs) {
  for (const NamedOutput& left : outputs.left) {
    for (const NamedOutput& right : outputs.right) {
      if (left.name != right.name || !IsMeasurable(left.value) || !IsMeasurable(right.value)) {
        continue;
      }
      const Tensor& ours = left.value.tensor();
      const Tensor& theirs = right.value.tensor();
      const double epsilon = CoarserEpsilon(ours.dtype(), theirs.dtype());
      if (epsilon > 0 && ours.shape() == theirs.shape() &&
          Distance(Measure(ours), Measure(theirs)) >
              std::max(thresholds::kFarDistance, thresholds::kFarEpsilons * epsilon)) {
        return true;
      }
    }
  }
  return false;
}

// Findings of the steps about two recorded sides.
struct Findings {
  MeasuredRows measured;
  OutputComparison judged;
  bool untested = false;  // because inputs were made up beside a recording
  PerSide<NotFinite> not_finite;
  std::vector<std::string> search_notes;
  std::string not_searched;  // as CauseReport
  ReviewedCauses reviewed;
  std::optional<KeepInFloat> keep_in_float;
  Reports reports;
};

// Both sides keep values for the cause search as long as there may be one.
void KeepForSearch(bool keep, const PerSide<RecordedSide>& sides) {
  for (const SideId id : kBothSides) {
    if (keep) {
      sides[id].store->ServeSearch();
    } else {
      sides[id].store->EndSearch();
    }
  }
}

bool AnyRecorded(const PerSide<RecordedSide>& sides) {
  return sides.left.stream->recorded || sides.right.stream->recorded;
}

// True if recorded floats passed through integers that the model beside them does not have.
bool IsRecordedInIntegers(const PerSide<RecordedSide>& sides) {
  return absl::c_any_of(kBothSides, [&](SideId side) {
    const ResultStream& stream = *sides[side].stream;
    return stream.recorded && absl::c_any_of(stream.results, [](const StreamResult& result) {
             return IsFloatingPoint(result.dtype) && IsInteger(result.own_precision);
           });
  });
}

std::vector<ResultPair> PairsOf(absl::Span<const Cause> causes) {
  std::vector<ResultPair> pairs;
  for (const Cause& cause : causes) pairs.push_back({cause.left, cause.right});
  return pairs;
}

// Causes dismissed as quantization, at results that count.
std::vector<Cause> CausesOfDifferences(absl::Span<const Cause> causes,
                                       const OutputComparison& judged) {
  std::vector<Cause> rest;
  for (const Cause& cause : causes) {
    const bool counts = absl::c_any_of(judged.pairs, [&](const OutputPair& pair) {
      return pair.left_result == cause.left && pair.right_result == cause.right &&
             !IsAccepted(judged, pair);
    });
    if (counts) rest.push_back(cause);
  }
  return rest;
}

// Excuses recorded results that quantization noise explains, if no cause is left; results that
// still count keep the causes that were found.
void LeaveOutNoise(const PerSide<RecordedSide>& sides, absl::Span<const Cause> found,
                   OutputComparison* judged, ReviewedCauses* reviewed) {
  if (!AnyRecorded(sides) || !reviewed->causes.empty()) return;
  *judged = WithoutHonestNoise({sides.left.stream, sides.right.stream}, PairsOf(found),
                               std::move(*judged));
  reviewed->causes = CausesOfDifferences(found, *judged);
  std::erase_if(reviewed->dismissed, [&](const DismissedCause& one) {
    return absl::c_any_of(reviewed->causes, [&](const Cause& cause) {
      return cause.left == one.cause.left && cause.right == one.cause.right;
    });
  });
}

// Layers are measured by results that a recording may lack, so if all recorded results agree,
// layers are not reviewed.
LookAtQuantizationOptions LookingAtQuantization(const CompareOptions& options, bool recorded,
                                                bool quantized, bool agree, bool honest) {
  return {.review = options.causes && quantized && !honest && !(recorded && agree),
          .layers = options.quantization || options.fusions,
          .differ = options.causes && quantized && !recorded && !agree,
          .made_up = options.made_up};
}

bool MaySearch(const PerSide<RecordedSide>& sides, const CompareOptions& options) {
  return options.causes && sides.right.evaluator() != nullptr &&
         ComputedBytes(*sides.left.stream) <= options.search_memory;
}

// A search that is left out finds nothing.
absl::StatusOr<CauseReport> SearchUnless(bool left_out, const PerSide<RecordedSide>& sides,
                                         const PerSide<std::vector<NamedOutput>>& outputs,
                                         const MeasuredRows& measured,
                                         const OutputComparison& judged,
                                         const PairTolerances& tolerances,
                                         const ToleranceOptions& tolerance,
                                         const CompareOptions& options, const StepTools& tools) {
  if (left_out) return CauseReport();
  return SearchCauses(sides, outputs, measured, judged, tolerances, tolerance, options, tools);
}

// Checks if one side is the other in a coarser type, and judges the outputs by that.
absl::StatusOr<std::optional<CheckedConversion>> CheckAndJudge(
    const PerSide<RecordedSide>& sides, const Alignment& alignment,
    const PerSide<std::vector<NamedOutput>>& outputs, bool other_inputs,
    const CompareOptions& options, const StepTools& tools, OutputComparison* judged) {
  const StepTimer timer(options.timings, "check the conversion");
  OC_ASSIGN_OR_RETURN(std::optional<CheckedConversion> checked,
                      CheckConversion(sides, alignment, {options.made_up, other_inputs},
                                      options.watch, tools.pool));
  const bool given = options.tolerance.rtol.has_value() || options.tolerance.atol.has_value();
  const ConversionLimits limits = {options.min_sqnr, other_inputs, options.ties_agree, given};
  OC_ASSIGN_OR_RETURN(*judged,
                      JudgeConversion(checked, sides, outputs, limits, tools, std::move(*judged)));
  return checked;
}

// docs/architecture.md has a table of these steps.
absl::StatusOr<Findings> CompareRecords(const SideRecords& recorded,
                                        const PerSide<RecordedSide>& sides,
                                        const CompareOptions& options, const StepTools& tools) {
  const PerSide<SideRecord>& records = recorded.sides;
  OC_ASSIGN_OR_RETURN(const JudgeOptions judging, JudgeOptionsOf(sides, options));
  std::optional<StepTimer> timer;
  timer.emplace(options.timings, "align");
  OC_ASSIGN_OR_RETURN(Alignment aligned, AlignSides(sides, options.pairs, tools));
  timer.reset();
  OC_RETURN_IF_ERROR(CheckNotStopped(options));
  const bool quantized = DifferInQuantization(*sides.left.stream, *sides.right.stream);
  // The effect of made-up inputs on scales calibrated for others is no mistake of a model.
  const bool other_inputs = options.made_up && !options.calibrated && quantized;
  PairTolerances tolerances = TolerancesOf(sides, aligned, judging.tolerance, other_inputs);
  const PerSide<std::vector<NamedOutput>> outputs = NamedOutputsOf(sides, records);

  timer.emplace(options.timings, "measure");
  const bool may_search = MaySearch(sides, options);
  KeepForSearch(may_search, sides);
  OC_ASSIGN_OR_RETURN(MeasuredRows measured, MeasureRows(sides, std::move(aligned), tolerances,
                                                         recorded.differences, tools));
  KeepForSearch(may_search && AreFarApart(outputs), sides);
  OC_ASSIGN_OR_RETURN(OutputComparison judged,
                      JudgeOutputs(sides, outputs, measured, tolerances, judging, tools));
  timer.reset();
  OC_ASSIGN_OR_RETURN(
      const std::optional<CheckedConversion> checked,
      CheckAndJudge(sides, measured.alignment, outputs, other_inputs, options, tools, &judged));
  const bool honest = !AsksForCauses(options) && IsHonest(checked, judged);
  OC_ASSIGN_OR_RETURN(PerSide<NotFinite> not_finite, FindNotFiniteOnBoth(sides, tools));
  OC_RETURN_IF_ERROR(CheckNotStopped(options));

  timer.emplace(options.timings, "causes");
  // Differences by other inputs have no cause in the model.
  const bool untested =
      IsUntestedBecauseOf(options.made_up_inputs, *sides.left.stream, *sides.right.stream, judged);
  OC_ASSIGN_OR_RETURN(CauseReport search,
                      SearchUnless(untested || honest, sides, outputs, measured, judged, tolerances,
                                   judging.tolerance, options, tools));
  OC_ASSIGN_OR_RETURN(measured, AddPairs(sides, std::move(measured), search.repaired, tolerances,
                                         recorded.differences, tools));
  KeepForSearch(false, sides);
  const LookAtQuantizationOptions looking =
      LookingAtQuantization(options, AnyRecorded(sides), quantized, judged.agree(), honest);
  OC_ASSIGN_OR_RETURN(ReviewedCauses reviewed,
                      LookAtQuantization(sides, measured.alignment, search, looking, tools));
  ReviewByConversion(checked, judged, sides, options.causes, &reviewed);
  timer.reset();
  OC_RETURN_IF_ERROR(CheckNotStopped(options));

  if (DifferByKnownForms(judged, reviewed.causes)) {
    tolerances.Allow(ToleranceOfKnownForms(), "the tanh form of Gelu for the one with erf");
    OC_ASSIGN_OR_RETURN(judged, JudgeOutputs(sides, outputs, measured, tolerances, judging, tools));
  }
  if (!other_inputs && !honest) {
    judged = RejudgeOutputs(std::move(judged), search.effects, reviewed.causes, quantized);
  }
  if (quantized || IsRecordedInIntegers(sides))
    LeaveOutNoise(sides, search.causes, &judged, &reviewed);
  std::optional<KeepInFloat> keep_in_float;
  if (options.causes && !other_inputs && search.not_searched.empty()) {
    const StepTimer keeping(options.timings, "keep in float");
    OC_ASSIGN_OR_RETURN(keep_in_float, KeepNodesInFloat(sides, outputs, measured, judged, reviewed,
                                                        tolerances, judging, tools));
  }
  const ReportOptions asked = {options.fusions, options.shadow, options.explain};
  OC_ASSIGN_OR_RETURN(Reports reports,
                      MakeReports(records, sides, measured, judged, reviewed.quantization,
                                  tolerances, asked, tools));
  return Findings{std::move(measured),
                  std::move(judged),
                  untested,
                  std::move(not_finite),
                  search.notes,
                  search.not_searched,
                  std::move(reviewed),
                  std::move(keep_in_float),
                  std::move(reports)};
}

const Node* NodeOf(const Side& side, const ResultStream& stream, int result) {
  if (side.evaluator() == nullptr || result == kNone) return nullptr;
  const StreamResult& made = stream.results[Index(result)];
  const int64_t node = made.depth > 0 ? -1 : MainNodeOf(*side.evaluator(), made.name);
  return node < 0 ? nullptr : &side.evaluator()->model().graph.nodes[static_cast<size_t>(node)];
}

// Readers see them beside each other, not only what differs.
void AddAttributes(const PerSide<Side*>& sides, Comparison* made) {
  const auto attributes_of = [](const ResultStream& stream, int result) {
    const int node = stream.results[Index(result)].node;
    return node == kNone ? 0 : stream.nodes[Index(node)].attributes;
  };
  for (Cause& cause : made->causes) {
    const Node* left = NodeOf(*sides.left, made->left, cause.left);
    const Node* right = NodeOf(*sides.right, made->right, cause.right);
    if (left == nullptr || right == nullptr || cause.in_body.has_value()) continue;
    // Attributes of different operators need not be alike.
    const bool alike =
        left->op_type != right->op_type || left->domain != right->domain ||
        attributes_of(made->left, cause.left) == attributes_of(made->right, cause.right);
    cause.attributes = AttributePairs(&sides.left->evaluator()->registry(), left,
                                      &sides.right->evaluator()->registry(), right, alike);
  }
}

// Mistakes that no replay of the right has tried say why.
void SayWhatWasNotTried(const Comparison& made, bool quantized, std::vector<Cause>* causes) {
  if (made.outputs.agree()) return;
  const bool recorded = made.left.recorded || made.right.recorded;
  for (Cause& cause : *causes) {
    if (!IsWrong(cause) || cause.mending.has_value() || !cause.not_tried.empty()) continue;
    if (recorded) {
      cause.not_tried = "only values are known of a recording (--fix tries edits)";
    } else if (quantized) {
      cause.not_tried = "the other side has no such integers (--fix computes them anew)";
    }
  }
}

// The last step: moves all findings into one place.
Comparison Assemble(const PerSide<Side*>& sides, PerSide<SideRecord> records, Findings findings,
                    const CompareOptions& options) {
  Comparison made;
  made.left_summary = sides.left->summary();
  made.right_summary = sides.right->summary();
  made.left = std::move(records.left.stream);
  made.right = std::move(records.right.stream);
  made.alignment = std::move(findings.measured.alignment);
  made.rows = std::move(findings.measured.rows);
  made.outputs = std::move(findings.judged);
  made.left_not_finite = std::move(findings.not_finite.left);
  made.right_not_finite = std::move(findings.not_finite.right);
  made.shadow = std::move(findings.reports.shadow);
  made.explanation = std::move(findings.reports.explanation);
  made.fusions = std::move(findings.reports.fusions);
  // For made-up inputs, all sets together decide.
  made.untested =
      findings.untested || (!options.made_up && made.outputs.agree() && TellsNothing(made.outputs));
  // Without results of a runtime that failed, there is nothing to find a cause of.
  for (const SideId id : kBothSides) {
    if (sides[id]->node_runner() == nullptr || sides[id]->summary().status.ok()) continue;
    findings.reviewed.causes.clear();
  }
  made.keep_in_float = std::move(findings.keep_in_float);
  if (findings.untested && made.verdict() == Verdict::kUntested) {
    made.made_up_inputs = options.made_up_inputs;
    findings.reviewed.causes.clear();
    made.keep_in_float.reset();
  }
  if (made.verdict() <= Verdict::kClose && sides.left->evaluator() != nullptr &&
      sides.right->evaluator() != nullptr) {
    made.unread = FindUnreadRows(
        made.left, made.right,
        {&sides.left->evaluator()->model().graph, &sides.right->evaluator()->model().graph});
  }
  made.fail_on = options.fail_on;
  made.notes = std::move(findings.search_notes);
  made.causes_not_searched = std::move(findings.not_searched);
  if (options.quantization) {
    made.quantization = std::move(findings.reviewed.quantization);
    if (!made.quantization.has_value()) {
      made.notes.push_back("neither side is quantized: there are no layers to list");
    }
  } else if (findings.reviewed.quantization.has_value() &&
             findings.reviewed.quantization->too_large) {
    const std::vector<std::string>& notes = findings.reviewed.quantization->notes;
    made.notes.insert(made.notes.end(), notes.begin(), notes.end());
  }
  if (findings.reviewed.causes.empty() && findings.reviewed.costliest.has_value() &&
      !made.outputs.agree()) {
    findings.reviewed.causes.push_back(*std::move(findings.reviewed.costliest));
  }
  made.dismissed = std::move(findings.reviewed.dismissed);
  const std::string without_effect =
      NoteOfCausesWithoutEffect(made.left, made.right, made.outputs, findings.reviewed.causes);
  if (without_effect.empty()) {
    made.causes = std::move(findings.reviewed.causes);
  } else {
    made.notes.push_back(without_effect);
  }
  made.notes.insert(made.notes.end(), made.outputs.notes.begin(), made.outputs.notes.end());
  SayWhatWasNotTried(made, DifferInQuantization(made.left, made.right), &made.causes);
  AddAttributes(sides, &made);
  return made;
}

}  // namespace

absl::StatusOr<Comparison> Compare(Side& left, Side& right, const CompareOptions& options) {
  OC_RETURN_IF_ERROR(CheckNotStopped(options));
  const ThreadPool pool(ThreadCount(options.threads));
  const PerSide<Side*> sides = {&left, &right};
  PictureAlbum album(options.pictures);
  PictureAlbum* pictures = options.pictures > 0 ? &album : nullptr;
  const StepTools tools = {
      options.keep_values, options.search_memory, options.watch, &pool, options.timings, pictures};
  OC_ASSIGN_OR_RETURN(
      SideRecords records,
      TakeCommonForms(sides, Record(sides, options, pictures, pool), options.longer, tools));
  OC_RETURN_IF_ERROR(CheckNotStopped(options));
  OC_ASSIGN_OR_RETURN(Findings findings,
                      CompareRecords(records, ViewsOf(sides, &records.sides), options, tools));
  // An interrupted search must not report "no causes".
  OC_RETURN_IF_ERROR(CheckNotStopped(options));
  return Assemble(sides, std::move(records.sides), std::move(findings), options);
}

}  // namespace onnxcmp
