// Finds fixed scales and zero points of a converted side that do not fit the plain side's numbers.
#ifndef ONNXCMP_COMPARE_CONVERSION_CHECK_RANGES_H_
#define ONNXCMP_COMPARE_CONVERSION_CHECK_RANGES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compare/base/per_side.h"
#include "compare/conversion/constant_values.h"
#include "compare/conversion/conversion_matcher.h"
#include "compare/graphs/side_graph.h"
#include "compare/quantization/quant_params.h"
#include "compare/sides/pair_values.h"

namespace onnxcmp {

// The plain side, and the graphs of both.
struct RangedSides {
  SideId plain_id = SideId::kLeft;
  const RecordedSide& plain_side;
  const SideGraph& plain;
  const SideGraph& converted;
  const QuantParamsByResult& params;
  const ConversionMatcher& matcher;
};

// Converted results by their scale or zero point.
struct WrongRanges {
  std::vector<int> wrong;  // a mistake (WrongQuantParams)
  std::vector<int> lossy;  // honest rounding in a range made for a mask's fill: the rest becomes 0
};

// All but few numbers of the plain side are within honest ranges. Runs the plain side once more if
// some are not, and were not kept. `made_up`: the inputs were, so that their own ranges prove
// nothing.
absl::StatusOr<WrongRanges> FindWrongRanges(const RangedSides& sides,
                                            ConstantValues* converted_constants, bool made_up,
                                            const PairValues::Watch& watch);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CONVERSION_CHECK_RANGES_H_
