// Describes a cause in words.
#ifndef ONNXCMP_COMPARE_CAUSES_CAUSE_TEXT_H_
#define ONNXCMP_COMPARE_CAUSES_CAUSE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "compare/causes/cause.h"
#include "compare/causes/forced/forced_run.h"

namespace onnxcmp {

// One line, without the names of the two results: the calls around them, the distance of the
// right's result from the left's when computed from the left's values, attributes that differ,
// inputs that were exchanged.
std::string CauseText(const Cause& cause, const ForcedRun& run, const ForcedState& state);

// The same of a constant: both shapes, or the distance, which strings and booleans have not, with
// the relation of the values, else with two of them.
std::string ConstantsText(const Cause& cause, absl::string_view distance,
                          absl::string_view relation);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_CAUSE_TEXT_H_
