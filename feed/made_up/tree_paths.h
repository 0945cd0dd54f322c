// Paths to the leaves of trees.
#ifndef ONNXCMP_FEED_MADE_UP_TREE_PATHS_H_
#define ONNXCMP_FEED_MADE_UP_TREE_PATHS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "feed/made_up/input_purpose.h"
#include "record/graphs/forest.h"

namespace onnxcmp {

// Paths in a TreeEnsemble, TreeEnsembleClassifier or TreeEnsembleRegressor: to each of its leaves,
// or to as many leaves from all trees as rows are worthwhile. Conditions that test for a number or
// a member of a set are left out, and so are unreachable leaves.
std::vector<TreePath> PathsOf(const Node& node);

// Leaves that rows of features come to. A leaf is known by the branch that ends in it.
class TreeWalker {
 public:
  explicit TreeWalker(const Node& node);

  // Number of leaves of all trees; trees without branches are left out.
  size_t leaves() const { return leaves_; }
  // Marks the reached leaves; `reached` has an entry for each leaf. False if a tree has a test that
  // this walker lacks: membership of a set, a missing feature.
  bool Walk(absl::Span<const double> row, std::vector<bool>* reached) const;

 private:
  Forest forest_;
  // By node and branch, false first: the leaf that it ends in, kNowhere if it does not end there.
  std::vector<std::pair<size_t, size_t>> ends_;
  size_t leaves_ = 0;
};

// True if NaN takes a branch of its own somewhere.
bool TracksMissing(const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_TREE_PATHS_H_
