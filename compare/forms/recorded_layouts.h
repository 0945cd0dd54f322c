// Recorded results in the layout in which the other side has them: a phone keeps channels last, a
// framework flattens, somebody shuffled a batch.
#ifndef ONNXCMP_COMPARE_FORMS_RECORDED_LAYOUTS_H_
#define ONNXCMP_COMPARE_FORMS_RECORDED_LAYOUTS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/pair/per_side.h"
#include "compare/sides/pair_values.h"
#include "compare/streams/result_stream.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// A recorded result in another layout, and its value in it.
struct LaidOut {
  int result = kNone;
  Value value;
};

// Of the recordings among two sides that have been recorded: whatever is another result's elements
// in other axes, another shape or with its rows in another order, up to rounding, is shown so from
// here on (Side::SetLayout), and `streams`, which are those of the two sides, have the types,
// shapes and fingerprints of that. Where most results of a recording turn out to be permuted in one
// way, so are those that are like nothing and whose shape the other side has then. By side, what
// was laid out. Values of another result may be computed again for this.
absl::StatusOr<PerSide<std::vector<LaidOut>>> FindRecordedLayouts(
    const PerSide<RecordedSide>& sides, const PairValues::Watch& watch,
    const PerSide<ResultStream*>& streams);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FORMS_RECORDED_LAYOUTS_H_
