// onnxcmp cut: both halves of two models at a row of their comparison.
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

constexpr char kCutLeft[] = R"((float[n, 4] x) => (float[n, 4] y) {
      a = Tanh(x)
      b = Exp(a)
      c = Neg(b)
      y = Sigmoid(c)
    })";
constexpr char kCutRight[] = R"((float[n, 4] x) => (float[n, 4] y) {
      p = Tanh(x)
      q = Exp(p)
      r = Neg(q)
      y = Tanh(r)
    })";

class CutCommandTest : public testing::ModelFolderTest {
 protected:
  void SetUp() override {
    ModelFolderTest::SetUp();
    left_ = Model("left", kCutLeft);
    right_ = Model("right", kCutRight);
    halves_ = folder_ + "/halves";
  }
  Outcome CompareHalf(const std::string& half) const {
    const std::string folder = halves_ + "/" + half;
    return Onnxcmp({folder + "/left.onnx", folder + "/right.onnx"});
  }
  std::string left_, right_, halves_;
};

TEST_F(CutCommandTest, TheHalfWithTheFaultDiffers) {
  const Outcome outcome = Onnxcmp({"cut", left_, right_, "--at", "b", "-o", halves_});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("before: 2 | 2 nodes"), HasSubstr("after: 2 | 2")));
  EXPECT_EQ(CompareHalf("before").status, 0);
  EXPECT_EQ(CompareHalf("after").status, 1);
}

TEST_F(CutCommandTest, RowsHaveTheNumbersOfTheTable) {
  // Rows: x, a, b, c, y, and the output.
  ASSERT_THAT(Onnxcmp({left_, right_, "--all"}).out, HasSubstr("\n2 = Exp"));
  EXPECT_THAT(Onnxcmp({"cut", left_, right_, "--at", "2", "-o", halves_}).out,
              AllOf(HasSubstr("before: 2 | 2 nodes"), HasSubstr("after: 2 | 2")));
  // By the right's name.
  EXPECT_THAT(Onnxcmp({"cut", left_, right_, "--at", "p", "-o", halves_}).out,
              AllOf(HasSubstr("before: 1 | 1 nodes"), HasSubstr("after: 3 | 3")));
}

TEST_F(CutCommandTest, Errors) {
  EXPECT_THAT(Onnxcmp({"cut", left_, right_, "-o", halves_}).err, HasSubstr("a row and a folder"));
  EXPECT_THAT(Onnxcmp({"cut", left_, right_, "--at", "nobody", "-o", halves_}).err,
              HasSubstr("nobody"));
  EXPECT_THAT(Onnxcmp({"cut", left_, right_, "--at", "99", "-o", halves_}).err,
              HasSubstr("none has that number"));
}

}  // namespace
}  // namespace onnxcmp
