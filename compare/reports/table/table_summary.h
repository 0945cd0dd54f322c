// What stands above and below the rows of the table.
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

// The two sides, what they were fed, notes.
std::string TableHead(const Comparison& comparison, const TableOptions& options,
                      const TableStyle& style);

// Counts, what was fused and changed, causes, and the verdict as the last lines.
std::string TableFoot(const Comparison& comparison, const std::vector<Fusion>& fusions,
                      const TableOptions& options, const TableStyle& style);

// Where the sides stop being finite; if nothing else is shown, that they do not.
std::string NotFiniteLines(const Comparison& comparison, const TableOptions& options,
                           const TableStyle& style);

// The verdict and the exit status.
std::string VerdictLines(const Comparison& comparison, const TableOptions& options,
                         const TableStyle& style);

// What the verdict means here: which output is how far apart and where; why a side failed.
std::vector<std::string> VerdictText(const Comparison& comparison, bool all = false);

// A label and after it the text, wrapped to the width.
std::string LabelledLines(absl::string_view label, Color color, absl::string_view text,
                          const TableOptions& options, const TableStyle& style);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_TABLE_TABLE_SUMMARY_H_
