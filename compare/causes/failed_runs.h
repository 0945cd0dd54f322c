// A review of causes beside the failure of a side.
#ifndef ONNXCMP_COMPARE_CAUSES_FAILED_RUNS_H_
#define ONNXCMP_COMPARE_CAUSES_FAILED_RUNS_H_

#include "compare/causes/cause.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// A veto against causes that the failing node of a side does not depend on. Results that the side
// would have computed after the failure are missing, so the alignment takes wrong partners for
// them.
CauseReview ReviewByFailures(const PerSide<RecordedSide>& sides);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FAILED_RUNS_H_
