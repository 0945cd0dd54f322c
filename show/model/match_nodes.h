// Nodes of two graphs that stand for each other, by operators and neighbours.
#ifndef ONNXCMP_SHOW_MODEL_MATCH_NODES_H_
#define ONNXCMP_SHOW_MODEL_MATCH_NODES_H_

#include <vector>

#include "show/model/shown_model.h"

namespace onnxcmp {

// By node, the partner on the other side; -1: none.
struct NodeMatches {
  std::vector<int> right_of;
  std::vector<int> left_of;
};

NodeMatches MatchNodes(const ShownGraph& left, const ShownGraph& right);

// An operator of ONNX whose inputs may stand in any order.
bool Commutes(const ShownNode& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_MODEL_MATCH_NODES_H_
