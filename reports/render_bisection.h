// A search for the first bad model in reports.
#ifndef ONNXCMP_REPORTS_RENDER_BISECTION_H_
#define ONNXCMP_REPORTS_RENDER_BISECTION_H_

#include <string>

#include "compare/outcome/chain.h"
#include "reports/table/table_options.h"
#include "tools/bisect/bisection.h"
#include "tools/fix/fix_report.h"

namespace onnxcmp {

// The candidates and the question, in lines before those of the answers.
std::string BisectionHead(const Bisection& bisection, const TableOptions& options = {});
// A line for one answer: "bad   23 pass_23.onnx  different, at most 0.3".
std::string TrialLine(const Bisection& bisection, const BisectTrial& trial,
                      const TableOptions& options = {});
// The lines after the answers: the step, `detail` (its comparison as a table, "": none), the
// outcome, the exit status.
std::string RenderBisection(const Bisection& bisection, const std::string& detail = "",
                            const TableOptions& options = {});

// All of it; docs/formats.md tells of its fields. `command`: the command line; "": none is told.
// `fix`: a model of the step, mended; null: --fix was not given, or there is no step.
std::string RenderBisectionJson(const Bisection& bisection, const std::string& command = "",
                                const FixReport* fix = nullptr);

// "pass_22.onnx → pass_23.onnx".
std::string BisectedStepName(const Bisection& bisection, const ChainStep& step);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_RENDER_BISECTION_H_
