// Finds recorded results that are one entry of a batch.
#ifndef ONNXCMP_COMPARE_RECORDED_ENTRIES_H_
#define ONNXCMP_COMPARE_RECORDED_ENTRIES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Recorded results without a partner that agree with a slice along the first axis of another
// unpaired result. At most `keep_values` bytes of values are held at a time.
absl::StatusOr<std::vector<AddedPair>> FindEntries(const PerSide<RecordedSide>& sides,
                                                   const Alignment& alignment, int64_t keep_values,
                                                   const PairValues::Watch& watch);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_ENTRIES_H_
