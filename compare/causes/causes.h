// Names the causes of a difference: the pairs that go apart by themselves. docs/causes.md tells
// how.
#ifndef ONNXCMP_COMPARE_CAUSES_H_
#define ONNXCMP_COMPARE_CAUSES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/causes/repair_limits.h"
#include "compare/comparison.h"
#include "compare/sides/pair_values.h"
#include "compare/sides/side.h"
#include "evaluator/thread_pool.h"

namespace onnxcmp {

struct CauseOptions {
  int64_t max_memory = int64_t{256} << 20;  // of the left's values
  const ThreadPool* pool = nullptr;
  bool outputs_agree = false;  // then effects need not be computed
  PairValues::Watch watch;
  // How many branches, iterations and functions may yet be searched by themselves, counted down;
  // null: as many as one comparison may. Never null for what is searched inside.
  int* body_searches = nullptr;
  RepairLimits limits;
};

struct CauseReport {
  std::vector<Cause> causes;
  std::vector<std::string> notes;  // what could not be looked at, and why
  // Pairs (left, right) that the alignment has not got: what agrees behind them has proved them.
  std::vector<std::pair<int, int>> repaired;
};

// Of two sides that have been recorded and aligned. Nothing is found where the right side has no
// model that runs.
absl::StatusOr<CauseReport> FindCauses(const RecordedSide& left, const RecordedSide& right,
                                       const Alignment& alignment, const CauseOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_H_
