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
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/causes/cause.h"
#include "compare/forced/forced_run.h"
#include "compare/forced/region_noise.h"
#include "compare/pair/per_side.h"
#include "compare/repair/repair_limits.h"
#include "compare/sides/pair_values.h"
#include "compare/sides/side.h"
#include "compare/sides/value_bank.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// What the search knows when it has named a cause.
struct FoundCause {
  const ForcedRun& run;
  const ForcedState& state;
  const RegionNoise& noise;
  const Evaluator* left;  // null for a recording
  const Evaluator& right;
};

struct CauseOptions {
  int64_t keep_values = int64_t{256} << 20;  // bytes of values that a quick look holds at a time
  int64_t search_memory = int64_t{4} << 30;  // of the left's results, which a search needs at once
  const ThreadPool* pool = nullptr;
  bool outputs_agree = false;  // then effects need not be computed
  // By right result: how far it is from its partner in the plain runs, against the scale of its
  // elements; infinite where that is not known. Empty: nothing is. Where outputs agree and nothing
  // is farther apart than rounding, there is no search.
  std::vector<double> apart;
  // By right result: in the plain runs it is so far from its partner that no rounding before it
  // makes the difference. Empty: nothing is known.
  std::vector<bool> far;
  PairValues::Watch watch;
  // How many branches, iterations and functions may yet be searched by themselves, counted down;
  // null: as many as one comparison may. Never null for what is searched inside.
  int* body_searches = nullptr;
  RepairLimits limits;
  // Outputs of the right (results and values) that agree with the left's although their bits
  // differ: CauseReport::effects says what wrong causes do to them.
  std::vector<std::pair<int, Value>> doubtful;
  // Called for each cause when all are named; may be empty. Of what is inside a node it is called
  // with the search in that body, and with the search around it if that gave no repro.
  std::function<void(const FoundCause& found, Cause* cause)> on_found;
};

// What all wrong causes together do to an output of the right: how far it moves when they are
// corrected, as the root mean square of the movement against that of the output; nothing if that
// could not be found out.
struct OutputEffect {
  int output = kNone;
  std::optional<double> moved;
};

struct CauseReport {
  std::vector<Cause> causes;
  // Of the doubtful outputs, if any cause is wrong. Passing through a coarser type is none here.
  std::vector<OutputEffect> effects;
  // Why no cause was looked for although something differs; "" if they were.
  std::string not_searched;
  std::vector<std::string> notes;  // what could not be looked at, and why
  // Pairs that the alignment does not have: what agrees after them has proved them.
  std::vector<AddedPair> repaired;
  // Their values, as far as the search had them: nobody need run a side again for these.
  PerSide<ValueBank> repaired_values = {ValueBank(0), ValueBank(0)};
};

// Of two sides that have been recorded and aligned. Not searched where the right side has no model
// that runs.
absl::StatusOr<CauseReport> FindCauses(const PerSide<RecordedSide>& sides,
                                       const Alignment& alignment, const CauseOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_CAUSES_H_
