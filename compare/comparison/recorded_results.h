// What a recording's results say: each of them counts as an output does.
#ifndef ONNXCMP_COMPARE_COMPARISON_RECORDED_RESULTS_H_
#define ONNXCMP_COMPARE_COMPARISON_RECORDED_RESULTS_H_

#include "compare/comparison/comparison.h"
#include "compare/tolerances/pair_tolerance.h"

namespace onnxcmp {

// Adds to Comparison::outputs, of which the alignment, the rows and the outputs are there, a pair
// for every recorded result that has a partner, and those that were found nowhere: floating results
// of more than a handful of elements that are no copy of something known. Element i corresponds to
// element i: the same elements in another order do not agree, nor does one entry of a batch.
void JudgeRecorded(const PairTolerances& tolerances, Comparison* comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_COMPARISON_RECORDED_RESULTS_H_
