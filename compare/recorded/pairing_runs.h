// Values and runs for the rules that pair a recording, out of one budget.
#ifndef ONNXCMP_COMPARE_RECORDED_PAIRING_RUNS_H_
#define ONNXCMP_COMPARE_RECORDED_PAIRING_RUNS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/sides/pair_values.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/graphs/replay.h"

namespace onnxcmp {

// Values by result.
using ValuesOfResults = absl::flat_hash_map<int, Value>;

class PairingRuns {
 public:
  // `keep_values`: bytes of values that ForEach() holds. `sides` must outlive it.
  PairingRuns(const PerSide<RecordedSide>& sides, int64_t keep_values, PairValues::Watch watch);

  // Reads a recording or runs a model once for the values of these results; nothing of both sides
  // if all of them are greater than the budget of memory.
  absl::StatusOr<PerSide<ValuesOfResults>> Values(const PerSide<std::vector<int>>& wanted);
  // The values of one pair at a time.
  absl::Status ForEach(absl::Span<const ResultPair> pairs, PairValues::Visitor visit);

  // True if the model may run once more.
  bool HasRuns() const { return runs_ < most_runs_; }
  // Runs the model once more. A replay that fails has shown everything before.
  void Replay(WholeReplay& replay);

  int runs() const { return runs_; }  // of models and of recordings that were read

 private:
  const PerSide<RecordedSide>& sides_;
  const int64_t keep_values_;
  const PairValues::Watch watch_;
  int most_runs_ = 0;
  int runs_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_PAIRING_RUNS_H_
