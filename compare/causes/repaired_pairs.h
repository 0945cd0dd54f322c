// What the search for causes paired and the alignment does not have.
#ifndef ONNXCMP_COMPARE_CAUSES_REPAIRED_PAIRS_H_
#define ONNXCMP_COMPARE_CAUSES_REPAIRED_PAIRS_H_

#include <vector>

#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/causes/cause.h"
#include "compare/forced/forced_run.h"
#include "compare/graphs/left_classes.h"
#include "compare/graphs/side_graph.h"
#include "compare/pair/per_side.h"
#include "compare/sides/value_bank.h"

namespace onnxcmp {

// What was decided by a repair, and what causes name: each is a row of the table, too. Of several
// equal results of the left one that has no partner.
std::vector<AddedPair> PairsToAdd(const LeftClasses& left, const SideGraph& right,
                                  const ForcedState& state, const Alignment& alignment,
                                  const std::vector<Cause>& causes);

// The values of these pairs in the plain runs, as far as the search has them: the left's, and what
// the right's nodes gave where that was kept or comes out of the forced run as well.
PerSide<ValueBank> ValuesAtHand(const std::vector<AddedPair>& pairs, const ForcedRun& run,
                                const ForcedState& state);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPAIRED_PAIRS_H_
