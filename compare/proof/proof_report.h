// Where ProofReport was before it became a part of the comparison's outcome.
#ifndef ONNXCMP_COMPARE_PROOF_PROOF_REPORT_H_
#define ONNXCMP_COMPARE_PROOF_PROOF_REPORT_H_

#include "compare/outcome/proof_report.h"

#endif  // ONNXCMP_COMPARE_PROOF_PROOF_REPORT_H_
