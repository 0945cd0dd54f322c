// Fits lines of cells to the width of a terminal.
#ifndef ONNXCMP_REPORTS_TABLE_TABLE_LAYOUT_H_
#define ONNXCMP_REPORTS_TABLE_TABLE_LAYOUT_H_

#include <string>
#include <vector>

#include "reports/table/table_lines.h"
#include "reports/table/table_options.h"
#include "reports/table/table_style.h"

namespace onnxcmp {

// The lines under a heading; "" if there are none. Names are shortened in the middle, operators at
// the end; if that does not suffice, columns are left out, the type first. Further columns of
// numbers appear if nothing had to be shortened for them.
std::string LayOut(std::vector<TableLine> lines, const TableOptions& options,
                   const TableStyle& style);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_TABLE_LAYOUT_H_
