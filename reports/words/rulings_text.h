// The objections and excuses that decided if outputs agree.
#ifndef ONNXCMP_REPORTS_WORDS_RULINGS_TEXT_H_
#define ONNXCMP_REPORTS_WORDS_RULINGS_TEXT_H_

#include <string>
#include <vector>

#include "compare/outputs/output_comparison.h"

namespace onnxcmp {

// A line for each pair that a step ruled on: "y: excused: honest noise of a conversion". None for
// pairs that the measured difference alone decided.
std::vector<std::string> RulingsText(const OutputComparison& outputs);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_WORDS_RULINGS_TEXT_H_
