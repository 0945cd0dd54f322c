// Inputs that show a difference, made simpler as long as they show it.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_SMALLER_INPUTS_H_
#define ONNXCMP_COMPARE_INPUT_SETS_SMALLER_INPUTS_H_

#include "absl/functional/function_ref.h"
#include "feed/input_mapping.h"
#include "feed/input_sets.h"

namespace onnxcmp {

// Replaces inputs by zeros, first whole ones, then ever smaller pieces, and the rest by integers,
// while the sides still differ. `differ`: true if they do on these inputs; it is called at most
// `most_asked` times. Matched inputs of the two sides change together.
FedInputs MadeSmaller(FedInputs fed, const InputMapping& mapping, int most_asked,
                      absl::FunctionRef<bool(const FedInputs&)> differ);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_SMALLER_INPUTS_H_
