// Lines of cells fitted to the width of a terminal.
#ifndef ONNXCMP_COMPARE_REPORTS_TABLE_TABLE_LAYOUT_H_
#define ONNXCMP_COMPARE_REPORTS_TABLE_TABLE_LAYOUT_H_

#include <string>
#include <vector>

#include "compare/reports/table/table_lines.h"
#include "compare/reports/table/table_options.h"
#include "compare/reports/table/table_style.h"

namespace onnxcmp {

// The lines under a heading; "" if there are none. Names lose their middle, operators their end;
// what does not fit even so is left out: the type first. Columns of further numbers are there if
// nothing had to be shortened for them.
std::string LayOut(std::vector<TableLine> lines, const TableOptions& options,
                   const TableStyle& style);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_TABLE_TABLE_LAYOUT_H_
