// Recorded results beside others that have their channels in blocks, as onnxruntime's own
// convolutions do, or the other way round.
#ifndef ONNXCMP_COMPARE_RECORDED_BLOCKED_LAYOUTS_H_
#define ONNXCMP_COMPARE_RECORDED_BLOCKED_LAYOUTS_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "compare/sides/pair_values.h"
#include "compare/sides/recorded_layout.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// By recorded result: how it is one of the other side's but for blocks; of those that are `open`.
// One of the name and shape of the other side's is in its order, however wrong. A single result
// that was recorded in blocks is a mistake, unless it is called like onnxruntime's.
absl::StatusOr<absl::flat_hash_map<int, RecordedLayout>> FindBlockedLayouts(
    const RecordedSide& recording, const ResultStream& other, const std::vector<bool>& open);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_BLOCKED_LAYOUTS_H_
