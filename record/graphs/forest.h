// The decision trees of a node, whichever of ONNX's two formats has them.
#ifndef ONNXCMP_RECORD_GRAPHS_FOREST_H_
#define ONNXCMP_RECORD_GRAPHS_FOREST_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/model/model.h"

namespace onnxcmp {

// A test of one feature, or a leaf.
struct ForestNode {
  static constexpr size_t kNowhere = std::numeric_limits<size_t>::max();

  std::string mode;  // "BRANCH_LEQ", ..., "LEAF"
  int64_t feature = 0;
  double value = 0;              // that the feature is compared with
  size_t if_true = kNowhere;     // index of the next node; kNowhere after a leaf
  size_t if_false = kNowhere;    // likewise
  bool missing_is_true = false;  // NaN takes the branch of true
  int64_t id = 0;                // the node's number, or the leaf's, in its own format
  // Votes of a leaf, by the number of the target or class.
  std::vector<std::pair<int64_t, double>> votes;
};

struct Forest {
  std::vector<ForestNode> nodes;
  // The root of each tree, and the tree's number: its id, or its place among the roots.
  std::vector<std::pair<size_t, int64_t>> roots;
};

// The trees of a TreeEnsemble, TreeEnsembleClassifier or TreeEnsembleRegressor. Empty for other
// nodes, and if lists of attributes have unlike lengths. Nodes of mode BRANCH_MEMBER lack their
// sets.
Forest ForestOf(const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_FOREST_H_
