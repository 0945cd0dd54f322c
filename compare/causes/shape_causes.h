// Finds where outputs with equal elements come to have different shapes.
#ifndef ONNXCMP_COMPARE_CAUSES_SHAPE_CAUSES_H_
#define ONNXCMP_COMPARE_CAUSES_SHAPE_CAUSES_H_

#include <vector>

#include "compare/causes/cause.h"
#include "compare/causes/forced/forced_run.h"

namespace onnxcmp {

// For each output of the right that has the left's elements in another shape: the pair where that
// begins, each once. Optimizers reshape freely, so nodes that lead only to outputs of equal shape
// are not examined.
std::vector<Cause> ShapeCauses(const ForcedRun& run, const ForcedState& state);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_SHAPE_CAUSES_H_
