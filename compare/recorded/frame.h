// Pairs results recorded after a fault: every later value is wrong, and a value near no other has
// no partner. So the model runs on the values recorded so far, which makes later results near their
// partners again.
#ifndef ONNXCMP_COMPARE_RECORDED_FRAME_H_
#define ONNXCMP_COMPARE_RECORDED_FRAME_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Findings beyond an alignment and the pairs that are to be added to it.
struct FoundInFrame {
  std::vector<AddedPair> pairs;
  std::vector<DerivedResult> derived;
};

// For a model beside a recording; nothing for others. If a recorded result has no partner, or only
// one by a similar name or by its place that it is not near, the model runs with the recorded
// values in place of the results that have partners. Recorded results near its new results are
// paired with them. If there are none, results that resemble one of the model's (LikenessOf) are
// tried in the model's order; the pair after which most others are near is kept.
absl::StatusOr<FoundInFrame> PairInFrame(const PerSide<RecordedSide>& sides,
                                         const Alignment& alignment,
                                         absl::Span<const AddedPair> added,
                                         absl::Span<const DerivedResult> derived,
                                         const PairValues::Watch& watch);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_FRAME_H_
