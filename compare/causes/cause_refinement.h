// Finds the faulty node of a region whose results have different shapes on the two sides and so
// could not be tried.
#ifndef ONNXCMP_COMPARE_CAUSES_CAUSE_REFINEMENT_H_
#define ONNXCMP_COMPARE_CAUSES_CAUSE_REFINEMENT_H_

#include <utility>

#include "compare/causes/forced/forced_run.h"
#include "compare/causes/forced/region_noise.h"

namespace onnxcmp {

// The left and the right result where a difference at a matched right result begins: the only pair
// of nodes with different attributes in two regions of the same operators, or the only constant
// that differs; the pair itself if there is none, or several.
std::pair<int, int> Refined(const ForcedRun& run, const ForcedState& state,
                            const RegionNoise& noise, int right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_CAUSE_REFINEMENT_H_
