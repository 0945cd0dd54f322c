#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Tree 7: node 3 asks x[1] <= 0.5 and leads to leaf 5 or leaf 4, which vote with 1 and 2 (leaf 4
// twice for target 0: 2 and 3).
struct OneTree {
  int opset = 3;
  std::vector<int64_t> ids = {3, 4, 5};
  std::vector<int64_t> true_ids = {5, 0, 0};
  std::vector<int64_t> false_ids = {4, 0, 0};
  std::vector<std::string> modes = {"BRANCH_LEQ", "LEAF", "LEAF"};
  std::vector<int64_t> target_nodes = {4, 5, 4};
  std::vector<int64_t> targets = {0, 0, 0};
  std::vector<float> base_values = {};
  int64_t n_targets = 1;

  OpTest Test() const {
    OpTest test("TreeEnsembleRegressor", opset, "ai.onnx.ml");
    test.Attr("nodes_treeids", std::vector<int64_t>(ids.size(), 7))
        .Attr("nodes_nodeids", ids)
        .Attr("nodes_featureids", std::vector<int64_t>{1, 0, 0})
        .Attr("nodes_values", std::vector<float>{0.5f, 0, 0})
        .Attr("nodes_hitrates", std::vector<float>{1, 1, 1})
        .Attr("nodes_modes", modes)
        .Attr("nodes_truenodeids", true_ids)
        .Attr("nodes_falsenodeids", false_ids)
        .Attr("target_treeids", std::vector<int64_t>(target_nodes.size(), 7))
        .Attr("target_nodeids", target_nodes)
        .Attr("target_ids", targets)
        .Attr("target_weights", std::vector<float>{2, 1, 3})
        .Attr("n_targets", n_targets)
        .Input(Tensor::Of<float>({2, 2}, {9, 0.5f, 9, 0.75f}));
    if (!base_values.empty()) test.Attr("base_values", base_values);
    return test;
  }
};

TEST(TreeEnsembleRegressorTest, LeavesMayVoteTwice) {
  for (const int opset : {1, 3, 5}) {
    ExpectTensor(OneTree{.opset = opset}.Test().Run(), Tensor::Of<float>({2, 1}, {1, 5}));
  }
}

TEST(TreeEnsembleRegressorTest, BaseValuesCountForTargetsWithoutVotes) {
  const OneTree tree = {.targets = {0, 1, 0}, .base_values = {10, 20}, .n_targets = 2};
  for (const char* aggregate : {"SUM", "AVERAGE"}) {
    ExpectTensor(tree.Test().Attr("aggregate_function", aggregate).Run(),
                 Tensor::Of<float>({2, 2}, {10, 21, 15, 20}));
  }
  ExpectTensor(tree.Test().Attr("aggregate_function", "MIN").Run(),
               Tensor::Of<float>({2, 2}, {10, 21, 12, 20}));
  ExpectTensor(tree.Test().Attr("aggregate_function", "MAX").Run(),
               Tensor::Of<float>({2, 2}, {10, 21, 13, 20}));
}

// As onnxruntime 1.31 has it, but for PROBIT.
TEST(TreeEnsembleRegressorTest, LeavesASingleTargetAsItIs) {
  for (const char* transform : {"SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"}) {
    ExpectTensor(OneTree{}.Test().Attr("post_transform", transform).Run(),
                 Tensor::Of<float>({2, 1}, {1, 5}));
  }
}

// onnxruntime 1.31's value; the exact quantile of 0.75 is 0.67449.
TEST(TreeEnsembleRegressorTest, ProbitIsWinitzkis) {
  OpTest test = OneTree{.base_values = {-0.25f}}.Test();
  ExpectTensor(test.Attr("post_transform", "PROBIT").Run(),
               Tensor::Of<float>({2, 1}, {0.6745766f, std::numeric_limits<float>::quiet_NaN()}),
               1e-4);
}

TEST(TreeEnsembleRegressorTest, IntegersCompareExactly) {
  for (const DType dtype : {DType::kInt32, DType::kInt64}) {
    OpTest test("TreeEnsembleRegressor", 1, "ai.onnx.ml");
    test.Attr("nodes_treeids", std::vector<int64_t>{0, 0, 0})
        .Attr("nodes_nodeids", std::vector<int64_t>{0, 1, 2})
        .Attr("nodes_featureids", std::vector<int64_t>{0, 0, 0})
        .Attr("nodes_values", std::vector<float>{16777216, 0, 0})
        .Attr("nodes_modes", std::vector<std::string>{"BRANCH_GT", "LEAF", "LEAF"})
        .Attr("nodes_truenodeids", std::vector<int64_t>{1, 0, 0})
        .Attr("nodes_falsenodeids", std::vector<int64_t>{2, 0, 0})
        .Attr("target_treeids", std::vector<int64_t>{0})
        .Attr("target_nodeids", std::vector<int64_t>{1})
        .Attr("target_ids", std::vector<int64_t>{0})
        .Attr("target_weights", std::vector<float>{1})
        .Attr("n_targets", 1)
        .Input(Convert(Tensor::Of<double>({2, 1}, {16777216, 16777217}), dtype));
    ExpectTensor(test.Run(), Tensor::Of<float>({2, 1}, {0, 1}));
  }
}

