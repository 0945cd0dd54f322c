// A proof as JSON.
#ifndef ONNXCMP_REPORTS_PROOF_JSON_H_
#define ONNXCMP_REPORTS_PROOF_JSON_H_

#include "compare/outcome/comparison.h"
#include "reports/json_values.h"

namespace onnxcmp {

// Null if none was asked for.
ReportJson ProofJson(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_PROOF_JSON_H_
