// Inputs made up for two models at once.
#ifndef ONNXCMP_COMPARE_INPUTS_GENERATED_TARGETS_H_
#define ONNXCMP_COMPARE_INPUTS_GENERATED_TARGETS_H_

#include <array>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/inputs/generated_inputs.h"
#include "compare/inputs/value_assignment.h"
#include "evaluator/model.h"

namespace onnxcmp {

// A tensor for each target, in the element type of its first input, as GenerateInputs makes it. A
// dimension that is free on one side takes the other side's size, and so do all of the same name on
// its side; ids stay inside the tables of both. `graphs` by side, null for none. InvalidArgument if
// sizes disagree.
absl::StatusOr<std::vector<Tensor>> GenerateTargets(const std::vector<ValueTarget>& targets,
                                                    const std::array<const Graph*, 2>& graphs,
                                                    const GeneratedInputs& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_GENERATED_TARGETS_H_
