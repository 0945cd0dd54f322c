// The parts of the table above and below its rows.
#ifndef ONNXCMP_COMPARE_REPORTS_TABLE_TABLE_SUMMARY_H_
#define ONNXCMP_COMPARE_REPORTS_TABLE_TABLE_SUMMARY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/comparison/comparison.h"
#include "compare/reports/table/table_options.h"
#include "compare/reports/table/table_style.h"
#include "compare/reports/words/fusions.h"

namespace onnxcmp {

// The two sides, their inputs, notes.
std::string TableHead(const Comparison& comparison, const TableOptions& options,
                      const TableStyle& style);

// Counts, fusions and changes, causes, and the verdict as the last lines.
std::string TableFoot(const Comparison& comparison, const std::vector<Fusion>& fusions,
                      const TableOptions& options, const TableStyle& style);

// The places where the sides stop being finite; if nothing else is shown, also that there are none.
std::string NotFiniteLines(const Comparison& comparison, const TableOptions& options,
                           const TableStyle& style);

// The verdict and the exit status.
std::string VerdictLines(const Comparison& comparison, const TableOptions& options,
                         const TableStyle& style);

// The meaning of the verdict here: the output that is farthest apart, how far and where; or why a
// side failed.
std::vector<std::string> VerdictText(const Comparison& comparison, bool all = false);

// A label followed by the text, wrapped to the width.
std::string LabelledLines(absl::string_view label, Color color, absl::string_view text,
                          const TableOptions& options, const TableStyle& style);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_TABLE_TABLE_SUMMARY_H_
