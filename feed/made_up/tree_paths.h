// Paths to the leaves of trees.
#ifndef ONNXCMP_FEED_MADE_UP_TREE_PATHS_H_
#define ONNXCMP_FEED_MADE_UP_TREE_PATHS_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "feed/made_up/input_purpose.h"

namespace onnxcmp {

// Paths in a TreeEnsemble, TreeEnsembleClassifier or TreeEnsembleRegressor: to each of its leaves,
// or to as many leaves from all trees as rows are worthwhile. Conditions that test for a number or
// a member of a set are left out, and so are unreachable leaves.
std::vector<TreePath> PathsOf(const Node& node);

// Leaves that rows of features come to. A leaf is known by the branch that ends in it.
class TreeWalker {
 public:
  explicit TreeWalker(const Node& node);
  TreeWalker(TreeWalker&&) noexcept;
  TreeWalker& operator=(TreeWalker&&) noexcept;
  ~TreeWalker();

  // Number of leaves of all trees; trees without branches are left out.
  size_t leaves() const;
  // Marks the reached leaves; `reached` has an entry for each leaf. False if a tree has a test that
  // this walker lacks: membership of a set, a missing feature.
  bool Walk(absl::Span<const double> row, std::vector<bool>* reached) const;

 private:
  struct Leaves;
  std::unique_ptr<const Leaves> leaves_;
};

// True if NaN takes a branch of its own somewhere.
bool TracksMissing(const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_TREE_PATHS_H_
