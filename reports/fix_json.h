// A mended model in JSON.
#ifndef ONNXCMP_REPORTS_FIX_JSON_H_
#define ONNXCMP_REPORTS_FIX_JSON_H_

#include "reports/json_values.h"
#include "tools/fix/fix_report.h"

namespace onnxcmp {

ReportJson FixJson(const FixReport& fix);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_FIX_JSON_H_
