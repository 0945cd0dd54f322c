// The models of a step, compared once more to mend one of them.
#ifndef ONNXCMP_CLI_MEND_STEP_H_
#define ONNXCMP_CLI_MEND_STEP_H_

#include "cli/compare_arguments.h"
#include "cli/compare_session.h"
#include "tools/fix/fix_report.h"

namespace onnxcmp::cli {

// Compares the two sides that the arguments name, and mends one of them as --fix asks. If they
// cannot be compared or mended, a note of the report says why.
FixReport MendStep(const CompareArguments& arguments, ComparisonTools& tools);

// The arguments of comparisons that mend nothing.
CompareArguments WithoutFix(CompareArguments arguments);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_MEND_STEP_H_
