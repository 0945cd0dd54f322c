// Where a side failed, only what leads to the failure is its cause.
#ifndef ONNXCMP_COMPARE_CAUSES_FAILED_RUNS_H_
#define ONNXCMP_COMPARE_CAUSES_FAILED_RUNS_H_

#include <vector>

#include "compare/causes/cause.h"
#include "compare/pair/per_side.h"
#include "compare/sides/pair_values.h"

namespace onnxcmp {

// Drops causes that the node at which a side failed does not depend on. What that side would have
// computed behind the failure is not there to be a partner, so others are taken for it.
void DropBesideFailures(const PerSide<RecordedSide>& sides, std::vector<Cause>* causes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FAILED_RUNS_H_
