// Where outputs that agree in their elements come to have another shape.
#ifndef ONNXCMP_COMPARE_CAUSES_SHAPE_CAUSES_H_
#define ONNXCMP_COMPARE_CAUSES_SHAPE_CAUSES_H_

#include <utility>
#include <vector>

#include "compare/causes/forced_run.h"

namespace onnxcmp {

// For each output of the right that matches the left's in another shape: the left and the right
// result with which that begins, each pair once. Optimizers reshape as they like, so nothing that
// leads to outputs of the same shape is asked about.
std::vector<std::pair<int, int>> ShapeCauses(const ForcedRun& run, const ForcedState& state);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_SHAPE_CAUSES_H_
