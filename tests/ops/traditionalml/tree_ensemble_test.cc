#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// One node that compares feature 0 with 1: leaf 0 (weight 10) where that holds, else leaf 1 (20).
struct OneNode {
  int64_t mode = 0;
  int64_t missing = 0;
  int64_t feature = 0;
  std::vector<int64_t> true_ids = {0};
  std::vector<int64_t> false_ids = {1};
  std::vector<int64_t> true_leafs = {1};
  std::vector<int64_t> roots = {0};
  std::vector<int64_t> targets = {0, 0};
  int64_t n_targets = 1;

  OpTest Test() const {
    OpTest test("TreeEnsemble", 5, "ai.onnx.ml");
    test.Attr("nodes_modes", Tensor::Of<uint8_t>({1}, {static_cast<uint8_t>(mode)}))
        .Attr("nodes_splits", Tensor::Of<float>({1}, {1}))
        .Attr("nodes_featureids", std::vector<int64_t>{feature})
        .Attr("nodes_truenodeids", true_ids)
        .Attr("nodes_falsenodeids", false_ids)
        .Attr("nodes_trueleafs", true_leafs)
        .Attr("nodes_falseleafs", std::vector<int64_t>{1})
        .Attr("nodes_missing_value_tracks_true", std::vector<int64_t>{missing})
        .Attr("leaf_targetids", targets)
        .Attr("leaf_weights", Tensor::Of<float>({2}, {10, 20}))
        .Attr("tree_roots", roots)
        .Attr("n_targets", n_targets);
    return test;
  }
};

const Tensor& Values() {
  static const auto& x = *new Tensor(Tensor::Of<float>({5, 1}, {0, 1, 2, kNaN, -kInf}));
  return x;
}

TEST(TreeEnsembleTest, ModesCompareAsTheirNamesSay) {
  const std::vector<std::vector<float>> want = {
      {10, 10, 20, 20, 10},  // <=
      {10, 20, 20, 20, 10},  // <
      {20, 10, 10, 20, 20},  // >=
      {20, 20, 10, 20, 20},  // >
      {20, 10, 20, 20, 20},  // ==
      {10, 20, 10, 20, 10},  // !=
  };
  for (size_t mode = 0; mode < want.size(); ++mode) {
    SCOPED_TRACE(mode);
    OpTest test = OneNode{.mode = static_cast<int64_t>(mode)}.Test();
    ExpectTensor(test.Input(Values()).Run(), Tensor::Of<float>({5, 1}, want[mode]));
  }
}

TEST(TreeEnsembleTest, MissingValuesFollowTheFlag) {
  for (int64_t mode = 0; mode < 6; ++mode) {
    OpTest test = OneNode{.mode = mode, .missing = 1}.Test();
    ExpectTensor(test.Input(Tensor::Of<float>({1, 1}, {kNaN})).Run(),
                 Tensor::Of<float>({1, 1}, {10}));
  }
}

TEST(TreeEnsembleTest, MembersAreListedUpToNaN) {
  for (const bool closed : {true, false}) {
    std::vector<float> members = {3, 0};
    if (closed) members.push_back(kNaN);
    OpTest test = OneNode{.mode = 6}.Test();
    test.Attr("membership_values", Tensor::Of<float>({std::ssize(members)}, members));
    ExpectTensor(test.Input(Tensor::Of<float>({5, 1}, {0, 1, 2, 3, kNaN})).Run(),
                 Tensor::Of<float>({5, 1}, {10, 20, 20, 10, 20}));
  }
}

// Two trees and three targets: x <= 0 votes for target 0 (1) or 1 (2), x <= 2 for 0 (4) or 1 (8).
OpTest TwoTrees(int64_t aggregate) {
  OpTest test("TreeEnsemble", 5, "ai.onnx.ml");
  test.Attr("nodes_modes", Tensor::Of<uint8_t>({2}, {0, 0}))
      .Attr("nodes_splits", Tensor::Of<double>({2}, {0, 2}))
      .Attr("nodes_featureids", std::vector<int64_t>{0, 0})
      .Attr("nodes_truenodeids", std::vector<int64_t>{0, 2})
      .Attr("nodes_falsenodeids", std::vector<int64_t>{1, 3})
      .Attr("nodes_trueleafs", std::vector<int64_t>{1, 1})
      .Attr("nodes_falseleafs", std::vector<int64_t>{1, 1})
      .Attr("leaf_targetids", std::vector<int64_t>{0, 1, 0, 1})
      .Attr("leaf_weights", Tensor::Of<double>({4}, {1, 2, 4, 8}))
      .Attr("tree_roots", std::vector<int64_t>{0, 1})
      .Attr("aggregate_function", aggregate)
      .Attr("n_targets", 3)
      .Input(Tensor::Of<double>({3, 1}, {-1, 1, 3}));
  return test;
}

