// Which node of a region is at fault, where the region's results have other shapes on both sides
// and so could not be tried.
#ifndef ONNXCMP_COMPARE_CAUSES_CAUSE_REFINEMENT_H_
#define ONNXCMP_COMPARE_CAUSES_CAUSE_REFINEMENT_H_

#include <utility>

#include "compare/forced/forced_run.h"
#include "compare/forced/region_noise.h"

namespace onnxcmp {

// The left and the right result that a difference at a matched right result begins with: the only
// pair of nodes with other attributes in two regions of the same operators, or the only constant
// that differs; the pair itself if there is no such, or several.
std::pair<int, int> Refined(const ForcedRun& run, const ForcedState& state,
                            const RegionNoise& noise, int right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_CAUSE_REFINEMENT_H_
