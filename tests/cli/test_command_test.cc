// Folders of tests: made by run --save, run by test.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/tensor_proto.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ModelText;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class TestCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TestFolder();
    const std::string model = testing::WriteFile(
        folder_ + "/m.onnxtxt", ModelText("(float[4] x) => (float[4] y) { y = Neg(x) }"));
    ASSERT_EQ(Onnxcmp({"run", model, "--save", folder_ + "/tests/neg/"}).status, 0);
    ASSERT_EQ(Onnxcmp({"run", model, "--seed", "1", "--save", folder_ + "/tests/random/"}).status,
              0);
  }
  // Makes the expectation of `test` wrong.
  void Expect(const std::string& test, const Tensor& value) {
    ASSERT_TRUE(
        WriteValueFile(folder_ + "/tests/" + test + "/test_data_set_0/output_0.pb", value, "y")
            .ok());
  }
  std::string folder_;
};

TEST_F(TestCommandTest, RunsAFolderOrAFolderOfFolders) {
  Outcome outcome = Onnxcmp({"test", folder_ + "/tests"});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(outcome.out, "2 passed, 0 failed, 0 skipped\n");
  outcome = Onnxcmp({"test", folder_ + "/tests/neg", folder_ + "/tests"});
  EXPECT_EQ(outcome.out, "2 passed, 0 failed, 0 skipped\n");
  EXPECT_EQ(Onnxcmp({"test"}).status, 2);
  EXPECT_EQ(Onnxcmp({"test", folder_}).status, 2);
}

TEST_F(TestCommandTest, TellsWhatIsWrong) {
  Expect("neg", Tensor::Of<float>({4}, {0, -0.25f, -0.5f, 7}));
  const std::string junit = folder_ + "/r.xml";
  Outcome outcome = Onnxcmp({"test", folder_ + "/tests", "--junit", junit});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out,
              AllOf(StartsWith("FAILED  " + folder_ + "/tests/neg\n"),
                    HasSubstr("output y: float[4]: 1 of 4 elements beyond 1e-07 + 0.001"),
                    HasSubstr("  [3] expected 7, got -0.75 (abs 7.75, rel 1.11)\n"),
                    HasSubstr("\n1 passed, 1 failed, 0 skipped\n")));
  EXPECT_THAT(testing::ReadFile(junit),
              AllOf(HasSubstr("tests=\"2\" failures=\"1\""), HasSubstr("name=\"neg\"")));
  EXPECT_EQ(Onnxcmp({"test", folder_ + "/tests", "--atol", "8"}).status, 0);
  testing::WriteFile(folder_ + "/tests/tolerances.json", R"({"neg": {"atol": 8}})");
  EXPECT_EQ(Onnxcmp({"test", folder_ + "/tests"}).status, 0);
  testing::WriteFile(folder_ + "/tests/tolerances.json", R"({"neg": {"atol": "much"}})");
  outcome = Onnxcmp({"test", folder_ + "/tests"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("atol of neg is not a number"));
}

TEST_F(TestCommandTest, TypesAndShapesAreExact) {
  Expect("neg", Tensor::Of<double>({4}, {0, -0.25, -0.5, -0.75}));
  Expect("random", Tensor::Of<float>({2, 2}, {0, 0, 0, 0}));
  const Outcome outcome = Onnxcmp({"test", folder_ + "/tests", "--atol", "100"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("\n0 passed, 2 failed, 0 skipped\n"));
}

TEST_F(TestCommandTest, WithoutDataThereIsNothingToRun) {
  std::filesystem::remove_all(folder_ + "/tests/neg/test_data_set_0");
  const Outcome outcome = Onnxcmp({"test", folder_ + "/tests/neg"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, HasSubstr("0 passed, 0 failed, 1 skipped"));
}

// Weights in other files come along.
TEST_F(TestCommandTest, ModelsAreWrittenWhole) {
  const std::string model = TestData("models/llm/plain.onnx");
  const std::string saved = folder_ + "/llm/";
  ASSERT_EQ(Onnxcmp({"run", model, "--save", saved}).status, 0);
  EXPECT_EQ(Onnxcmp({"test", saved}).status, 0);
}

}  // namespace
}  // namespace onnxcmp
