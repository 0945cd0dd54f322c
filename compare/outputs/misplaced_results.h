// Recorded results that have the value of another result than the one that they are of: a node was
// skipped, or gave what an earlier step had given.
#ifndef ONNXCMP_COMPARE_OUTPUTS_MISPLACED_RESULTS_H_
#define ONNXCMP_COMPARE_OUTPUTS_MISPLACED_RESULTS_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

// `near`: recorded results and the model's that they are near, in the recorded order; `settled`: by
// the model's result, what was recorded of it; `open`: the first recorded result without a partner.
// By recorded result: results of the model that it may be of instead, by its place. These are few,
// none of them was recorded, and only later results can tell if one of them is meant.
absl::flat_hash_map<int, std::vector<int>> MisplacedResults(
    const ResultStream& recording, const ResultStream& model,
    const std::vector<std::pair<int, int>>& near, const absl::flat_hash_map<int, int>& settled,
    int open);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTPUTS_MISPLACED_RESULTS_H_
