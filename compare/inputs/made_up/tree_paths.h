// Ways to the leaves of trees.
#ifndef ONNXCMP_COMPARE_INPUTS_MADE_UP_TREE_PATHS_H_
#define ONNXCMP_COMPARE_INPUTS_MADE_UP_TREE_PATHS_H_

#include <vector>

#include "compare/inputs/made_up/input_purpose.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// Of a TreeEnsemble, TreeEnsembleClassifier or TreeEnsembleRegressor: to each of its leaves, or to
// as many of them from all over the trees as are worth a row of their own. What asks for a number
// or for a member of a set is left out, and so is a leaf that no number reaches.
std::vector<TreePath> PathsOf(const Node& node);

// Whether NaN takes a branch of its own somewhere.
bool TracksMissing(const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_MADE_UP_TREE_PATHS_H_
