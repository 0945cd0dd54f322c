// Finds fixed scales and zero points of a converted side that do not fit the plain side's numbers.
#ifndef ONNXCMP_COMPARE_CONVERSION_CHECK_RANGES_H_
#define ONNXCMP_COMPARE_CONVERSION_CHECK_RANGES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/conversion/checked_sides.h"
#include "compare/sides/pair_values.h"

namespace onnxcmp {

// Converted results by their scale or zero point.
struct WrongRanges {
  std::vector<int> wrong;  // a mistake (WrongQuantParams)
  std::vector<int> lossy;  // honest rounding in a range made for a mask's fill: the rest becomes 0
};

// All but few numbers of the plain side are within honest ranges. Runs the plain side once more if
// some are not, and were not kept. `made_up`: the inputs were, so that their own ranges prove
// nothing.
absl::StatusOr<WrongRanges> FindWrongRanges(const CheckedSides& sides, bool made_up,
                                            const PairValues::Watch& watch);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CONVERSION_CHECK_RANGES_H_
