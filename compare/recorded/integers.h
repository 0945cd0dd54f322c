// Recorded results of a quantized model beside the model in floats.
#ifndef ONNXCMP_COMPARE_RECORDED_INTEGERS_H_
#define ONNXCMP_COMPARE_RECORDED_INTEGERS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Recorded integers, and sums of integers as floats, that represent floats of the model; recorded
// floats that are near one of the model's inputs. `of` is kNone for integers that fit no result
// although their name refers to one, or although most others fit. Scales are unknown, so integers
// that are too great by a factor are not noticed. `added`: pairs besides the alignment's. Runs the
// model once if there are integers.
absl::StatusOr<std::vector<DerivedResult>> FindRecordedIntegers(const PerSide<RecordedSide>& sides,
                                                                const Alignment& alignment,
                                                                absl::Span<const AddedPair> added,
                                                                const PairValues::Watch& watch);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_INTEGERS_H_
