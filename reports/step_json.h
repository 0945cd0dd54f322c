// A step from one model to another in JSON.
#ifndef ONNXCMP_REPORTS_STEP_JSON_H_
#define ONNXCMP_REPORTS_STEP_JSON_H_

#include <string>

#include "compare/outcome/chain.h"
#include "reports/json_values.h"

namespace onnxcmp {

// As an entry of `steps` of a chain, without what a chain alone has.
ReportJson StepJson(const std::string& from, const std::string& to, const ChainStep& step);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_STEP_JSON_H_
