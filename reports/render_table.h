// A comparison as a table for a terminal: the two sides, the rows that need attention, the changes,
// the causes, the verdict.
#ifndef ONNXCMP_REPORTS_RENDER_TABLE_H_
#define ONNXCMP_REPORTS_RENDER_TABLE_H_

#include <string>

#include "absl/types/span.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/exit_status.h"
#include "reports/table/table_options.h"

namespace onnxcmp {

std::string RenderTable(const Comparison& comparison, const TableOptions& options = {});

SetSummary SummaryOf(const std::string& name, const Comparison& comparison);

// A line for each set, and the overall verdict, which is the worst.
std::string RenderSetsSummary(absl::Span<const SetSummary> sets, const TableOptions& options = {});
// Only the lines.
std::string RenderSummaries(absl::Span<const SetSummary> summaries, const TableOptions& options);
// "1 same, 2 close".
std::string VerdictCounts(absl::Span<const SetSummary> summaries);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_RENDER_TABLE_H_
