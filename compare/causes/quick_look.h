// Whether two models that agree but for rounding deserve the search for causes: a look at the few
// places that are farther apart than what they read, for a share of what the run costs.
#ifndef ONNXCMP_COMPARE_CAUSES_QUICK_LOOK_H_
#define ONNXCMP_COMPARE_CAUSES_QUICK_LOOK_H_

#include <vector>

#include "compare/causes/causes.h"
#include "compare/graphs/side_graph.h"
#include "compare/pair/per_side.h"
#include "compare/sides/pair_values.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

struct QuickLook {
  // Nothing deserves the search: every result is as near to its partner as rounding has it, but
  // for those that were left out.
  bool clean = false;
  int suspects = 0;   // results that are farther apart than that, and than what they read
  int looked_at = 0;  // of them
  int left_out = 0;   // of them: they were not looked at, since the share was spent
};

// Of two sides whose outputs agree. `partners`: by right result, its partner or kNone. A suspect is
// clean if its nodes give what the left has when they are given the left's values, by the standards
// of the whole search; the most suspicious are looked at first. Values that were not kept are
// computed again. Small models are never called clean: their search costs nothing.
QuickLook LookQuickly(const PerSide<RecordedSide>& sides, const SideGraph& left_graph,
                      const SideGraph& right_graph, const std::vector<int>& partners,
                      const std::vector<Value>& leaves, const CauseOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_QUICK_LOOK_H_
