// Finds partners after a fault: each suggested pair is tried, and stays if more finds its match
// with it. So a trial proves a pair and a cause at the same time.
#ifndef ONNXCMP_COMPARE_REPAIR_REPAIR_H_
#define ONNXCMP_COMPARE_REPAIR_REPAIR_H_

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compare/forced/forced_run.h"
#include "compare/repair/repair_limits.h"

namespace onnxcmp {

struct Repaired {
  ForcedState state;
  int trials = 0;
  // A result from which on nothing finds a partner; kNone if there is none.
  int lost = kNone;
  std::set<std::string> limits;  // that were reached: "24 repairs"
};

// `hints`: pairs that the alignment thought of: right result, left result.
Repaired Repair(const ForcedRun& run, std::vector<std::pair<int, int>> hints,
                const RepairLimits& limits = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPAIR_REPAIR_H_
