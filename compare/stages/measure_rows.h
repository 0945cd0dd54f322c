// Measures the distances of an alignment's pairs.
#ifndef ONNXCMP_COMPARE_STAGES_MEASURE_ROWS_H_
#define ONNXCMP_COMPARE_STAGES_MEASURE_ROWS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/claim.h"
#include "compare/outputs/compared_row.h"
#include "compare/sides/early_differences.h"
#include "compare/sides/pair_values.h"
#include "compare/stages/step_tools.h"
#include "compare/tolerances/pair_tolerance.h"
#include "record/base/per_side.h"

namespace onnxcmp {

struct MeasuredRows {
  Alignment alignment;
  std::vector<ComparedRow> rows;  // alignment.rows with their differences
};

// `early`: differences that were already measured. Errors are those of running a side again.
absl::StatusOr<MeasuredRows> MeasureRows(const PerSide<RecordedSide>& sides, Alignment alignment,
                                         const PairTolerances& tolerances,
                                         const EarlyDifferences& early, const StepTools& tools);

// The same for an alignment with additional pairs. Existing rows are not measured again.
absl::StatusOr<MeasuredRows> AddPairs(const PerSide<RecordedSide>& sides, MeasuredRows measured,
                                      std::vector<Claim> repaired, const PairTolerances& tolerances,
                                      const EarlyDifferences& early, const StepTools& tools);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_MEASURE_ROWS_H_
