// Differences between the decision trees of two nodes, whatever the order of their nodes and trees.
#ifndef ONNXCMP_RECORD_GRAPHS_TREE_DIFFERENCES_H_
#define ONNXCMP_RECORD_GRAPHS_TREE_DIFFERENCES_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// "1 of 100 trees differs: tree 3, leaf 5, at x[4] <= 2.5, x[1] > 0.3: target_weights: target 0:
// 0.5 | 0.7"; empty if the trees are the same when they are walked from their roots. Nothing if
// either node has no trees, or a test of membership in a set.
std::optional<std::string> TreeDifferenceText(const Node& left, const Node& right);

// True for an attribute that lists the nodes, leaves or roots of trees.
bool ListsTrees(absl::string_view attribute);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_TREE_DIFFERENCES_H_
