// Partners of what was recorded after a fault: a wrong result makes all wrong that is computed from
// it, and what is near nothing has no partner by its value. The model runs on what was recorded so
// far; what comes after the fault is near its partner then.
#ifndef ONNXCMP_COMPARE_OUTPUTS_RECORDED_FRAME_H_
#define ONNXCMP_COMPARE_OUTPUTS_RECORDED_FRAME_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/base/per_side.h"
#include "compare/sides/pair_values.h"

namespace onnxcmp {

// Findings beyond an alignment and the pairs that are to be added to it.
struct FoundInFrame {
  std::vector<AddedPair> pairs;
  std::vector<DerivedResult> derived;
};

// For a model beside a recording; nothing for others. If a recorded result has no partner, or only
// one by a similar name or by its place that it is not near, the model runs with the recorded
// values in place of the results that have partners. Recorded results near what the model then
// gives are paired with it. If there are none, those that a fault has left something in common with
// one of the model's are tried in the model's order: the pair after which most others are near is
// right.
absl::StatusOr<FoundInFrame> PairInFrame(const PerSide<RecordedSide>& sides,
                                         const Alignment& alignment,
                                         absl::Span<const AddedPair> added,
                                         absl::Span<const DerivedResult> derived,
                                         const PairValues::Watch& watch);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTPUTS_RECORDED_FRAME_H_
