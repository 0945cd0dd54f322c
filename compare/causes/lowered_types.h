// Effects of a coarser type on the outputs where each node by itself is right: a number that
// becomes infinite in it, a rounding that Sin and Cos amplify.
#ifndef ONNXCMP_COMPARE_CAUSES_LOWERED_TYPES_H_
#define ONNXCMP_COMPARE_CAUSES_LOWERED_TYPES_H_

#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "compare/causes/cause.h"
#include "compare/causes/effects/cause_effects.h"
#include "compare/causes/forced/forced_run.h"

namespace onnxcmp {

// The distance of the outputs that named causes leave, and the limit below which it is rounding.
struct Unexplained {
  double rest = 0;
  double enough = 0;
};

// Causes by coarser types that explain most of the rest. The forced run shows none of them: it
// gives readers the left's values in the right's type, clamped to its greatest number, and accepts
// rounding. So they are tried: `distance_with` returns the distance of the outputs with these
// replacements in addition.
std::vector<Cause> LoweredTypes(
    const ForcedRun& run, const ForcedState& state, const Unexplained& unexplained,
    absl::FunctionRef<std::optional<double>(const Replacements&)> distance_with);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_LOWERED_TYPES_H_
