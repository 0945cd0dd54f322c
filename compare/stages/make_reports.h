// Optional parts of a comparison: fusions, the runs in double, a pair in depth.
#ifndef ONNXCMP_COMPARE_STAGES_MAKE_REPORTS_H_
#define ONNXCMP_COMPARE_STAGES_MAKE_REPORTS_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "compare/explain/explanation.h"
#include "compare/fusions/fusion.h"
#include "compare/in_double/shadow.h"
#include "compare/outputs/output_comparison.h"
#include "compare/quantization/quantization.h"
#include "compare/sides/pair_values.h"
#include "compare/stages/measure_rows.h"
#include "compare/stages/record_sides.h"
#include "compare/stages/step_tools.h"
#include "compare/tolerances/pair_tolerance.h"
#include "record/base/per_side.h"

namespace onnxcmp {

struct ReportOptions {
  bool fusions = false;
  bool shadow = false;  // both sides were recorded beside their runs in double
  std::string explain;  // a result's name or a row's number (FindRow); "": none
};

struct Reports {
  std::optional<FusionReport> fusions;
  std::optional<ShadowReport> shadow;
  std::optional<Explanation> explanation;
};

// `quantization`: nothing if no layers were examined. NotFound if there is no row to explain.
absl::StatusOr<Reports> MakeReports(const PerSide<SideRecord>& records,
                                    const PerSide<RecordedSide>& sides,
                                    const MeasuredRows& measured, const OutputComparison& judged,
                                    const std::optional<QuantizationReport>& quantization,
                                    const PairTolerances& tolerances, const ReportOptions& options,
                                    const StepTools& tools);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_MAKE_REPORTS_H_
