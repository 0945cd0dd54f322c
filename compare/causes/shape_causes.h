// Where outputs that agree in their elements come to have another shape.
#ifndef ONNXCMP_COMPARE_CAUSES_SHAPE_CAUSES_H_
#define ONNXCMP_COMPARE_CAUSES_SHAPE_CAUSES_H_

#include <vector>

#include "compare/causes/cause.h"
#include "compare/forced/forced_run.h"

namespace onnxcmp {

// For each output of the right that has the left's elements in another shape: the pair with which
// that begins, each once. Optimizers reshape as they like, so nothing that leads to outputs of the
// same shape is asked about.
std::vector<Cause> ShapeCauses(const ForcedRun& run, const ForcedState& state);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_SHAPE_CAUSES_H_
