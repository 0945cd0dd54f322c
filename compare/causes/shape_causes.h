// Finds where outputs with equal elements come to have different shapes.
#ifndef ONNXCMP_COMPARE_CAUSES_SHAPE_CAUSES_H_
#define ONNXCMP_COMPARE_CAUSES_SHAPE_CAUSES_H_

#include <optional>
#include <vector>

#include "compare/causes/cause.h"
#include "compare/causes/forced/forced_run.h"

namespace onnxcmp {

// For each output of the right that has the left's elements in another shape: the pair where that
// begins, each once. Optimizers reshape freely, so nodes that lead only to outputs of equal shape
// are not examined. `unexplained`: also for outputs of another size that no search could pair.
std::vector<Cause> ShapeCauses(const ForcedRun& run, const ForcedState& state, bool unexplained);

// For a result of another size than its match, the reshaped result before it that spreads over
// others. Nothing if there is none.
std::optional<Cause> CauseOfSpreadShape(const ForcedRun& run, const ForcedState& state, int r);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_SHAPE_CAUSES_H_
