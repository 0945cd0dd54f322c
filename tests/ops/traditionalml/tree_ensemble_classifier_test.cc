#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// x <= 0 leads to the first vote, x > 0 to the second (and the third); rows are -1 and 1. Expected
// values are onnxruntime 1.31's, unless a test says otherwise.
OpTest Classifier(const std::vector<int64_t>& class_ids, const std::vector<float>& weights) {
  OpTest test("TreeEnsembleClassifier", 3, "ai.onnx.ml");
  std::vector<int64_t> nodes = {1, 2, 2};
  nodes.resize(class_ids.size());
  test.Outputs(2)
      .Attr("nodes_treeids", std::vector<int64_t>{0, 0, 0})
      .Attr("nodes_nodeids", std::vector<int64_t>{0, 1, 2})
      .Attr("nodes_featureids", std::vector<int64_t>{0, 0, 0})
      .Attr("nodes_values", std::vector<float>{0, 0, 0})
      .Attr("nodes_modes", std::vector<std::string>{"BRANCH_LEQ", "LEAF", "LEAF"})
      .Attr("nodes_truenodeids", std::vector<int64_t>{1, 0, 0})
      .Attr("nodes_falsenodeids", std::vector<int64_t>{2, 0, 0})
      .Attr("class_treeids", std::vector<int64_t>(class_ids.size(), 0))
      .Attr("class_nodeids", nodes)
      .Attr("class_ids", class_ids)
      .Attr("class_weights", weights)
      .Input(Tensor::Of<float>({2, 1}, {-1, 1}));
  return test;
}

OpTest Binary(const std::vector<float>& weights, int64_t id = 0) {
  OpTest test = Classifier({id, id}, weights);
  test.Attr("classlabels_int64s", std::vector<int64_t>{10, 20});
  return test;
}

void Expect(const OpTest& test, const Tensor& labels, const Tensor& scores) {
  ExpectTensor(test.Run(0), labels);
  ExpectTensor(test.Run(1), scores, 2e-6);
}

const std::vector<float> kProbabilities = {0.75f, 0.25f};
const std::vector<float> kMargins = {0.75f, -0.25f};

TEST(TreeEnsembleClassifierTest, OneProbabilityIsThatOfTheSecondClass) {
  Expect(Binary(kProbabilities), Tensor::Of<int64_t>({2}, {20, 10}),
         Tensor::Of<float>({2, 2}, {0.25f, 0.75f, 0.75f, 0.25f}));
}

TEST(TreeEnsembleClassifierTest, OneMarginHasItsOpposite) {
  Expect(Binary(kMargins), Tensor::Of<int64_t>({2}, {20, 10}),
         Tensor::Of<float>({2, 2}, {-0.75f, 0.75f, 0.25f, -0.25f}));
}

// Row -1 has a vote for class 0 alone, row 1 for class 2; the other classes' zeros do not win.
TEST(TreeEnsembleClassifierTest, ClassesWithoutVotesArePassedOver) {
  OpTest test = Classifier({0, 2}, {-1, -2});
  test.Attr("classlabels_int64s", std::vector<int64_t>{10, 20, 30});
  test.Attr("post_transform", "SOFTMAX_ZERO");  // ONNX's evaluator agrees
  Expect(test, Tensor::Of<int64_t>({2}, {10, 30}), Tensor::Of<float>({2, 3}, {1, 0, 0, 0, 0, 1}));
}

TEST(TreeEnsembleClassifierTest, LogisticOfOneScore) {
  const Tensor margins =
      Tensor::Of<float>({2, 2}, {0.3208213f, 0.6791787f, 0.5621765f, 0.4378235f});
  Expect(Binary(kMargins).Attr("post_transform", "LOGISTIC"), Tensor::Of<int64_t>({2}, {20, 10}),
         margins);
  // The label is that of the score before it is transformed.
  Expect(Binary(kProbabilities).Attr("post_transform", "LOGISTIC"),
         Tensor::Of<int64_t>({2}, {20, 10}),
         Tensor::Of<float>({2, 2}, {0.3208213f, 0.6791787f, 0.4378235f, 0.5621765f}));
}

// softmax(-0.75, 0.75), NumPy's; onnxruntime leaves one score as it is.
TEST(TreeEnsembleClassifierTest, SoftmaxOfOneScore) {
  Expect(Binary(kMargins).Attr("post_transform", "SOFTMAX"), Tensor::Of<int64_t>({2}, {20, 10}),
         Tensor::Of<float>({2, 2}, {0.1824255f, 0.8175745f, 0.6224593f, 0.3775407f}));
}

