// Recorded results that hold another result's value: a node was skipped, or returned an earlier
// step's result.
#ifndef ONNXCMP_COMPARE_RECORDED_MISPLACED_RESULTS_H_
#define ONNXCMP_COMPARE_RECORDED_MISPLACED_RESULTS_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// `near`: recorded results and the model's near ones, in the recorded order; `settled`: by result
// of the model, its recorded result; `open`: the first recorded result without a partner. Returns
// by recorded result the few results of the model that its place suggests instead. None of them was
// recorded; only later results can confirm one.
absl::flat_hash_map<int, std::vector<int>> MisplacedResults(
    const ResultStream& recording, const ResultStream& model,
    const std::vector<std::pair<int, int>>& near, const absl::flat_hash_map<int, int>& settled,
    int open);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_MISPLACED_RESULTS_H_
