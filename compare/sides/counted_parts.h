// Parts of results that count beside a side that was fed fewer positions.
#ifndef ONNXCMP_COMPARE_SIDES_COUNTED_PARTS_H_
#define ONNXCMP_COMPARE_SIDES_COUNTED_PARTS_H_

#include <vector>

#include "absl/status/status.h"
#include "compare/sides/pair_values.h"
#include "feed/longer_inputs.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Gives results of a side that was fed more positions the form of the part that the other side has,
// with its fingerprint: where only the lengths of such axes keep them from having a shape of the
// other side. Of several parts the one with equal bits is taken, else the longest. With `keep` the
// rest of each result is kept, on which nodes can run again.
absl::Status FindCountedParts(const PerSide<RecordedSide>& sides,
                              const std::vector<LongerInput>& longer, bool keep,
                              const PairValues::Watch& watch,
                              const PerSide<ResultStream*>& streams);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_COUNTED_PARTS_H_
