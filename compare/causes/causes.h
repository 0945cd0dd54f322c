// Names the causes of a difference: the pairs that diverge by themselves. docs/causes.md tells
// how.
#ifndef ONNXCMP_COMPARE_CAUSES_CAUSES_H_
#define ONNXCMP_COMPARE_CAUSES_CAUSES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/claim.h"
#include "compare/causes/cause.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/causes/forced/region_noise.h"
#include "compare/causes/repair/repair_limits.h"
#include "compare/sides/pair_values.h"
#include "compare/sides/side.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// State of the search at the time when a cause is named.
struct FoundCause {
  const ForcedRun& run;
  const ForcedState& state;
  const RegionNoise& noise;
  const Evaluator* left;  // null for a recording
  const Evaluator& right;
};

struct CauseOptions {
  int64_t keep_values = int64_t{256} << 20;  // bytes of values that the prescreen holds at a time
  int64_t search_memory = int64_t{4} << 30;  // bytes for all of the left's results at once
  const ThreadPool* pool = nullptr;
  bool outputs_agree = false;  // then effects need not be computed
  // By right result: its distance from its partner in the plain runs, against the scale of its
  // elements; infinite where unknown. Empty: all are unknown. Where outputs agree and no distance
  // exceeds rounding, there is no search.
  std::vector<double> apart;
  // By right result: true if it is so far from its partner in the plain runs that no rounding
  // before it explains the difference. Empty: nothing is known.
  std::vector<bool> far;
  PairValues::Watch watch;
  // How many more branches, iterations and functions may be searched by themselves, counted down;
  // null: the limit of one comparison. Never null in searches inside bodies.
  int* body_searches = nullptr;
  RepairLimits limits;
  // Outputs of the right (results and values) that agree with the left's although their bits
  // differ: CauseReport::effects says what wrong causes do to them.
  std::vector<std::pair<int, Value>> doubtful;
  // The right's outputs, in its order, if they differ from the left's.
  std::vector<Value> outputs;
  // True if outputs of the right in this order agree with the left's; empty: that is not known.
  std::function<bool(absl::Span<const Value> outputs)> agrees;
  // Called for each cause when all are named; may be empty. A cause inside a node is passed to it
  // by the search in that body, and again by the search around it if the first gave no repro.
  std::function<void(const FoundCause& found, Cause* cause)> on_found;
};

// The joint effect of all mistakes on an output of the right: how far it moves when they are
// corrected, as the root mean square of the movement against that of the output; nothing if that
// could not be determined.
struct OutputEffect {
  int output = kNone;
  std::optional<double> moved;
};

struct CauseReport {
  std::vector<Cause> causes;
  std::vector<DismissedCause> dismissed;
  // Effects on the doubtful outputs, if any cause is a mistake. Passing through a coarser type is
  // none here.
  std::vector<OutputEffect> effects;
  // Why no cause was looked for although something differs; "" if they were.
  std::string not_searched;
  std::vector<std::string> notes;  // parts that could not be searched, and why
  // Pairs that the alignment does not have; agreement after them confirms them. Their values are in
  // the sides' stores, as far as the search had them, so that no side need run again for these.
  std::vector<Claim> repaired;
};

// Takes two sides that have been recorded and aligned. Does not search if the right side has no
// model that runs.
absl::StatusOr<CauseReport> FindCauses(const PerSide<RecordedSide>& sides,
                                       const Alignment& alignment, const CauseOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_CAUSES_H_
