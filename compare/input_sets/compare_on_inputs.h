// Compares two sides on the inputs that they are fed, be they given or made up.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_COMPARE_ON_INPUTS_H_
#define ONNXCMP_COMPARE_INPUT_SETS_COMPARE_ON_INPUTS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "compare/compare.h"
#include "compare/input_sets/compare_sets.h"
#include "compare/sides/side.h"
#include "feed/input_sets.h"

namespace onnxcmp {

// `inputs`: those of the sides that are models; null if neither takes any. Two models on made-up
// inputs are compared on several sets, as `sets` says; anything else on set number `set`, which is
// fed to both sides. A ramp is a single set, the same for every tool. InvalidArgument for a search,
// or for sizes to be tried, where inputs are given or a side is no model of our interpreter.
absl::StatusOr<SetsResult> CompareOnInputs(Side& left, Side& right, InputSets* inputs, int64_t set,
                                           const CompareOptions& options, const SetsOptions& sets);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_COMPARE_ON_INPUTS_H_
