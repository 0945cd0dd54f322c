// Paths to the leaves of trees.
#ifndef ONNXCMP_COMPARE_INPUTS_MADE_UP_TREE_PATHS_H_
#define ONNXCMP_COMPARE_INPUTS_MADE_UP_TREE_PATHS_H_

#include <vector>

#include "compare/inputs/made_up/input_purpose.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// Paths in a TreeEnsemble, TreeEnsembleClassifier or TreeEnsembleRegressor: to each of its leaves,
// or to as many leaves from all trees as rows are worthwhile. Conditions that test for a number or
// a member of a set are left out, and so are unreachable leaves.
std::vector<TreePath> PathsOf(const Node& node);

// True if NaN takes a branch of its own somewhere.
bool TracksMissing(const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_MADE_UP_TREE_PATHS_H_
