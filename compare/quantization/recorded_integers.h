// Recorded results of a quantized model beside the model in floats.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_RECORDED_INTEGERS_H_
#define ONNXCMP_COMPARE_QUANTIZATION_RECORDED_INTEGERS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/base/per_side.h"
#include "compare/sides/pair_values.h"

namespace onnxcmp {

// Recorded integers, and sums of integers as floats, that stand for floats of the model; recorded
// floats that are about one of the model's inputs. Integers that stand for nothing although their
// name says for what, or most others stand for something, are of kNone. Scales are not known, so
// that integers which are too great by a factor are not noticed. `added`: pairs besides the
// alignment's. Runs the model once if there are integers.
absl::StatusOr<std::vector<DerivedResult>> FindRecordedIntegers(const PerSide<RecordedSide>& sides,
                                                                const Alignment& alignment,
                                                                absl::Span<const AddedPair> added,
                                                                const PairValues::Watch& watch);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_RECORDED_INTEGERS_H_
