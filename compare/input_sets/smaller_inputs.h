// Inputs that show a difference, made simpler as long as they show it.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_SMALLER_INPUTS_H_
#define ONNXCMP_COMPARE_INPUT_SETS_SMALLER_INPUTS_H_

#include "absl/functional/function_ref.h"
#include "compare/inputs/input_mapping.h"
#include "compare/inputs/input_sets.h"

namespace onnxcmp {

// Whole inputs become zeros, then what is not needed of them does, in ever smaller pieces; what is
// left becomes whole numbers. `differ`: whether the sides still do on these inputs; it is asked
// `most_asked` times at most. Of what both sides have as one input both change.
FedInputs MadeSmaller(FedInputs fed, const InputMapping& mapping, int most_asked,
                      absl::FunctionRef<bool(const FedInputs&)> differ);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_SMALLER_INPUTS_H_
