// Ensembles of decision trees: what TreeEnsemble, TreeEnsembleClassifier and TreeEnsembleRegressor
// share.
#ifndef ONNXCMP_OPS_TRADITIONALML_TREES_H_
#define ONNXCMP_OPS_TRADITIONALML_TREES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// With the numbers that TreeEnsemble uses.
enum class BranchMode : uint8_t { kLeq, kLt, kGte, kGt, kEq, kNeq, kMember };
enum class TreeAggregate : uint8_t { kAverage, kSum, kMin, kMax };

// "AVERAGE", "SUM", "MIN", "MAX".
absl::StatusOr<TreeAggregate> ParseTreeAggregate(absl::string_view name);

// A place in a tree: a node, or leaf `i` as ~i.
using TreePlace = int32_t;

// Where the comparison x[feature] <mode> split holds, the way goes on at child[1], else at
// child[0]; for NaN, `missing` says which.
struct TreeNode {
  double split;  // kMember: the number of the set
  int32_t feature;
  std::array<TreePlace, 2> child;
  BranchMode mode;
  bool missing;
};

// A leaf adds `weight` to the scores of `target`; it may have several votes, or none.
struct TreeVote {
  int32_t leaf;
  int32_t target;
  double weight;
};

struct TreeEnsembleModel {
  // To be filled in by those who read attributes.
  std::vector<TreeNode> nodes;
  std::vector<TreePlace> roots;
  std::vector<TreeVote> votes;
  std::vector<std::vector<double>> sets;  // of kMember, each ascending
  int32_t leaves = 0;
  int64_t targets = 0;
  TreeAggregate aggregate = TreeAggregate::kSum;
  std::vector<double> base_values;  // one a target, or none

  // Made by Finish.
  std::vector<int64_t> votes_of_leaf;   // leaf i has votes [i], ..., [i + 1] - 1
  std::optional<BranchMode> only_mode;  // of all nodes
  int64_t features = 0;                 // that rows must have at least

  // Checks what the indices refer to and that no way leads back, then orders nodes and votes as
  // they are met. A node that several others lead to is no mistake: set membership is written so.
  absl::Status Finish();
};

// The scores of all rows of `x` (N, F), or of (F) as one row. Calls emit(row, scores, voted) once
// for each row, from several threads; scores has model.targets elements and room for one more. They
// are added in S (float, double) in the order of the trees; a target without a vote, as `voted`
// tells, has its base value.
template <typename S>
using TreeEmit = absl::FunctionRef<void(int64_t row, S* scores, const unsigned char* voted)>;
template <typename S>
absl::Status RunTrees(const KernelContext& ctx, const TreeEnsembleModel& model, const Tensor& x,
                      TreeEmit<S> emit);

// Rows and columns of an (N, F) or (F) tensor; an error for other ranks.
struct RowShape {
  int64_t rows;
  int64_t columns;
};
absl::StatusOr<RowShape> RowsOf(const Tensor& x);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_TRADITIONALML_TREES_H_
