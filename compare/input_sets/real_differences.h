// Tells if two sides differ on the inputs that they have, and if the models are the reason.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_REAL_DIFFERENCES_H_
#define ONNXCMP_COMPARE_INPUT_SETS_REAL_DIFFERENCES_H_

#include <string>
#include <vector>

#include "compare/outcome/comparison.h"
#include "compare/sides/side.h"
#include "record/differences/tolerance.h"

namespace onnxcmp {

// True for "different" and "failed".
bool Differs(const Comparison& comparison);

// By the outputs alone, each by its own type: both sides run. False if the left fails.
bool OutputsDiffer(const Side& left, const Side& right, const ToleranceOptions& tolerance);

// True if any output of a comparison is NaN or infinite on one side alone, or of another type.
bool DifferBeyondNumbers(const Comparison& comparison);

// True if outputs differ at most where masks, inputs of these names, leave positions out.
bool AgreeButForPadding(const Side& left, const Side& right, const std::vector<std::string>& masks,
                        const ToleranceOptions& tolerance);

// True if outputs differ in double, too: differences by rounding alone, as numbers of unusual sizes
// make, vanish there. `coarse`: types are, whose constants are rounded.
bool DifferInDouble(const Side& left, const Side& right, const Comparison& comparison, bool coarse);

// The note on sets whose differences are none of these.
std::string SetAsideText(int sets);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_REAL_DIFFERENCES_H_
