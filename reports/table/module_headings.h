// Headings for groups of rows that come from one module of a framework's program.
#ifndef ONNXCMP_REPORTS_TABLE_MODULE_HEADINGS_H_
#define ONNXCMP_REPORTS_TABLE_MODULE_HEADINGS_H_

#include <vector>

#include "compare/outcome/comparison.h"
#include "reports/table/table_lines.h"

namespace onnxcmp {

// Adds a heading wherever the module that rows come from changes, with the lines of the program
// that they come from ("── encoder.layer.0  model.py:23–25 ──"); by these lines alone if no modules
// are noted. Adds none if that makes a heading for every row or two, if the exporter noted nothing,
// or if there are headings already: calls and bodies tell more.
void AddModuleHeadings(const Comparison& comparison, std::vector<TableLine>* lines);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_MODULE_HEADINGS_H_
