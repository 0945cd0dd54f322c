#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;

constexpr char kIf[] = R"(<ir_version: 8, opset_import: ["": 16]>
  g (bool c, float[n] x) => (float[m] y, float[m] z) {
    y, z = If (c) <
      then_branch = t () => (float[n] a, float[n] b) { a = Add(x, x)  b = Identity(x) },
      else_branch = e () => (float[k] a, float[k] b) { a = Concat<axis = 0>(x, x)  b = Neg(a) }>
  })";

TEST(IfTest, RunsOneBranchOnOuterValues) {
  const Tensor x = Tensor::Of<float>({2}, {1, 2});
  Recorder recorder;
  const auto yes = RunText(kIf, {{"c", Tensor::Scalar(true)}, {"x", x}}, &recorder);
  ExpectTensor(TensorAt(yes, 0), Tensor::Of<float>({2}, {2, 4}));
  ExpectTensor(TensorAt(yes, 1), x);
  EXPECT_THAT(recorder.Lines(), ElementsAre("INPUT c", "INPUT x", "RESULT a Add y[then_branch]",
                                            "RESULT b Identity y[then_branch]", "RESULT y If",
                                            "RESULT z If", "OUTPUT y", "OUTPUT z"));

  // The branches' shapes may differ, and any tensor of one element is a condition.
  const auto no = RunText(kIf, {{"c", Tensor::Scalar(false)}, {"x", x}});
  ExpectTensor(TensorAt(no, 0), Tensor::Of<float>({4}, {1, 2, 1, 2}));
  ExpectTensor(TensorAt(no, 1), Tensor::Of<float>({4}, {-1, -2, -1, -2}));
}

TEST(IfTest, EveryVersionTakesOneElementOfAnyRank) {
  for (const int opset : {1, 11, 13, 16, 19, 21, 23, 24, 25}) {
    const std::string model =
        absl::StrCat("<ir_version: 13, opset_import: [\"\": ", opset,
                     "]> g (bool[1,1] c, float x) => (float y) { y = If (c) <"
                     "then_branch = t () => (float a) { a = Identity(x) },"
                     "else_branch = e () => (float b) { b = If (c) <"
                     "  then_branch = tt () => (float d) { d = Identity(x) },"
                     "  else_branch = ee () => (float d) { d = Neg(x) }> }> }");
    SCOPED_TRACE(model);
    const Tensor x = Tensor::Scalar(1.5f);
    ExpectTensor(TensorAt(RunText(model, {{"c", Tensor::Of<bool>({1, 1}, {true})}, {"x", x}}), 0),
                 x);
    if (opset < 6) continue;  // Neg-1 has an attribute that nobody sets
    ExpectTensor(TensorAt(RunText(model, {{"c", Tensor::Of<bool>({1, 1}, {false})}, {"x", x}}), 0),
                 Tensor::Scalar(-1.5f));
  }
}

TEST(IfTest, YieldsSequences) {
  const auto outputs = RunText(
      R"(<ir_version: 8, opset_import: ["": 16]>
    g (bool c, seq(float[n]) s) => (seq(float[n]) y) {
      y = If (c) <then_branch = t () => (seq(float[n]) a) { a = Identity(s) },
                  else_branch = e () => (seq(float[n]) b) { b = Identity(s) }>
    })",
      {{"c", Tensor::Scalar(true)}, {"s", Sequence{DType::kFloat, {Tensor::Of<float>({1}, {7})}}}});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ASSERT_TRUE((*outputs)[0].is_sequence());
  ASSERT_EQ((*outputs)[0].sequence().elements.size(), 1);
  ExpectTensor((*outputs)[0].sequence().elements[0].tensor(), Tensor::Of<float>({1}, {7}));
}

TEST(IfTest, RefusesSeveralConditions) {
  const auto outputs =
      RunText(R"(<ir_version: 8, opset_import: ["": 16]>
    g (bool[n] c, float x) => (float y) {
      y = If (c) <then_branch = t () => (float a) { a = Identity(x) },
                  else_branch = e () => (float b) { b = Neg(x) }>
    })",
              {{"c", Tensor::Of<bool>({2}, {true, true})}, {"x", Tensor::Scalar(1.0f)}});
  ExpectError(outputs.status(), kInvalid, "If");
}

TEST(IfTest, RefusesBranchesWithTooFewOutputs) {
  const auto evaluator = EvaluatorFromText(R"(<ir_version: 8, opset_import: ["": 16]>
    g (bool c, float x) => (float y, float z) {
      y, z = If (c) <then_branch = t () => (float a, float a2) { a = Neg(x)  a2 = Neg(a) },
                     else_branch = e () => (float b) { b = Neg(x) }>
    })");
  EXPECT_EQ(evaluator.status().code(), kInvalid) << evaluator.status();
}

}  // namespace
}  // namespace onnxcmp::testing