TEST(TreeEnsembleClassifierTest, TheBaseValueOfOneScore) {
  Expect(Binary(kMargins).Attr("base_values", std::vector<float>{0.5f}),
         Tensor::Of<int64_t>({2}, {20, 20}),
         Tensor::Of<float>({2, 2}, {-1.25f, 1.25f, -0.25f, 0.25f}));
}

TEST(TreeEnsembleClassifierTest, VotesForTheSecondClassAlone) {
  Expect(Binary(kMargins, 1), Tensor::Of<int64_t>({2}, {20, 10}),
         Tensor::Of<float>({2, 2}, {0, 0.75f, 0, -0.25f}));
}

// The text's reading; onnxruntime's label is 1, which is none of the labels.
TEST(TreeEnsembleClassifierTest, VotesForBothOfTwoClasses) {
  OpTest test = Classifier({0, 1, 0}, {0.5f, 0.75f, 0.25f});
  test.Attr("classlabels_strings", std::vector<std::string>{"a", "b"});
  Expect(test, Tensor::Of<std::string>({2}, {"a", "b"}),
         Tensor::Of<float>({2, 2}, {0.5f, 0, 0.25f, 0.75f}));
}

TEST(TreeEnsembleClassifierTest, ManyClasses) {
  OpTest test = Classifier({0, 2, 1}, {1, 3, 2});
  test.Attr("classlabels_int64s", std::vector<int64_t>{5, 6, 7})
      .Attr("base_values", std::vector<float>{0, 0, 0.5f})
      .Attr("post_transform", "SOFTMAX");
  Expect(test, Tensor::Of<int64_t>({2}, {5, 7}),
         Tensor::Of<float>({2, 3}, {0.50648039f, 0.18632372f, 0.30719589f, 0.02409377f, 0.17803021f,
                                    0.79787603f}));
}

TEST(TreeEnsembleClassifierTest, TheFirstOfEqualScoresWins) {
  OpTest test = Classifier({2, 2, 1}, {1, 1, 1});
  test.Attr("classlabels_int64s", std::vector<int64_t>{5, 6, 7});
  ExpectTensor(test.Run(0), Tensor::Of<int64_t>({2}, {7, 6}));
}

TEST(TreeEnsembleClassifierTest, DoubleInputsAddInDouble) {
  OpTest test("TreeEnsembleClassifier", 3, "ai.onnx.ml");
  test.Outputs(2)
      .Attr("nodes_treeids", std::vector<int64_t>{0, 1})
      .Attr("nodes_nodeids", std::vector<int64_t>{0, 0})
      .Attr("nodes_featureids", std::vector<int64_t>{0, 0})
      .Attr("nodes_values", std::vector<float>{0, 0})
      .Attr("nodes_modes", std::vector<std::string>{"LEAF", "LEAF"})
      .Attr("nodes_truenodeids", std::vector<int64_t>{0, 0})
      .Attr("nodes_falsenodeids", std::vector<int64_t>{0, 0})
      .Attr("class_treeids", std::vector<int64_t>{0, 1, 0})
      .Attr("class_nodeids", std::vector<int64_t>{0, 0, 0})
      .Attr("class_ids", std::vector<int64_t>{1, 1, 0})
      .Attr("class_weights", std::vector<float>{16777216, 1, 16777216})
      .Attr("classlabels_int64s", std::vector<int64_t>{5, 6})
      .Input(Tensor::Of<double>({1, 0}, {}));
  ExpectTensor(test.Run(0), Tensor::Of<int64_t>({1}, {6}));
}

TEST(TreeEnsembleClassifierTest, BadLabels) {
  ExpectError(Classifier({0, 0}, {1, 2}).Run().status(), kInvalid,
              "neither classlabels_int64s nor classlabels_strings is there");
  ExpectError(Binary(kMargins)
                  .Attr("classlabels_strings", std::vector<std::string>{"a", "b"})
                  .Run()
                  .status(),
              kInvalid, "both classlabels_int64s and classlabels_strings");
  ExpectError(Binary(kMargins, 2).Run().status(), kInvalid, "votes for target 2 of 2");
  ExpectError(Binary(kMargins).Attr("post_transform", "LOGIT").Run().status(), kInvalid,
              "post_transform 'LOGIT' is unknown");
}

}  // namespace
}  // namespace onnxcmp::testing
