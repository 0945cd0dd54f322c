// Recorded floats that a quantized model has as integers alone.
#ifndef ONNXCMP_COMPARE_RECORDED_KEPT_AS_INTEGERS_H_
#define ONNXCMP_COMPARE_RECORDED_KEPT_AS_INTEGERS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Recorded floats without a partner that are near the dequantized integers of the model, or near
// such a layer's values before its activation: QLinearConv gives no floats. `added`: pairs besides
// the alignment's. Runs the model once if there are candidates.
absl::StatusOr<std::vector<DerivedResult>> FindKeptAsIntegers(const PerSide<RecordedSide>& sides,
                                                              const Alignment& alignment,
                                                              absl::Span<const AddedPair> added,
                                                              const PairValues::Watch& watch);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_KEPT_AS_INTEGERS_H_
