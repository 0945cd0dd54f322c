// Plans how a converted node that no rule matches is checked: by which nodes of the plain side, on
// which of its own inputs, and how far off it may be.
#ifndef ONNXCMP_COMPARE_CONVERSION_NODE_CHECK_H_
#define ONNXCMP_COMPARE_CONVERSION_NODE_CHECK_H_

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compare/conversion/checked_sides.h"
#include "record/graphs/region.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// A node, or a few, to be run in the plain side's form on the converted side's values.
struct NodeCheck {
  int plain = kNone;
  int converted = kNone;
  Region region;                // of the plain side
  std::map<int, int> entries;   // by plain entry: the converted result in its place
  double epsilon = 0;           // of the coarsest floats in the converted region
  double inner_noise = 0;       // of roundings inside, against the size of numbers
  std::vector<int> needs;       // converted results
  std::vector<int> transposed;  // plain entries that the converted side has with exchanged axes
  // A converted constant and the plain one of its name, of which it is no rounding, if there is
  // one.
  std::optional<std::pair<int, int>> odd_constant;
};

// The check of converted result r, which represents plain result l; nothing if it would take too
// many nodes of the plain side to get from common results to l.
std::optional<NodeCheck> PlanCheck(const CheckedSides& sides, int l, int r);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CONVERSION_NODE_CHECK_H_
