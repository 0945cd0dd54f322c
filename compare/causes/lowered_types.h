// What a coarser type of the right does to the outputs where each node by itself is right: a number
// that becomes infinite in it, a rounding that Sin and Cos amplify.
#ifndef ONNXCMP_COMPARE_CAUSES_LOWERED_TYPES_H_
#define ONNXCMP_COMPARE_CAUSES_LOWERED_TYPES_H_

#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "compare/causes/cause.h"
#include "compare/causes/effects/cause_effects.h"
#include "compare/forced/forced_run.h"

namespace onnxcmp {

// How far the outputs are apart without what has been named, and what is no more than rounding.
struct Unexplained {
  double rest = 0;
  double enough = 0;
};

// The forced run shows none of them: it gives readers the left's values in the right's type, with
// the greatest number of the type for what is beyond it, and rounding is no fault there. So they
// are tried: `distance_with` tells how far the outputs are apart with these in place, too. Those
// that explain most of what is left.
std::vector<Cause> LoweredTypes(
    const ForcedRun& run, const ForcedState& state, const Unexplained& unexplained,
    absl::FunctionRef<std::optional<double>(const Replacements&)> distance_with);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_LOWERED_TYPES_H_
