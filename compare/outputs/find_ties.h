// Tells if outputs with different ids differ only by ties of scores.
#ifndef ONNXCMP_COMPARE_OUTPUTS_FIND_TIES_H_
#define ONNXCMP_COMPARE_OUTPUTS_FIND_TIES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/outputs/output_comparison.h"
#include "compare/sides/pair_values.h"
#include "compare/tolerances/pair_tolerance.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"

namespace onnxcmp {

struct TieOptions {
  bool run_again = false;
  int64_t keep_values = 0;
  PairValues::Watch watch;
};

// Marks pairs of integer or string outputs that differ by ties alone (OutputPair::ties). If there
// are any, and `run_again` is set, returns the right's outputs of further runs in our interpreter,
// which show the results that depend on them: on the left's ids, empty if it cannot run on these,
// and for a right in a runtime on its own, since that interpreter makes none of its mistakes. Two
// models only.
absl::StatusOr<PerSide<std::vector<Value>>> FindTies(const PerSide<RecordedSide>& sides,
                                                     const PairTolerances& tolerances,
                                                     const TieOptions& options,
                                                     OutputComparison* outputs);

// One side, run once more with the other side's choices.
struct FollowedChoices {
  std::vector<Value> outputs;  // of the main graph; empty if the side cannot run on these choices
  std::vector<std::optional<ScoreMargin>> margins;  // by choice
};
absl::StatusOr<FollowedChoices> FollowChoices(const PerSide<RecordedSide>& sides, SideId follower,
                                              absl::Span<const ResultPair> choices,
                                              const TieOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTPUTS_FIND_TIES_H_
