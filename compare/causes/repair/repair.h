// Finds partners after a fault: each suggested pair is tried, and kept if more results find their
// match with it. So a trial confirms a pair and a cause at once.
#ifndef ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_H_
#define ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_H_

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compare/causes/forced/forced_run.h"
#include "compare/causes/repair/repair_limits.h"

namespace onnxcmp {

struct Repaired {
  ForcedState state;
  int trials = 0;
  // The first result after which none finds a partner; kNone if there is none.
  int lost = kNone;
  std::set<std::string> limits;  // limits that were reached: "24 repairs"
};

// `hints`: aligned and tentative pairs: right result, left result.
Repaired Repair(const ForcedRun& run, std::vector<std::pair<int, int>> hints,
                const RepairLimits& limits = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_H_
