#include "compare/stages/make_reports.h"

#include <cstddef>

#include "compare/explain/explain.h"
#include "compare/fusions/compare_fusions.h"
#include "compare/in_double/shadow_report.h"
#include "compare/outputs/compared_row.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

FusionSide FusionsOf(const RecordedSide& side) {
  const Evaluator* evaluator = side.evaluator();
  return {evaluator == nullptr ? nullptr : &evaluator->model().graph, side.stream};
}

FusionReport LookAtFusions(const PerSide<RecordedSide>& sides, const Alignment& alignment,
                           const QuantizationReport* quantization) {
  FusionReport report =
      CompareFusions(FusionsOf(sides.left), FusionsOf(sides.right), alignment, quantization);
  if (quantization == nullptr) return report;
  report.notes.insert(report.notes.end(), quantization->notes.begin(), quantization->notes.end());
  return report;
}

}  // namespace

absl::StatusOr<Reports> MakeReports(const PerSide<SideRecord>& records,
                                    const PerSide<RecordedSide>& sides,
                                    const MeasuredRows& measured, const OutputComparison& judged,
                                    const std::optional<QuantizationReport>& quantization,
                                    const PairTolerances& tolerances, const ReportOptions& options,
                                    const StepTools& tools) {
  const ComparedSides compared = {*sides.left.stream, *sides.right.stream, measured.alignment,
                                  measured.rows};
  Reports reports;
  if (options.fusions) {
    reports.fusions = LookAtFusions(sides, measured.alignment,
                                    quantization.has_value() ? &*quantization : nullptr);
  }
  if (options.shadow) {
    reports.shadow =
        MakeShadowReport(compared, records.left.shadow, records.right.shadow, judged.pairs,
                         records.left.outputs_in_double, records.right.outputs_in_double);
  }
  if (options.explain.empty()) return reports;
  OC_ASSIGN_OR_RETURN(const size_t row, FindRow(compared, options.explain));
  OC_ASSIGN_OR_RETURN(reports.explanation,
                      ExplainRow(compared, row, sides, tolerances, tools.watch, tools.pool));
  return reports;
}

}  // namespace onnxcmp
