// Where a model parts from a recording of results: it runs once more, each of its results that was
// recorded being given on as it was recorded, so that nothing is inherited.
#ifndef ONNXCMP_COMPARE_CAUSES_RECORDED_RECORDED_CAUSES_H_
#define ONNXCMP_COMPARE_CAUSES_RECORDED_RECORDED_CAUSES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/causes/causes.h"
#include "compare/differences/tolerance.h"
#include "compare/pair/per_side.h"
#include "compare/sides/pair_values.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

// A pair of the table, element beside element.
struct RecordedPair {
  int left = kNone;
  int right = kNone;
  Tolerances tolerances;
  bool different = false;  // it may be a cause
};

// Whether one side is a model and the other a recording.
bool IsModelBesideRecording(const PerSide<RecordedSide>& sides);

// Of such two sides: the pairs that differ by themselves, in the model's order. They speak of
// `pairs` and of no others. What rounding does to what lies between two recorded results is none.
absl::StatusOr<CauseReport> FindRecordedCauses(const PerSide<RecordedSide>& sides,
                                               const Alignment& alignment,
                                               absl::Span<const RecordedPair> pairs,
                                               const CauseOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_RECORDED_RECORDED_CAUSES_H_
