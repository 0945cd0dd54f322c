#include "compare/stages/name_causes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "compare/causes/failed_runs.h"
#include "compare/causes/recorded/recorded_causes.h"
#include "compare/causes/repro/make_repro.h"
#include "compare/outcome/verdict.h"
#include "compare/quantization/contradicted_causes.h"
#include "compare/recorded/order.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "record/base/thresholds.h"
#include "record/differences/tensor_distance.h"
#include "record/streams/quantized_streams.h"
#include "record/streams/result_names.h"

namespace onnxcmp {
namespace {

// By right result, as CauseOptions::apart.
std::vector<double> DistancesOf(const std::vector<ComparedRow>& rows, size_t results) {
  std::vector<double> apart(results, std::numeric_limits<double>::infinity());
  for (const ComparedRow& row : rows) {
    if (!row.aligned.paired() || row.difference == nullptr) continue;
    const ValueDifference& values = row.difference->values;
    if (!values.reason.empty() || !(values.scale > 0)) continue;
    apart[Index(row.aligned.right.back())] = values.max_absolute / values.scale;
  }
  return apart;
}

// By right result, as CauseOptions::far.
std::vector<bool> FarApart(const PerSide<RecordedSide>& sides,
                           const std::vector<ComparedRow>& rows) {
  std::vector<bool> far(sides.right.stream->results.size());
  for (const ComparedRow& row : rows) {
    if (!row.aligned.paired() || row.difference == nullptr) continue;
    const StreamResult& left = sides.left.result(row.aligned.left.back());
    const StreamResult& right = sides.right.result(row.aligned.right.back());
    const double epsilon = CoarserEpsilon(left.dtype, right.dtype);
    // Quantization may change numbers much.
    if (epsilon == 0 || IsInteger(left.precision) || IsInteger(right.precision)) continue;
    // For the whole tensor, as root mean square: near tensors are at most that far apart.
    const double share = std::pow(10, -row.difference->sqnr / 20);
    far[Index(row.aligned.right.back())] =
        row.difference->values.reason.empty() &&
        share > thresholds::kMostRoundingGrowth * NearLimit(epsilon);
  }
  return far;
}

// Outputs of the right that agree although their bits differ.
std::vector<std::pair<int, Value>> DoubtfulOutputs(const std::vector<NamedOutput>& outputs,
                                                   const OutputComparison& judged) {
  std::vector<std::pair<int, Value>> doubtful;
  for (const OutputPair& pair : judged.pairs) {
    if (!pair.agrees() || pair.same_bits || pair.recorded) continue;
    for (const NamedOutput& output : outputs) {
      if (output.result == pair.right_result) doubtful.emplace_back(output.result, output.value);
    }
  }
  return doubtful;
}

// Pairs of the table, of each result of the model first the one that has the row. Elements in
// another order that no layout explains are a difference.
std::vector<RecordedPair> RecordedPairsOf(const std::vector<ComparedRow>& rows,
                                          const OutputComparison& judged,
                                          const PairTolerances& tolerances) {
  absl::flat_hash_set<std::pair<int, int>> disagreeing;
  for (const OutputPair& pair : judged.pairs) {
    if (!pair.agrees()) disagreeing.insert({pair.left_result, pair.right_result});
  }
  std::vector<RecordedPair> pairs;
  for (const bool merged : {false, true}) {
    for (const ComparedRow& row : rows) {
      const Marks marks = row.aligned.marks;
      if (!row.aligned.paired() || Has(marks, Mark::kMerged) != merged ||
          Has(marks, Mark::kEntry)) {
        continue;
      }
      const int left = row.aligned.left.back();
      const int right = row.aligned.right.back();
      const bool disagrees = disagreeing.contains({left, right});
      if (Has(marks, Mark::kTransposed) && !disagrees) continue;
      pairs.push_back({left, right, tolerances.Of(left, right).tolerances,
                       disagrees || row.relation == Relation::kDifferent});
    }
  }
  return pairs;
}

// The first row that differs, in the left's order: two recordings cannot run, so no more can be
// told.
std::string FirstThatDiffers(const PerSide<RecordedSide>& sides,
                             const std::vector<ComparedRow>& rows) {
  const auto first = absl::c_find_if(rows, [](const ComparedRow& row) {
    return row.aligned.paired() && row.relation == Relation::kDifferent;
  });
  if (first == rows.end()) return "";
  const std::string left = FullName(sides.left.result(first->aligned.left.back()));
  const std::string right = FullName(sides.right.result(first->aligned.right.back()));
  return absl::StrCat("the first that differs is ", left,
                      left == right ? "" : absl::StrCat(" | ", right), ", ",
                      AreInOrderOfNames(*sides.left.stream)
                          ? "in the order of names, which need not be that of the run"
                          : "in the order of the left",
                      "; a model in the place of one side would tell what differs by itself");
}

// True if the left's outputs agree with these of the right, by the tolerances that its own are
// judged by.
bool AgreeWith(absl::Span<const Value> values, const PerSide<std::vector<NamedOutput>>& outputs,
               const ToleranceOptions& options, const PairTolerances& tolerances,
               const Alignment& alignment) {
  std::vector<NamedOutput> right = outputs.right;
  if (values.size() != right.size()) return false;
  for (size_t i = 0; i < right.size(); ++i) right[i].value = values[i];
  return CompareOutputs(outputs.left, right, options, &tolerances, &alignment).agree();
}

void AddRepro(const FoundCause& found, Cause* cause) {
  absl::StatusOr<Repro> repro = MakeRepro(found, *cause);
  if (repro.ok()) {
    cause->repro = std::make_shared<const Repro>(*std::move(repro));
  } else {
    cause->no_repro = OneLine(repro.status().message());
  }
}

}  // namespace

absl::StatusOr<CauseReport> NameCauses(const PerSide<RecordedSide>& sides,
                                       const PerSide<std::vector<NamedOutput>>& outputs,
                                       const MeasuredRows& measured, const OutputComparison& judged,
                                       const PairTolerances& tolerances,
                                       const NameCausesOptions& options, const StepTools& tools) {
  CauseOptions search;
  search.outputs_agree = judged.agree();
  search.keep_values = tools.keep_values;
  search.search_memory = tools.search_memory;
  search.pool = tools.pool;
  search.watch = tools.watch;
  search.limits = options.limits;
  search.doubtful = DoubtfulOutputs(outputs.right, judged);
  if (judged.agree() && options.quick) {
    search.apart = DistancesOf(measured.rows, sides.right.stream->results.size());
  }
  if (!judged.agree()) {
    search.far = FarApart(sides, measured.rows);
    for (const NamedOutput& output : outputs.right) search.outputs.push_back(output.value);
    search.agrees = [&](absl::Span<const Value> values) {
      return AgreeWith(values, outputs, options.tolerance, tolerances, measured.alignment);
    };
  }
  if (options.repro) search.on_found = AddRepro;
  OC_ASSIGN_OR_RETURN(
      CauseReport report,
      IsModelBesideRecording(sides)
          ? FindRecordedCauses(sides, measured.alignment,
                               RecordedPairsOf(measured.rows, judged, tolerances), search)
          : FindCauses(sides, measured.alignment, search));
  Dismiss(ReviewByFailures(sides), &report.causes, &report.dismissed);
  if (IsQuantized(*sides.left.stream) && IsQuantized(*sides.right.stream)) {
    Dismiss(ReviewByRows(*sides.left.stream, measured.rows), &report.causes, &report.dismissed);
  }
  // Recordings are not expected to have causes, unless these are requested.
  if (!report.not_searched.empty() &&
      (sides.right.evaluator() != nullptr || options.asked ||
       VerdictOf(sides.left.side->summary(), sides.right.side->summary(), judged) ==
           Verdict::kDifferent)) {
    const bool no_model = sides.left.evaluator() == nullptr && sides.right.evaluator() == nullptr;
    const std::string first = no_model ? FirstThatDiffers(sides, measured.rows) : "";
    report.notes.insert(
        report.notes.begin(),
        !first.empty() ? first : absl::StrCat("no cause was looked for: ", report.not_searched));
  }
  return report;
}

}  // namespace onnxcmp
