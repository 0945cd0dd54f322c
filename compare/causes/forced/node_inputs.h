// Pairs the inputs of a left and a right node of the same operator.
#ifndef ONNXCMP_COMPARE_CAUSES_FORCED_NODE_INPUTS_H_
#define ONNXCMP_COMPARE_CAUSES_FORCED_NODE_INPUTS_H_

#include <vector>

#include "compare/causes/forced/forced_run.h"

namespace onnxcmp {

// Results of the left and of the right; kNone for an absent input.
struct InputPair {
  int left = kNone;
  int right = kNone;
  bool equal = false;  // the right one is matched with the left one's class
};

// By position, without positions where both are absent. For commutative operators, equal inputs are
// paired.
std::vector<InputPair> PairInputs(const ForcedRun& run, const ForcedState& state, int left_node,
                                  int right_node);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FORCED_NODE_INPUTS_H_
