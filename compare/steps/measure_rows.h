// Measures how far the pairs of an alignment are apart.
#ifndef ONNXCMP_COMPARE_STEPS_MEASURE_ROWS_H_
#define ONNXCMP_COMPARE_STEPS_MEASURE_ROWS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/pair/per_side.h"
#include "compare/sides/early_differences.h"
#include "compare/sides/pair_values.h"
#include "compare/steps/step_tools.h"
#include "compare/tolerances/pair_tolerance.h"
#include "compare/verdict/compared_row.h"

namespace onnxcmp {

struct MeasuredRows {
  Alignment alignment;
  std::vector<ComparedRow> rows;  // alignment.rows with their differences
};

// `early` is what need not be measured any more. An error: what was computed once could not be
// again.
absl::StatusOr<MeasuredRows> MeasureRows(const PerSide<RecordedSide>& sides, Alignment alignment,
                                         const PairTolerances& tolerances,
                                         const EarlyDifferences& early, const StepTools& tools);

// The same with pairs in it that were found since. Rows that are not new are not measured again.
absl::StatusOr<MeasuredRows> AddPairs(const PerSide<RecordedSide>& sides, MeasuredRows measured,
                                      const std::vector<AddedPair>& pairs,
                                      const PairTolerances& tolerances,
                                      const EarlyDifferences& early, const StepTools& tools);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STEPS_MEASURE_ROWS_H_
