// The parts of the table above and below its rows.
#ifndef ONNXCMP_REPORTS_TABLE_TABLE_SUMMARY_H_
#define ONNXCMP_REPORTS_TABLE_TABLE_SUMMARY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/causes/cause.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/fused_rows.h"
#include "reports/table/table_options.h"
#include "reports/table/table_style.h"

namespace onnxcmp {

// The verdict, the causes, and of two models that agree what changed, in a few lines: what a reader
// has come for. `all_causes`: all of them are in it, whole.
std::string TableTop(const Comparison& comparison, const std::vector<FusedRows>& fusions,
                     const TableOptions& options, const TableStyle& style, bool* all_causes);

// The two sides, their inputs, notes.
std::string TableHead(const Comparison& comparison, const TableOptions& options,
                      const TableStyle& style);

// Counts, what was fused and changed, how the verdict came about, and the exit status as the last
// line. `causes`: those too; `verdict`: its words once more, since what is above is out of sight.
std::string TableFoot(const Comparison& comparison, const std::vector<FusedRows>& fusions,
                      const TableOptions& options, const TableStyle& style, bool causes,
                      bool verdict);

// A cause as one sentence: "Softmax w | v: attribute axis: -1 | 1; on the left's own inputs ...",
// and its pair alone.
std::string CausePair(const Comparison& comparison, const Cause& cause);
std::string CauseSentence(const Comparison& comparison, const Cause& cause);
std::string CauseLabel(const Comparison& comparison, size_t cause);  // "cause", "cause 2"

// The places where the sides stop being finite; if nothing else is shown, also that there are none.
std::string NotFiniteLines(const Comparison& comparison, const TableOptions& options,
                           const TableStyle& style);

// The verdict and the exit status.
std::string VerdictLines(const Comparison& comparison, const TableOptions& options,
                         const TableStyle& style);

// True if a line of VerdictText() limits what its first says: it stands above the table, too.
bool BelongsAbove(const Comparison& comparison, absl::string_view line);

// How it came about without what stands above the table, and the exit status.
std::string VerdictDetails(const Comparison& comparison, const TableOptions& options,
                           const TableStyle& style);

// The meaning of the verdict here: the output that is farthest apart, how far and where; or why a
// side failed.
std::vector<std::string> VerdictText(const Comparison& comparison, bool all = false);

// A label followed by the text, wrapped to the width.
std::string LabelledLines(absl::string_view label, Color color, absl::string_view text,
                          const TableOptions& options, const TableStyle& style);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_TABLE_SUMMARY_H_
