// Measures how much of the outputs' distance each cause explains, and how much none does.
#ifndef ONNXCMP_COMPARE_CAUSES_WEIGHED_CAUSES_H_
#define ONNXCMP_COMPARE_CAUSES_WEIGHED_CAUSES_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "compare/causes/cause.h"
#include "compare/causes/causes.h"
#include "compare/causes/effects/cause_effects.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/causes/lowered_types.h"
#include "compare/sides/pair_values.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Results that the search judged, besides the causes that it named.
struct JudgedResults {
  std::vector<int> others;  // right results counted with another cause
  // The results of left and right of the farthest pair that rounding explains.
  std::pair<int, int> loudest = {kNone, kNone};
  double loudest_distance = 0;
};

class CauseWeigher {
 public:
  // All must outlive the object.
  CauseWeigher(const ForcedRun& run, const ForcedState& state, PerSide<RecordedSide> sides,
               const CauseOptions& options, const JudgedResults& judged)
      : run_(run), state_(state), sides_(sides), options_(options), judged_(judged) {}

  // Measures the effect of mistakes on outputs that agree only by a wide tolerance. `all_matched`:
  // all mistakes have a match and can be replaced.
  void WeighOnOutputs(bool all_matched, CauseReport* report) const;
  // Measures the effect of each cause on the outputs with all others corrected, and the distance
  // that is left with all corrected: the certificates of the causes. One that gains nothing is
  // dropped.
  void WeighEffects(CauseReport* report) const;

 private:
  struct Trial;
  using Trials = absl::btree_map<int, std::optional<Trial>>;

  // The trial that gave these outputs of the right.
  Trial TrialOf(const CauseEffects& effects, absl::Span<const Value> outputs) const;
  // Says of each mistake what mending it gains. `trials`: by judged result, with that cause alone;
  // `rest`: without all of these results.
  void CertifyAll(const Trials& trials, const Trial& rest, const absl::btree_set<int>& all,
                  std::vector<Cause>* causes) const;
  // Drops causes without which the outputs come no nearer, if other mistakes are left.
  void DropWithoutGain(const absl::btree_set<int>& all,
                       absl::FunctionRef<Trial(const absl::btree_set<int>&)> mended,
                       CauseReport* report) const;
  void AddUnexplained(double rest, const Replacements& named, CauseEffects* effects,
                      CauseReport* report) const;
  // The left's values of these matched results, and of all outputs of the nodes that made them;
  // outputs without a match take the left's aligned values.
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
