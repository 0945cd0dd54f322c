// Finds partners behind a fault: each suggested pair is tried, and stays if more finds its match
// with it. So a trial proves a pair and a cause at the same time.
#ifndef ONNXCMP_COMPARE_REPAIR_H_
#define ONNXCMP_COMPARE_REPAIR_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "compare/causes/forced_run.h"

namespace onnxcmp {

struct RepairLimits {
  int rounds = 24;            // repairs of suspects
  int trials = 40;            // of one round
  int all_trials = 240;       // of all rounds
  int64_t node_runs = 12;     // of each of the right's nodes, on average
  int left_over_trials = 24;  // in all
};

struct Repaired {
  ForcedState state;
  int trials = 0;
  // A result from which on nothing finds a partner; kNone if there is none.
  int lost = kNone;
  bool capped = false;  // a limit was reached
};

// `hints`: pairs that the alignment thought of: right result, left result.
Repaired Repair(const ForcedRun& run, std::vector<std::pair<int, int>> hints,
                const RepairLimits& limits = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPAIR_H_
