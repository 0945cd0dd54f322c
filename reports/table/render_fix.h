// A mended model as lines under the table.
#ifndef ONNXCMP_REPORTS_TABLE_RENDER_FIX_H_
#define ONNXCMP_REPORTS_TABLE_RENDER_FIX_H_

#include <string>

#include "reports/table/table_options.h"
#include "tools/fix/fix_report.h"

namespace onnxcmp {

// "fix        1 edit of the right model makes the outputs agree: mended.onnx", the edits, and how
// the model was verified.
std::string RenderFix(const FixReport& report, const TableOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_RENDER_FIX_H_
