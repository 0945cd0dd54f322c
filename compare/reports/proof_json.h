// A proof as JSON.
#ifndef ONNXCMP_COMPARE_REPORTS_PROOF_JSON_H_
#define ONNXCMP_COMPARE_REPORTS_PROOF_JSON_H_

#include "compare/outcome/comparison.h"
#include "compare/reports/json_values.h"

namespace onnxcmp {

// Null if none was asked for.
ReportJson ProofJson(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_PROOF_JSON_H_
