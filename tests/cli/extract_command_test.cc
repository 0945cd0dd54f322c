// onnxcmp extract: parts of models with the values of the whole.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/models.h"
#include "tests/cli/program.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kExtracted[] = R"((float[n, 4] x) => (float[n, 4] y, float[n, 4] z)
    <float[4] scale = {1.1, 0.9, 1.2, 0.8}> {
      a = Tanh(x)
      b = Mul(a, scale)
      c = Neg(b)
      y = Add(c, a)
      z = Exp(x)
    })";

class ExtractCommandTest : public testing::ModelFolderTest {
 protected:
  void SetUp() override {
    ModelFolderTest::SetUp();
    model_ = Model("m", kExtracted);
    part_ = folder_ + "/part";
  }
  Outcome Show() const { return Onnxcmp({"show", part_ + "/model.onnx"}); }
  std::string model_, part_;
};

TEST_F(ExtractCommandTest, BetweenTwoResults) {
  const Outcome outcome = Onnxcmp({"extract", model_, "--from", "a", "--to", "c", "-o", part_});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("2 of 5 nodes"), HasSubstr("inputs   a float[2,4]"),
                                 HasSubstr("outputs  c float[2,4]")));
  // Its data are those of the whole model, so that it passes as a test.
  EXPECT_THAT(Onnxcmp({"test", part_}).out, HasSubstr("1 passed"));
  EXPECT_THAT(Show().out, AllOf(HasSubstr("Mul"), HasSubstr("Neg"), Not(HasSubstr("Tanh"))));
}

TEST_F(ExtractCommandTest, WaysAroundBeginAtTheModelsInputs) {
  ASSERT_EQ(Onnxcmp({"extract", model_, "--from", "c", "--to", "y", "-o", part_}).status, 0);
  EXPECT_THAT(Show().out, AllOf(HasSubstr("Tanh"), HasSubstr("Add"), Not(HasSubstr("Mul"))));
  EXPECT_THAT(Onnxcmp({"test", part_}).out, HasSubstr("1 passed"));
}

TEST_F(ExtractCommandTest, TheBeginningAndTheEnd) {
  ASSERT_EQ(Onnxcmp({"extract", model_, "--to", "b", "-o", part_}).status, 0);
  EXPECT_THAT(Onnxcmp({"test", part_}).out, HasSubstr("1 passed"));
  ASSERT_EQ(Onnxcmp({"extract", model_, "--from", "b,x", "-o", part_}).status, 0);
  EXPECT_THAT(Onnxcmp({"test", part_}).out, HasSubstr("1 passed"));
}

TEST_F(ExtractCommandTest, ConstantsInPlaceOfInputs) {
  const Outcome outcome =
      Onnxcmp({"extract", model_, "--from", "a", "--to", "c", "--constants", "-o", part_});
  EXPECT_THAT(outcome.out, HasSubstr("inputs   none"));
  EXPECT_THAT(Onnxcmp({"test", part_}).out, HasSubstr("1 passed"));
}

TEST_F(ExtractCommandTest, AsAFunction) {
  ASSERT_EQ(
      Onnxcmp({"extract", model_, "--from", "a", "--to", "c", "--as-function", "-o", part_}).status,
      0);
  EXPECT_THAT(Show().out, HasSubstr("onnxcmp.part"));
  EXPECT_THAT(Onnxcmp({"test", part_}).out, HasSubstr("1 passed"));
}

TEST_F(ExtractCommandTest, FunctionsAreKept) {
  model_ = Model("f", "(float[2] x) => (float[2] y) { a = Neg(x) b = local.f(a) y = Exp(b) }",
                 R"(<domain: "local", opset_import: ["" : 18]> f (u) => (v) { v = Abs(u) })");
  ASSERT_EQ(Onnxcmp({"extract", model_, "--from", "a", "--to", "b", "-o", part_}).status, 0);
  EXPECT_THAT(Onnxcmp({"test", part_}).out, HasSubstr("1 passed"));
}

TEST_F(ExtractCommandTest, SubgraphsReadValuesFromOutside) {
  model_ = Model("s", R"((float[2] x) => (float[2] y) {
      a = Neg(x)
      s = ReduceSum<keepdims = 0>(a)
      t = Less(s, s)
      y = If(t) <then_branch = g1 () => (u) { u = Exp(a) }, else_branch = g2 () => (v) { v = Abs(a) }>
    })");
  ASSERT_EQ(Onnxcmp({"extract", model_, "--from", "a,t", "--to", "y", "-o", part_}).status, 0);
  EXPECT_THAT(Onnxcmp({"test", part_}).out, HasSubstr("1 passed"));
}

TEST_F(ExtractCommandTest, Errors) {
  EXPECT_THAT(Onnxcmp({"extract", model_, "--to", "nobody", "-o", part_}).err, HasSubstr("nobody"));
  EXPECT_THAT(Onnxcmp({"extract", model_, "--from", "z", "--to", "c", "-o", part_}).err,
              HasSubstr("c is not computed from z"));
  EXPECT_THAT(Onnxcmp({"extract", model_, "--to", "x", "-o", part_}).err,
              HasSubstr("no node computes x"));
  EXPECT_EQ(Onnxcmp({"extract", model_, "-o", part_}).status, 2);
  // Whose files these are is not known.
  testing::WriteFile(folder_ + "/notes.txt", "mine");
  EXPECT_THAT(Onnxcmp({"extract", model_, "--to", "b", "-o", folder_}).err,
              HasSubstr("has other files"));
}

}  // namespace
}  // namespace onnxcmp
