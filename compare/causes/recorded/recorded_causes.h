// Finds where a model diverges from a recording of results: it runs once more with each recorded
// result replaced by its recorded value, so that no error propagates.
#ifndef ONNXCMP_COMPARE_CAUSES_RECORDED_RECORDED_CAUSES_H_
#define ONNXCMP_COMPARE_CAUSES_RECORDED_RECORDED_CAUSES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/causes/causes.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"
#include "record/differences/tolerance.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// A pair of the table, element beside element.
struct RecordedPair {
  int left = kNone;
  int right = kNone;
  Tolerances tolerances;
  bool different = false;  // true if it may be a cause
};

// True if one side is a model and the other a recording.
bool IsModelBesideRecording(const PerSide<RecordedSide>& sides);

// The pairs of such two sides that differ by themselves, in the model's order, all of them among
// `pairs`. Rounding in the nodes between two recorded results is no cause.
absl::StatusOr<CauseReport> FindRecordedCauses(const PerSide<RecordedSide>& sides,
                                               const Alignment& alignment,
                                               absl::Span<const RecordedPair> pairs,
                                               const CauseOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_RECORDED_RECORDED_CAUSES_H_
