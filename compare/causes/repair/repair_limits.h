// Limits of the search for causes, which bound its cost where everything differs.
#ifndef ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_LIMITS_H_
#define ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_LIMITS_H_

#include <cstdint>

namespace onnxcmp {

struct RepairLimits {
  int rounds = 24;            // repairs of suspects
  int trials = 40;            // in one round
  int all_trials = 240;       // in all rounds
  int64_t node_runs = 12;     // runs of each right node, on average
  int left_over_trials = 24;  // in total
  // Comparisons of each element of the right's constants with the left's, on average.
  int64_t constant_looks = 4;
  int causes = 100;  // causes that are named
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_LIMITS_H_
