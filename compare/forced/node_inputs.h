// The inputs of a left and a right node of the same operator against each other.
#ifndef ONNXCMP_COMPARE_FORCED_NODE_INPUTS_H_
#define ONNXCMP_COMPARE_FORCED_NODE_INPUTS_H_

#include <vector>

#include "compare/forced/forced_run.h"

namespace onnxcmp {

// Results of the left and of the right; kNone where a node reads nothing.
struct InputPair {
  int left = kNone;
  int right = kNone;
  bool equal = false;  // the right one is matched with the left one's class
};

// By place, without places where neither reads anything. Of an operator that gives the same for its
// inputs in any order those that are equal stand beside each other.
std::vector<InputPair> PairInputs(const ForcedRun& run, const ForcedState& state, int left_node,
                                  int right_node);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FORCED_NODE_INPUTS_H_
