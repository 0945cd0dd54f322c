// Layouts of recorded results that match the other side's: a phone keeps channels last, a framework
// flattens, a batch was shuffled.
#ifndef ONNXCMP_COMPARE_RECORDED_LAYOUTS_H_
#define ONNXCMP_COMPARE_RECORDED_LAYOUTS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/sides/pair_values.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// A recorded result in another layout, with its value.
struct LaidOut {
  int result = kNone;
  Value value;
};

// For the recordings among two recorded sides: if a result has another result's elements with other
// axes, in another shape or with its rows in another order, up to rounding, it is shown in that
// layout from here on (Side::SetLayout), and `streams`, which are those of the two sides, get its
// type, shape and fingerprint. If most results of a recording are permuted in one way, so are those
// without a match whose permuted shape the other side has. Returns by side the results that were
// laid out. Other values may be computed again for this.
absl::StatusOr<PerSide<std::vector<LaidOut>>> FindRecordedLayouts(
    const PerSide<RecordedSide>& sides, const PairValues::Watch& watch,
    const PerSide<ResultStream*>& streams);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_LAYOUTS_H_
