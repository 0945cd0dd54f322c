// The texts in the folder of a repro.
#ifndef ONNXCMP_TOOLS_REPRO_REPRO_TEXT_H_
#define ONNXCMP_TOOLS_REPRO_REPRO_TEXT_H_

#include <cstddef>
#include <string>

#include "compare/causes/repro.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/proof_report.h"
#include "record/differences/tolerance.h"
#include "record/differences/value_difference.h"

namespace onnxcmp {

// cause.txt: the difference, its place and size, and the commands that show it. `folder`: the
// folder of the models.
std::string ReproText(const Comparison& comparison, size_t cause, const std::string& folder);

// rewrite.txt: the same of a rewrite that differs by itself.
std::string RewriteReproText(const Comparison& comparison, const RewriteFault& fault,
                             const std::string& folder);

// A tolerance narrow enough to distinguish the right's result from the left's, and no wider than
// rounding needs; exact for values that are no floats.
Tolerance ReproTolerance(const Repro& repro);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REPRO_REPRO_TEXT_H_
