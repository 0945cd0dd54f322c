// Prescreen for two models that agree but for rounding: checks the few places that are farther
// apart than their inputs, at a share of the run's cost, to tell whether the search for causes is
// worthwhile.
#ifndef ONNXCMP_COMPARE_CAUSES_PRESCREEN_H_
#define ONNXCMP_COMPARE_CAUSES_PRESCREEN_H_

#include <vector>

#include "compare/causes/causes.h"
#include "compare/sides/pair_values.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

struct Prescreen {
  // No search is needed: every result that was checked is as near to its partner as rounding has
  // it.
  bool clean = false;
  int suspects = 0;   // results that are farther apart than rounding allows, and than their inputs
  int looked_at = 0;  // number of suspects that were checked
  int left_out = 0;   // number of suspects that were not checked, since the share was spent
};

// Takes two sides whose outputs agree. `partners`: by right result, its partner or kNone. A suspect
// is clean if its nodes give the left's result on the left's values, by the standards of the whole
// search; the most suspicious are checked first. Values that were not kept are computed again.
// Small models are never called clean: their search costs nothing.
Prescreen PrescreenCauses(const PerSide<RecordedSide>& sides, const SideGraph& left_graph,
                          const SideGraph& right_graph, const std::vector<int>& partners,
                          const std::vector<Value>& leaves, const CauseOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_PRESCREEN_H_
