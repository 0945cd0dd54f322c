// A cause in words.
#ifndef ONNXCMP_COMPARE_CAUSES_CAUSE_TEXT_H_
#define ONNXCMP_COMPARE_CAUSES_CAUSE_TEXT_H_

#include <string>

#include "compare/causes/cause.h"
#include "compare/forced/forced_run.h"

namespace onnxcmp {

// One line, without the names of the two: what calls they are in, how far the right's result is
// from the left's when it is computed from the left's values, attributes that differ, inputs that
// were exchanged.
std::string CauseText(const Cause& cause, const ForcedRun& run, const ForcedState& state);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_CAUSE_TEXT_H_
