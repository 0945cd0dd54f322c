// Sums that g++ keeps side by side in registers, always in the same order.
#ifndef ONNXCMP_RECORD_DIFFERENCES_LANES_LANE_SUMS_H_
#define ONNXCMP_RECORD_DIFFERENCES_LANES_LANE_SUMS_H_

#include <cstdint>

namespace onnxcmp {

inline constexpr int64_t kSumLanes = 8;

struct LaneSum {
  double of[kSumLanes] = {};

  double Total() const {
    double total = 0;
    for (const double lane : of) total += lane;
    return total;
  }
};

// Calls add(i, lane) for all i in [0, count).
template <typename Add>
void ForEachInLanes(int64_t count, const Add& add) {
  int64_t i = 0;
  for (; i + kSumLanes <= count; i += kSumLanes) {
    for (int64_t k = 0; k < kSumLanes; ++k) add(i + k, k);
  }
  for (; i < count; ++i) add(i, 0);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_LANES_LANE_SUMS_H_
