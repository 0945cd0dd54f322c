// How much of what the outputs are apart each cause does, and what is left that none does.
#ifndef ONNXCMP_COMPARE_CAUSES_WEIGHED_CAUSES_H_
#define ONNXCMP_COMPARE_CAUSES_WEIGHED_CAUSES_H_

#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "compare/causes/cause.h"
#include "compare/causes/causes.h"
#include "compare/causes/effects/cause_effects.h"
#include "compare/causes/lowered_types.h"
#include "compare/forced/forced_run.h"
#include "compare/pair/per_side.h"
#include "compare/sides/pair_values.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

// What the search knows of results besides the causes that it has named.
struct JudgedResults {
  std::vector<int> matched;  // by cause: the right result that was judged
  std::vector<int> others;   // right results that are counted with another cause
  // The pair that is farthest apart of those that rounding explains: results of left and right.
  std::pair<int, int> loudest = {kNone, kNone};
  double loudest_distance = 0;
};

class CauseWeigher {
 public:
  // All must outlive the object.
  CauseWeigher(const ForcedRun& run, const ForcedState& state, PerSide<RecordedSide> sides,
               const CauseOptions& options, const JudgedResults& judged)
      : run_(run), state_(state), sides_(sides), options_(options), judged_(judged) {}

  // What wrong causes do to outputs that agree because much is allowed there. `all_matched`: all
  // that is wrong has a match, and can be replaced.
  void WeighOnOutputs(bool all_matched, CauseReport* report) const;
  // What each cause does to the outputs when all others are corrected, and what is left when all
  // are.
  void WeighEffects(CauseReport* report) const;

 private:
  // The left's values of these matched results, and of all outputs of the nodes that made them:
  // those that match nothing are the left's aligned ones.
  Replacements WithSiblings(const absl::btree_set<int>& matched) const;
  // `named`: the left's values of all causes so far.
  void AddLowered(const Unexplained& unexplained, const Replacements& named, CauseEffects* effects,
                  std::vector<Cause>* causes) const;

  const ForcedRun& run_;
  const ForcedState& state_;
  const PerSide<RecordedSide> sides_;
  const CauseOptions& options_;
  const JudgedResults& judged_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_WEIGHED_CAUSES_H_
