// Pairs that the search for causes found and the alignment does not have.
#ifndef ONNXCMP_COMPARE_CAUSES_REPAIRED_PAIRS_H_
#define ONNXCMP_COMPARE_CAUSES_REPAIRED_PAIRS_H_

#include <vector>

#include "compare/alignment/alignment.h"
#include "compare/alignment/claim.h"
#include "compare/causes/cause.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/sides/value_store.h"
#include "record/base/per_side.h"
#include "record/graphs/side_graph.h"
#include "record/graphs/value_classes.h"

namespace onnxcmp {

// Pairs decided by a repair and pairs that causes name; each becomes a row of the table. Of several
// equal results of the left, one without a partner is taken.
std::vector<Claim> PairsToAdd(const ValueClasses& left, const SideGraph& right,
                              const ForcedState& state, const Alignment& alignment,
                              const std::vector<Cause>& causes);

// Hands the values of these pairs in the plain runs back to the sides, as far as the search has
// them: the left's, and the right's where they were kept or equal those of the forced run.
void HandBackValues(const std::vector<Claim>& pairs, const ForcedRun& run, const ForcedState& state,
                    const PerSide<ValueStore*>& stores);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPAIRED_PAIRS_H_