TEST(TreeEnsembleRegressorTest, DoubleAttributesComeAsTensors) {
  OpTest test("TreeEnsembleRegressor", 3, "ai.onnx.ml");
  test.Attr("nodes_treeids", std::vector<int64_t>{0, 0, 0})
      .Attr("nodes_nodeids", std::vector<int64_t>{0, 1, 2})
      .Attr("nodes_featureids", std::vector<int64_t>{0, 0, 0})
      .Attr("nodes_values_as_tensor", Tensor::Of<double>({3}, {0.1, 0, 0}))
      .Attr("nodes_hitrates_as_tensor", Tensor::Of<double>({3}, {1, 1, 1}))
      .Attr("nodes_modes", std::vector<std::string>{"BRANCH_LEQ", "LEAF", "LEAF"})
      .Attr("nodes_truenodeids", std::vector<int64_t>{1, 0, 0})
      .Attr("nodes_falsenodeids", std::vector<int64_t>{2, 0, 0})
      .Attr("target_treeids", std::vector<int64_t>{0, 0})
      .Attr("target_nodeids", std::vector<int64_t>{1, 2})
      .Attr("target_ids", std::vector<int64_t>{0, 0})
      .Attr("target_weights_as_tensor", Tensor::Of<double>({2}, {16777217, 2}))
      .Attr("base_values_as_tensor", Tensor::Of<double>({1}, {-16777216}))
      .Attr("n_targets", 1)
      .Input(Tensor::Of<double>({2, 1}, {0.1, 0.1f}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 1}, {1, -16777214}));
}

TEST(TreeEnsembleRegressorTest, NodesMayHaveSeveralParents) {
  // LightGBM's converter writes x in {1, 2} as two comparisons that lead to one leaf.
  OpTest test("TreeEnsembleRegressor", 3, "ai.onnx.ml");
  test.Attr("nodes_treeids", std::vector<int64_t>{0, 0, 0, 0})
      .Attr("nodes_nodeids", std::vector<int64_t>{0, 1, 2, 3})
      .Attr("nodes_featureids", std::vector<int64_t>{0, 0, 0, 0})
      .Attr("nodes_values", std::vector<float>{1, 2, 0, 0})
      .Attr("nodes_modes", std::vector<std::string>{"BRANCH_EQ", "BRANCH_EQ", "LEAF", "LEAF"})
      .Attr("nodes_truenodeids", std::vector<int64_t>{2, 2, 0, 0})
      .Attr("nodes_falsenodeids", std::vector<int64_t>{1, 3, 0, 0})
      .Attr("target_treeids", std::vector<int64_t>{0, 0})
      .Attr("target_nodeids", std::vector<int64_t>{2, 3})
      .Attr("target_ids", std::vector<int64_t>{0, 0})
      .Attr("target_weights", std::vector<float>{1, 2})
      .Attr("n_targets", 1)
      .Input(Tensor::Of<float>({3, 1}, {1, 2, 3}));
  ExpectTensor(test.Run(), Tensor::Of<float>({3, 1}, {1, 1, 2}));
}

TEST(TreeEnsembleRegressorTest, MalformedTreesAreErrors) {
  const auto fails = [](const OneTree& tree, const std::string& part) {
    ExpectError(tree.Test().Run().status(), kInvalid, part);
  };
  fails({.ids = {3, 4, 4}}, "tree 7 has two nodes 4");
  fails({.ids = {3, 4}}, "nodes_featureids has 3 elements, not 2");
  fails({.true_ids = {6, 0, 0}}, "tree 7 has no node 6");
  fails({.false_ids = {3, 0, 0}}, "the branches of node 0 lead back to it");
  fails({.modes = {"BRANCH_MEMBER", "LEAF", "LEAF"}}, "mode 'BRANCH_MEMBER' is unknown");
  fails({.target_nodes = {4, 5}}, "target_treeids has 2 elements, not 3");
  fails({.target_nodes = {4, 5, 6}}, "tree 7 has no node 6");
  fails({.targets = {0, 0, 1}}, "votes for target 1 of 1");
  fails({.base_values = {1, 2}}, "2 base_values for 1 targets");
  fails({.n_targets = std::numeric_limits<int64_t>::max()}, "targets");
  OpTest test("TreeEnsembleRegressor", 1, "ai.onnx.ml");
  test.Attr("n_targets", 1).Input(Tensor::Of<float>({1, 1}, {0}));
  ExpectError(test.Run().status(), kInvalid, "there is no tree");
}

}  // namespace
}  // namespace onnxcmp::testing
