// Results that hold one another's numbers: a whole, its slices, what it is joined from.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_GRID_FAMILIES_H_
#define ONNXCMP_COMPARE_QUANTIZATION_GRID_FAMILIES_H_

#include <vector>

#include "compare/quantization/grid_mistakes.h"
#include "compare/quantization/twin_run.h"

namespace onnxcmp {

// Quantizers hand the scale of a whole on to what moves its elements. So grids of one scale and
// zero point in one family get the range of all of them: a slice that uses little of the whole's
// scale is no mistake.
void TakeRangesOfWholes(const TwinRun& run, std::vector<FixedGrid>* grids);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_GRID_FAMILIES_H_
