// Nodes that are told otherwise by an attribute, or by the version of their operator: a fault,
// however near what they give is, and whatever moving the last place does to a threshold.
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/causes/cause_class.h"
#include "compare/causes/cause_truth.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/load/load_model.h"
#include "tests/support/load_test.h"
#include "tests/support/model_pair.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::unique_ptr<ModelSide> SideOf(int opset, const std::string& graph, const Tensor& x) {
  const auto model =
      LoadModelFromText(absl::StrCat("<ir_version: 8, opset_import: [\"\": ", opset,
                                     ", \"ai.onnx.ml\": 3, \"com.microsoft\": 1]>\n", graph),
                        testing::Registry());
  EXPECT_TRUE(model.ok()) << model.status();
  if (!model.ok()) return nullptr;
  auto side = ModelSide::Create(*model, testing::Registry(), {.threads = 1});
  EXPECT_TRUE(side.ok()) << side.status();
  if (!side.ok()) return nullptr;
  (*side)->SetFeeds({{(*model)->graph.inputs[0].name, x}});
  return *std::move(side);
}

Comparison Compared(const Tensor& x, int left_opset, const std::string& left, int right_opset,
                    const std::string& right) {
  const auto a = SideOf(left_opset, left, x);
  const auto b = SideOf(right_opset, right, x);
  if (a == nullptr || b == nullptr) return {};
  CompareOptions options;
  options.threads = 1;
  absl::StatusOr<Comparison> comparison = Compare(*a, *b, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? *std::move(comparison) : Comparison();
}

std::string Texts(const Comparison& comparison) {
  std::string texts;
  for (const Cause& cause : comparison.causes) {
    absl::StrAppend(&texts, cause.text, "; ", TruthText(cause), "\n");
  }
  return absl::StrCat(texts, absl::StrJoin(comparison.notes, "\n"));
}

TEST(ToldOtherwise, AnotherEpsilonInAFusedNormalizationIsAFault) {
  constexpr char kHead[] =
      "g (float[2,4] x) => (float[2,4] y) <float[4] s = {1, 0.5, 2, 1.5}, float[4] b = {0.1, 0, "
      "0.2, -0.1}, float[4,4] w = {0.5, -0.25, 0.125, 0.75, -0.5, 0.3, 0.8, -0.1, 0.9, 0.2, -0.7, "
      "0.4, 0.1, -0.6, 0.35, 0.45}> { t = Tanh (x)\n";
  const std::string left =
      absl::StrCat(kHead,
                   "a = Add (x, t)\n n = LayerNormalization <epsilon = 1e-5> (a, s, b)\n"
                   "y = MatMul (n, w) }");
  const auto fused = [&](const std::string& epsilon) {
    return absl::StrCat(kHead, "n = com.microsoft.SkipLayerNormalization <epsilon = ", epsilon,
                        "> (x, t, s, b)\n y = MatMul (n, w) }");
  };
  const Comparison broken = Compared(testing::GivenX(), 17, left, 17, fused("2e-3"));
  ASSERT_THAT(broken.causes, SizeIs(1));
  EXPECT_TRUE(IsMistake(broken.causes[0].kind)) << CauseKindName(broken.causes[0].kind);
  EXPECT_THAT(Texts(broken), HasSubstr("attribute epsilon: 1e-05 | 0.002"));
  const Comparison honest = Compared(testing::GivenX(), 17, left, 17, fused("1e-5"));
  EXPECT_THAT(honest.causes, IsEmpty());
}

TEST(ToldOtherwise, AThresholdOfATreeIsNoRounding) {
  const auto tree = [](const std::string& threshold) {
    return absl::StrCat(
        "g (float[6,1] x) => (float[6,1] y) { t = ai.onnx.ml.TreeEnsembleRegressor <n_targets = 1, "
        "nodes_treeids = [0, 0, 0, 0, 0], nodes_nodeids = [0, 1, 2, 3, 4], "
        "nodes_featureids = [0, 0, 0, 0, 0], nodes_modes = [\"BRANCH_LEQ\", \"BRANCH_LEQ\", "
        "\"LEAF\", \"LEAF\", \"LEAF\"], nodes_truenodeids = [1, 3, 0, 0, 0], "
        "nodes_falsenodeids = [2, 4, 0, 0, 0], target_treeids = [0, 0, 0], "
        "target_nodeids = [2, 3, 4], target_ids = [0, 0, 0], target_weights = [3.5, -1.25, 0.75], ",
        threshold, "> (x)\n y = Identity (t) }");
  };
  // Features on thresholds: a movement of the last place takes them to the other side.
  const Tensor x = Tensor::Of<float>({6, 1}, {1.5f, 0.5f, 1.5f, 0.6f, 0.5f, 2});
  const std::string left = tree("nodes_values = [1.5, 0.5, 0.0, 0.0, 0.0]");
  const Comparison moved =
      Compared(x, 17, left, 17, tree("nodes_values = [1.5, 0.625, 0.0, 0.0, 0.0]"));
  EXPECT_THAT(Texts(moved), HasSubstr("1 of 1 tree differs: tree 0, node 1, at x[0] <= 1.5: "
                                      "nodes_values: x[0] is compared with 0.5 | 0.625"));
  EXPECT_THAT(Texts(moved), Not(HasSubstr("rounding explains")));
  const Comparison twin = Compared(
      x, 17, left, 17, tree("nodes_values_as_tensor = double[5] {1.5, 0.5, 0.0, 0.0, 0.0}"));
  EXPECT_EQ(twin.verdict(), Verdict::kSame);
  EXPECT_THAT(twin.causes, IsEmpty());
}

TEST(ToldOtherwise, TreesAreWalkedFromTheirRoots) {
  const auto old = [](const std::string& rest) {
    return absl::StrCat(
        "g (float[4,2] x) => (float[4,1] y) { t = ai.onnx.ml.TreeEnsembleRegressor <n_targets = "
        "1, ",
        rest, "> (x)\n y = Identity (t) }");
  };
  const std::string left = old(
      "nodes_treeids = [0, 0, 0, 0, 0, 1], nodes_nodeids = [0, 1, 2, 3, 4, 0], "
      "nodes_featureids = [0, 1, 0, 0, 0, 0], nodes_values = [1.5, 0.5, 0.0, 0.0, 0.0, 0.0], "
      "nodes_modes = [\"BRANCH_LEQ\", \"BRANCH_LEQ\", \"LEAF\", \"LEAF\", \"LEAF\", \"LEAF\"], "
      "nodes_truenodeids = [1, 3, 0, 0, 0, 0], nodes_falsenodeids = [2, 4, 0, 0, 0, 0], "
      "target_treeids = [0, 0, 0, 1], target_nodeids = [2, 3, 4, 0], target_ids = [0, 0, 0, 0], "
      "target_weights = [3.5, -1.25, 0.75, 0.5]");
  const auto reordered = [&](const std::string& weight) {
    return old(absl::StrCat(
        "nodes_treeids = [1, 0, 0, 0, 0, 0], nodes_nodeids = [0, 0, 1, 2, 3, 4], "
        "nodes_featureids = [0, 0, 0, 0, 0, 1], nodes_values = [0.0, 1.5, 0.0, 0.0, 0.0, 0.5], "
        "nodes_modes = [\"LEAF\", \"BRANCH_GT\", \"LEAF\", \"LEAF\", \"LEAF\", \"BRANCH_LEQ\"], "
        "nodes_truenodeids = [0, 1, 0, 0, 0, 2], nodes_falsenodeids = [0, 4, 0, 0, 0, 3], "
        "target_treeids = [1, 0, 0, 0], target_nodeids = [0, 1, 2, 3], target_ids = [0, 0, 0, 0], "
        "target_weights = [0.5, 3.5, ",
        weight, ", 0.75]"));
  };
  const Tensor x = Tensor::Of<float>({4, 2}, {1, 0.25f, 1, 0.75f, 2, 0.25f, 0.5f, 0});
  const Comparison honest = Compared(x, 17, left, 17, reordered("-1.25"));
  EXPECT_EQ(honest.verdict(), Verdict::kSame);
  EXPECT_THAT(honest.causes, IsEmpty());
  EXPECT_THAT(Texts(Compared(x, 17, left, 17, reordered("-2.25"))),
              HasSubstr("1 of 2 trees differs: tree 0, leaf 3 | 2, at x[0] <= 1.5, x[1] <= 0.5: "
                        "target_weights: target 0: -1.25 | -2.25"));
  EXPECT_THAT(Texts(Compared(x, 17, left, 17, reordered("-2.25"))),
              Not(HasSubstr("nodes_falsenodeids")));
}

TEST(ToldOtherwise, AVersionIsAReason) {
  const std::string softmax =
      "g (float[2,2,2] x) => (float[2,2,2] y) { t = Tanh (x)\n s = Softmax (t)\n y = Sin (s) }";
  const Tensor x = Tensor::Of<float>({2, 2, 2}, {1, -2, 0.5f, 3, -1.5f, 0.25f, 2, -0.75f});
  const std::string text = Texts(Compared(x, 11, softmax, 13, softmax));
  EXPECT_THAT(text, HasSubstr("opset 11 | 13: from 13 on axis is -1 by default"));
  EXPECT_THAT(text, HasSubstr("attribute axis: 1 (default) | -1 (default)"));
  EXPECT_THAT(text, Not(HasSubstr("nearer")));
  const Comparison honest = Compared(
      Tensor::Of<float>({2, 4}, {1, -2, 0.5f, 3, -1.5f, 0.25f, 2, -0.75f}), 11,
      "g (float[2,4] x) => (float[2,4] y) { t = Tanh (x)\n s = Softmax (t)\n y = Sin (s) }", 13,
      "g (float[2,4] x) => (float[2,4] y) { t = Tanh (x)\n s = Softmax (t)\n y = Sin (s) }");
  EXPECT_THAT(honest.causes, IsEmpty());
}

TEST(ToldOtherwise, AnInputThatAVersionPutBetweenTwoIsNoOtherOrder) {
  const auto resize = [](const std::string& inputs) {
    return absl::StrCat(
        "g (float[1,1,3,4] x) => (float[1,1,6,8] y) <float[4] scales = {1, 1, 2, 2}> {\n t = Tanh "
        "(x)\n r = Resize <mode = \"linear\"> (",
        inputs, ")\n y = Sin (r) }");
  };
  const Tensor x = Tensor::Of<float>(
      {1, 1, 3, 4}, {1, -2, 0.5f, 3, -1.5f, 0.25f, 2, -0.75f, 0.1f, 0.9f, -0.4f, 1.25f});
  const std::string text = Texts(Compared(x, 10, resize("t, scales"), 13, resize("t, , scales")));
  EXPECT_THAT(text, HasSubstr("opset 10 | 13: from 11 on coordinate_transformation_mode is "
                              "half_pixel by default"));
  EXPECT_THAT(text, Not(HasSubstr("another order")));
  EXPECT_THAT(text, Not(HasSubstr("input 1")));
}

TEST(ToldOtherwise, AnInputInAnAttributesPlaceIsComparedWithIt) {
  const std::string older =
      "g (float[2,4] x) => (float[2,4] y) { t = Sin (x)\n y = Clip <min = -0.5, max = 0.75> (t) }";
  const auto newer = [](const std::string& high) {
    return absl::StrCat("g (float[2,4] x) => (float[2,4] y) <float low = {-0.5}, float high = {",
                        high, "}> { t = Sin (x)\n y = Clip (t, low, high) }");
  };
  const std::string text = Texts(Compared(testing::GivenX(), 10, older, 13, newer("0.25")));
  EXPECT_THAT(text, HasSubstr("attribute max | input high: 0.75 | 0.25"));
  for (const char* words : {"attribute min", "not given", "input 1", "another order"}) {
    EXPECT_THAT(text, Not(HasSubstr(words)));
  }
  EXPECT_THAT(Compared(testing::GivenX(), 10, older, 13, newer("0.75")).causes, IsEmpty());
  const std::string mean =
      "g (float[2,4] x) => (float[2,4] y) { m = ReduceMean <axes = [1]> (x)\n y = Sub (x, m) }";
  const std::string other =
      "g (float[2,4] x) => (float[2,4] y) <int64[1] axes = {0}> { m = ReduceMean (x, axes)\n"
      "y = Sub (x, m) }";
  EXPECT_THAT(Texts(Compared(testing::GivenX(), 13, mean, 18, other)),
              HasSubstr("attribute axes | input axes: [1] | 0"));
}

}  // namespace
}  // namespace onnxcmp
