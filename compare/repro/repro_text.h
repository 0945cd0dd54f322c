// What a folder with a repro says about itself.
#ifndef ONNXCMP_COMPARE_REPRO_REPRO_TEXT_H_
#define ONNXCMP_COMPARE_REPRO_REPRO_TEXT_H_

#include <cstddef>
#include <string>

#include "compare/causes/repro.h"
#include "compare/comparison/comparison.h"
#include "compare/differences/tolerance.h"
#include "compare/differences/value_difference.h"

namespace onnxcmp {

// cause.txt: what differs, where, by how much, and the commands that show it. `folder`: where the
// models lie.
std::string ReproText(const Comparison& comparison, size_t cause, const std::string& folder);

// As narrow as it takes to tell the right's result from the left's, and no wider than rounding
// needs; exact for what are no floats.
Tolerance ReproTolerance(const Repro& repro);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPRO_REPRO_TEXT_H_
