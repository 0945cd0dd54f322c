// Names of rows as a narrow table shows them.
#ifndef ONNXCMP_REPORTS_TABLE_TABLE_NAMES_H_
#define ONNXCMP_REPORTS_TABLE_TABLE_NAMES_H_

#include <string>
#include <vector>

#include "reports/table/table_lines.h"

namespace onnxcmp {

// Takes off the names' beginning and end that most of them have ("/bert/", "_output_0"), and the
// scope that a group of rows has in common, which becomes their heading. No two names become the
// same. Returns what was taken off all of them, for people; "" if nothing was.
std::string ShortenNames(std::vector<TableLine>* lines);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_TABLE_NAMES_H_
