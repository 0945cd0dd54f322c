// Keeps only the causes that lead to the failure of a side.
#ifndef ONNXCMP_COMPARE_CAUSES_FAILED_RUNS_H_
#define ONNXCMP_COMPARE_CAUSES_FAILED_RUNS_H_

#include <vector>

#include "compare/causes/cause.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Drops causes that the failing node of a side does not depend on. Results that the side would have
// computed after the failure are missing, so the alignment takes wrong partners for them.
void DropBesideFailures(const PerSide<RecordedSide>& sides, std::vector<Cause>* causes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FAILED_RUNS_H_
