// --repro: the folders, and the commands that they are made for.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/models.h"
#include "tests/cli/program.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::ReadFile;
using ::onnxcmp::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kNormal[] = R"((float[2, 4] x) => (float[2, 4] y)
    <float[4] scale = {1.1, 0.9, 1.2, 0.8}> {
      a = Tanh(x)
      b = LayerNormalization<epsilon = 0.00001>(a, scale)
      y = Neg(b)
    })";
constexpr char kFaulty[] = R"((float[2, 4] x) => (float[2, 4] y)
    <float[4] scale = {1.1, 0.9, 1.2, 0.8}> {
      a = Tanh(x)
      b = LayerNormalization<epsilon = 0.1>(a, scale)
      y = Neg(b)
    })";

class ReproCommandTest : public testing::ModelFolderTest {
 protected:
  void SetUp() override {
    ModelFolderTest::SetUp();
    left_ = Model("l", kNormal);
    right_ = Model("r", kFaulty);
    dir_ = folder_ + "/faults";
  }
  std::string left_, right_, dir_;
};

TEST_F(ReproCommandTest, TheModelsShowTheSameWithoutAnyOption) {
  const Outcome outcome = Onnxcmp({left_, right_, "--repro", dir_, "--wide"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "");
  const std::string command =
      "onnxcmp " + dir_ + "/cause_1/left.onnx " + dir_ + "/cause_1/right.onnx";
  EXPECT_THAT(outcome.out, HasSubstr("epsilon: 1e-05 | 0.1"));
  const Outcome again = Onnxcmp({dir_ + "/cause_1/left.onnx", dir_ + "/cause_1/right.onnx"});
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.out, AllOf(HasSubstr("epsilon: 1e-05 | 0.1"),
                               HasSubstr("inputs are those beside the models")));
  EXPECT_THAT(ReadFile(dir_ + "/cause_1/cause.txt"),
              AllOf(HasSubstr(command), HasSubstr("1e-05 | 0.1")));
}

TEST_F(ReproCommandTest, TheTestFails) {
  ASSERT_EQ(Onnxcmp({left_, right_, "--repro", dir_}).status, 1);
  Outcome outcome = Onnxcmp({"test", dir_});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("0 passed, 1 failed"));
}

TEST_F(ReproCommandTest, JsonListsTheFolders) {
  const Outcome outcome = Onnxcmp({left_, right_, "--repro", dir_, "--format", "json"});
  EXPECT_THAT(outcome.out, HasSubstr("\"repro\":\"" + dir_ + "/cause_1\""));
}

TEST_F(ReproCommandTest, InputsBesideTheModelsAreNotTakenAgainstTheUsersWord) {
  ASSERT_EQ(Onnxcmp({left_, right_, "--repro", dir_}).status, 1);
  const std::string a = dir_ + "/cause_1/left.onnx";
  const std::string b = dir_ + "/cause_1/right.onnx";
  EXPECT_THAT(Onnxcmp({a, b, "--seed", "1"}).out, Not(HasSubstr("beside the models")));
  // For another model they are no inputs.
  const std::string other =
      WriteFile(dir_ + "/cause_1/other.onnxtxt",
                testing::ModelText("(float[3] u, float[7] v) => (float[3] w) { w = Neg(u) }"));
  const Outcome outcome = Onnxcmp({other, other});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("lies beside the models, but does not"));
}

TEST_F(ReproCommandTest, NothingOfOthersIsOverwritten) {
  std::filesystem::create_directory(dir_);
  WriteFile(dir_ + "/notes.txt", "mine");
  const Outcome outcome = Onnxcmp({left_, right_, "--repro", dir_});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("notes.txt"));
  EXPECT_EQ(ReadFile(dir_ + "/notes.txt"), "mine");
}

TEST_F(ReproCommandTest, WithoutACauseNothingIsWritten) {
  ASSERT_EQ(Onnxcmp({left_, right_, "--repro", dir_}).status, 1);
  const Outcome outcome = Onnxcmp({left_, left_, "--repro", dir_});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("no cause was named"));
  // The folders of another comparison are removed.
  EXPECT_FALSE(std::filesystem::exists(dir_ + "/cause_1"));
}

TEST_F(ReproCommandTest, ItNeedsCauses) {
  EXPECT_EQ(Onnxcmp({left_, right_, "--repro", dir_, "--no-causes"}).status, 2);
  EXPECT_EQ(Onnxcmp({left_, right_, "--repro", dir_, "--classic"}).status, 2);
}

}  // namespace
}  // namespace onnxcmp