TEST(TreeEnsembleTest, AggregatesLeaveTargetsWithoutLeafAtZero) {
  ExpectTensor(TwoTrees(0).Run(), Tensor::Of<double>({3, 3}, {2.5, 0, 0, 2, 1, 0, 0, 5, 0}));
  ExpectTensor(TwoTrees(1).Run(), Tensor::Of<double>({3, 3}, {5, 0, 0, 4, 2, 0, 0, 10, 0}));
  ExpectTensor(TwoTrees(2).Run(), Tensor::Of<double>({3, 3}, {1, 0, 0, 4, 2, 0, 0, 2, 0}));
  ExpectTensor(TwoTrees(3).Run(), Tensor::Of<double>({3, 3}, {4, 0, 0, 4, 2, 0, 0, 8, 0}));
}

TEST(TreeEnsembleTest, PostTransformsAreNumberedAsTheSchemaSays) {
  // softmax and logistic of (5, 0, 0), NumPy's.
  ExpectTensor(
      TwoTrees(1).Attr("post_transform", 1).Run(),
      Tensor::Of<double>({3, 3}, {0.986703291, 0.00664835448, 0.00664835448, 0.86681333, 0.11731043,
                                  0.01587624, 4.53958077e-05, 0.99990921, 4.53958077e-05}),
      1e-7);
  ExpectTensor(TwoTrees(1).Attr("post_transform", 2).Run(),
               Tensor::Of<double>({3, 3}, {0.99330715, 0.5, 0.5, 0.98201379, 0.88079708, 0.5, 0.5,
                                           0.9999546, 0.5}),
               1e-7);
  // Zeros are left out.
  ExpectTensor(TwoTrees(1).Attr("post_transform", 3).Run(),
               Tensor::Of<double>({3, 3}, {1, 0, 0, 0.88079708, 0.11920292, 0, 0, 1, 0}), 1e-7);
  ExpectError(TwoTrees(1).Attr("post_transform", 5).Run().status(), kInvalid,
              "post_transform 5 is unknown");
}

TEST(TreeEnsembleTest, Float16IsAddedInFloat) {
  OpTest test = OneNode{}.Test();
  const Tensor x = Convert(Tensor::Of<float>({3, 1}, {0, 1, 2}), DType::kFloat16);
  ExpectTensor(test.Input(x).Run(),
               Convert(Tensor::Of<float>({3, 1}, {10, 10, 20}), DType::kFloat16));
}

TEST(TreeEnsembleTest, NoRows) {
  OpTest test = OneNode{}.Test();
  ExpectTensor(test.Input(Tensor::Of<float>({0, 1}, {})).Run(), Tensor::Of<float>({0, 1}, {}));
}

TEST(TreeEnsembleTest, ViewsAndThreadsChangeNothing) {
  const Tensor x = RandomFloats({1000, 1}, 3);
  std::vector<float> want;
  for (const float v : x.AsSpan<float>()) want.push_back(v <= 1 ? 10 : 20);
  ExpectTensor(OneNode{}.Test().Threads(3).Input(AsStridedView(x)).Run(),
               Tensor::Of<float>({1000, 1}, want));
}

TEST(TreeEnsembleTest, MalformedTreesAreErrors) {
  const auto fails = [](const OneNode& node, const std::string& part) {
    OpTest test = node.Test();
    ExpectError(test.Input(Values()).Run().status(), kInvalid, part);
  };
  fails({.mode = 7}, "mode 7 is unknown");
  fails({.mode = 6}, "membership_values has 0 sets for 1 nodes BRANCH_MEMBER");
  fails({.feature = -1}, "there is no feature -1");
  fails({.feature = 1}, "compares feature 1, rows have 1");
  fails({.feature = std::numeric_limits<int64_t>::max()}, "there is no feature");
  fails({.true_ids = {2}}, "there is no leaf 2 among 2");
  fails({.false_ids = {-1}}, "there is no leaf -1 among 2");
  fails({.true_ids = {1}, .true_leafs = {0}}, "there is no node 1 among 1");
  fails({.true_ids = {0}, .true_leafs = {0}}, "the branches of node 0 lead back to it");
  fails({.true_ids = {0, 0}}, "nodes_truenodeids has 2 elements, not 1");
  fails({.roots = {}}, "there is no tree");
  fails({.roots = {1}}, "there is no node 1");
  fails({.targets = {0, 1}}, "votes for target 1 of 1");
  fails({.targets = {0, -1}}, "leaf_targetids has -1");
  fails({.n_targets = 0}, "there are 0 targets");
  OpTest test = OneNode{}.Test();
  ExpectError(test.Input(Tensor::Of<float>({1, 1, 1}, {0})).Run().status(), kInvalid, "rank 3");
}

}  // namespace
}  // namespace onnxcmp::testing
