// What a comparison comes to, for those who act on it.
#ifndef ONNXCMP_COMPARE_COMPARISON_EXIT_STATUS_H_
#define ONNXCMP_COMPARE_COMPARISON_EXIT_STATUS_H_

#include <string>

#include "compare/comparison/comparison.h"

namespace onnxcmp {

// What the program returns: 0 if the comparison does not fail, 1 if it does, 2 if a side failed or
// nothing was seen that could differ.
int ExitStatusOf(const Comparison& comparison);
// Why it fails though the outputs agree: "1 cause was named (--fail-on causes)", or that none could
// be looked for; "" if it does not.
std::string OtherFailure(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_COMPARISON_EXIT_STATUS_H_
