// How far the search for causes goes: what bounds its cost where everything differs.
#ifndef ONNXCMP_COMPARE_REPAIR_REPAIR_LIMITS_H_
#define ONNXCMP_COMPARE_REPAIR_REPAIR_LIMITS_H_

#include <cstdint>

namespace onnxcmp {

struct RepairLimits {
  int rounds = 24;            // repairs of suspects
  int trials = 40;            // of one round
  int all_trials = 240;       // of all rounds
  int64_t node_runs = 12;     // of each of the right's nodes, on average
  int left_over_trials = 24;  // in all
  // How often each element of the right's constants is compared with one of the left's, on average.
  int64_t constant_looks = 4;
  int causes = 100;  // that are named
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPAIR_REPAIR_LIMITS_H_
