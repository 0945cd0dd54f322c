// Examines one pair of results in depth.
#ifndef ONNXCMP_COMPARE_EXPLAIN_EXPLAIN_H_
#define ONNXCMP_COMPARE_EXPLAIN_EXPLAIN_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "compare/explain/explanation.h"
#include "compare/outputs/compared_row.h"
#include "compare/sides/pair_values.h"
#include "compare/tolerances/pair_tolerance.h"
#include "evaluator/base/thread_pool.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// The row of a result by its name on either side ("y", "loop[3]/y"), or by its number in JSON, from
// 0. NotFound if there is none.
absl::StatusOr<size_t> FindRow(const ComparedSides& compared, const std::string& name);

// Runs both sides once more up to the pair, the left in double too. The pool may be null.
absl::StatusOr<Explanation> ExplainRow(const ComparedSides& compared, size_t row,
                                       const PerSide<RecordedSide>& sides,
                                       const PairTolerances& tolerances,
                                       const PairValues::Watch& watch, const ThreadPool* pool);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_EXPLAIN_EXPLAIN_H_
