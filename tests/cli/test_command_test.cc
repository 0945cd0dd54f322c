// Folders of tests: made by run --save, run by test.
#include <filesystem>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "evaluator/protos/tensor_proto.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class TestCommandTest : public testing::ModelFolderTest {
 protected:
  void SetUp() override {
    const std::string model = Model("m", "(float[4] x) => (float[4] y) { y = Neg(x) }");
    ASSERT_EQ(Onnxcmp({"run", model, "--ramp", "--save", folder_ + "/tests/neg/"}).status, 0);
    ASSERT_EQ(Onnxcmp({"run", model, "--seed", "1", "--save", folder_ + "/tests/random/"}).status,
              0);
  }
  // Makes the expectation of `test` wrong.
  void Expect(const std::string& test, const Tensor& value) {
    ASSERT_TRUE(
        WriteValueFile(folder_ + "/tests/" + test + "/test_data_set_0/output_0.pb", value, "y")
            .ok());
  }
};

TEST_F(TestCommandTest, RunsAFolderOrAFolderOfFolders) {
  Outcome outcome = Onnxcmp({"test", folder_ + "/tests"});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(outcome.out, "2 passed, 0 failed\n");
  outcome = Onnxcmp({"test", folder_ + "/tests/neg", folder_ + "/tests"});
  EXPECT_EQ(outcome.out, "2 passed, 0 failed\n");
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
                    HasSubstr("\n1 passed, 1 failed\n")));
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

TEST_F(TestCommandTest, NarrowFloatsMayBeTwoUnitsOff) {
  for (const auto& [type, dtype, unit] : {std::tuple("float16", DType::kFloat16, 0x1p-10f),
                                          std::tuple("bfloat16", DType::kBfloat16, 0x1p-7f)}) {
    const std::string text = absl::StrCat("(", type, "[4] x) => (", type, "[4] y) { y = Neg(x) }");
    const std::string test = folder_ + "/tests/" + type;
    ASSERT_EQ(Onnxcmp({"run", Model(type, text), "--ramp", "--save", test + "/"}).status, 0);
    Expect(type, testing::Convert(testing::Floats({0, -0.25f, -0.5f, -0.75f - unit}), dtype));
    EXPECT_EQ(Onnxcmp({"test", test}).status, 0) << type;
    Expect(type, testing::Convert(testing::Floats({0, -0.25f, -0.5f, -0.75f - 3 * unit}), dtype));
    EXPECT_EQ(Onnxcmp({"test", test}).status, 1) << type;
  }
}

TEST_F(TestCommandTest, TypesAndShapesAreExact) {
  Expect("neg", Tensor::Of<double>({4}, {0, -0.25, -0.5, -0.75}));
  Expect("random", Tensor::Of<float>({2, 2}, {0, 0, 0, 0}));
  const Outcome outcome = Onnxcmp({"test", folder_ + "/tests", "--atol", "100"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("\n0 passed, 2 failed\n"));
}

// Another tool draws other numbers, whatever the seed.
TEST_F(TestCommandTest, OfRandomOutputsTypeAndShapeAreCompared) {
  const std::string model = Model("drawn",
                                  "(float[4] x) => (float[4] y, float[4] z) {"
                                  " r = RandomNormalLike <seed = 3.0> (x)"
                                  " y = Add (r, x) z = Neg (x) }");
  const std::string test = folder_ + "/tests/drawn/";
  ASSERT_EQ(Onnxcmp({"run", model, "--save", test}).status, 0);
  Outcome outcome = Onnxcmp({"test", test});
  EXPECT_EQ(outcome.out, "passed  " + test +
                             "\noutput y is drawn at random: only its type and shape were compared"
                             "\n1 passed, 0 failed\n");
  Expect("drawn", Tensor::Of<float>({4}, {9, 9, 9, 9}));
  outcome = Onnxcmp({"test", test, "-q"});
  EXPECT_EQ(outcome.out, "1 passed, 0 failed\n");
  Expect("drawn", Tensor::Of<float>({2, 2}, {9, 9, 9, 9}));
  EXPECT_EQ(Onnxcmp({"test", test}).status, 1);
}

// Where the exact value is 0, the expected one is the noise of whoever computed it.
TEST_F(TestCommandTest, TransformsMayBeOffByARoundingOfTheGreatestElement) {
  const std::string model = Model("dft", "(float[1,4,1] x) => (float[1,4,2] y) { y = DFT (x) }");
  const std::string test = folder_ + "/tests/dft/";
  ASSERT_EQ(Onnxcmp({"run", model, "--save", test}).status, 0);
  ASSERT_TRUE(WriteValueFile(test + "test_data_set_0/input_0.pb",
                             Tensor::Of<float>({1, 4, 1}, {4, 4, 4, 4}), "x")
                  .ok());
  // 16 times the last place of a float, 1.2e-7.
  Expect("dft", Tensor::Of<float>({1, 4, 2}, {16, 0, 1.8e-6f, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Onnxcmp({"test", test}).status, 0);
  Expect("dft", Tensor::Of<float>({1, 4, 2}, {16, 0, 2.2e-6f, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Onnxcmp({"test", test}).status, 1);
}

TEST_F(TestCommandTest, InputsWithInitializersMayComeBeforeOthers) {
  const std::string model = Model("default",
                                  "(float[2] w = {1, 2}, float[2] x) => (float[2] y) "
                                  "{ y = Sub (x, w) }");
  const std::string test = folder_ + "/tests/default/";
  ASSERT_EQ(Onnxcmp({"run", model, "--save", test}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(test + "test_data_set_0/input_1.pb"));
  EXPECT_EQ(Onnxcmp({"test", test}).status, 0);
  ASSERT_TRUE(
      WriteValueFile(test + "test_data_set_0/input_0.pb", Tensor::Of<float>({2}, {5, 5}), "x")
          .ok());
  Expect("default", Tensor::Of<float>({2}, {4, 3}));
  EXPECT_EQ(Onnxcmp({"test", test}).status, 0);
}

// Data that cannot be used are no reason to pass.
TEST_F(TestCommandTest, WithoutDataItFails) {
  std::filesystem::remove_all(folder_ + "/tests/neg/test_data_set_0");
  Outcome outcome = Onnxcmp({"test", folder_ + "/tests"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("there are no test data"), HasSubstr("\n1 passed, 1 failed\n")));
  std::filesystem::remove(folder_ + "/tests/random/model.onnx");
  outcome = Onnxcmp({"test", folder_ + "/tests/random"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("there is no model.onnx"));
  std::filesystem::create_directory(folder_ + "/empty");
  EXPECT_EQ(Onnxcmp({"test", folder_ + "/empty"}).status, 2);
}

TEST_F(TestCommandTest, EverySetIsRun) {
  const std::string test = folder_ + "/tests/neg";
  std::filesystem::copy(test + "/test_data_set_0", test + "/test_data_set_7");
  EXPECT_EQ(Onnxcmp({"test", test}).status, 0);
  // The first fails, another lacks its output: both are said.
  Expect("neg", Tensor::Of<float>({4}, {9, 9, 9, 9}));
  std::filesystem::remove(test + "/test_data_set_7/output_0.pb");
  const Outcome outcome = Onnxcmp({"test", test});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("test_data_set_0, output y: "),
                                 HasSubstr("test_data_set_7, it has 0 of 1 outputs")));
}

TEST_F(TestCommandTest, SurplusFilesFail) {
  const std::string data = folder_ + "/tests/neg/test_data_set_0";
  std::filesystem::copy(data + "/output_0.pb", data + "/output_1.pb");
  EXPECT_THAT(Onnxcmp({"test", folder_ + "/tests"}).out,
              HasSubstr("output_1.pb: the model has only 1 of them"));
  std::filesystem::rename(data + "/output_1.pb", data + "/output_2.pb");
  EXPECT_EQ(Onnxcmp({"test", folder_ + "/tests"}).status, 1);
  std::filesystem::remove(data + "/output_2.pb");
  std::filesystem::copy(data + "/input_0.pb", data + "/input_1.pb");
  EXPECT_EQ(Onnxcmp({"test", folder_ + "/tests"}).status, 1);
  std::filesystem::remove(data + "/input_1.pb");
  EXPECT_EQ(Onnxcmp({"test", folder_ + "/tests"}).status, 0);
}

TEST_F(TestCommandTest, IntegersAreExactUnlessTheTestSaysOtherwise) {
  const std::string test = folder_ + "/tests/ids/";
  ASSERT_EQ(
      Onnxcmp({"run", Model("ids", "(int64[1] x) => (int64[1] y) { y = Neg(x) }"), "--save", test})
          .status,
      0);
  const auto both = [&](int64_t x, int64_t y) {
    ASSERT_TRUE(
        WriteValueFile(test + "test_data_set_0/input_0.pb", Tensor::Of<int64_t>({1}, {x}), "x")
            .ok());
    Expect("ids", Tensor::Of<int64_t>({1}, {y}));
  };
  both(50000, -50000);
  EXPECT_EQ(Onnxcmp({"test", test}).status, 0);
  both(50000, -50049);
  EXPECT_EQ(Onnxcmp({"test", test}).status, 1);
  EXPECT_EQ(Onnxcmp({"test", test, "--rtol", "0.1"}).status, 1);
  testing::WriteFile(folder_ + "/tests/tolerances.json", R"({"ids": {"atol": 49}})");
  EXPECT_EQ(Onnxcmp({"test", test}).status, 0);
}

// ONNX's absolute tolerance would let all of them be 0.
TEST_F(TestCommandTest, SmallNumbersAreComparedToo) {
  const std::string test = folder_ + "/tests/neg";
  ASSERT_TRUE(WriteValueFile(test + "/test_data_set_0/input_0.pb",
                             Tensor::Of<float>({4}, {1e-8f, 2e-8f, -3e-8f, 4e-8f}), "x")
                  .ok());
  Expect("neg", Tensor::Of<float>({4}, {-1e-8f, -2e-8f, 3e-8f, -4e-8f}));
  EXPECT_EQ(Onnxcmp({"test", test}).status, 0);
  Expect("neg", Tensor::Of<float>({4}, {-1e-8f, 2e-8f, 3e-8f, -4e-8f}));
  EXPECT_EQ(Onnxcmp({"test", test}).status, 1);
}

// The kernel is one step, the body several.
TEST_F(TestCommandTest, RunsOperatorsThroughTheirBodies) {
  const std::string model = Model("mvn",
                                  "(float[2,1,1,1] x) => (float[2,1,1,1] y) "
                                  "{ y = MeanVarianceNormalization <axes = [0]> (x) }");
  const std::string test = folder_ + "/tests/mvn/";
  ASSERT_EQ(Onnxcmp({"run", model, "--save", test}).status, 0);
  EXPECT_EQ(Onnxcmp({"test", "--expand-functions", test}).status, 0);
  EXPECT_EQ(Onnxcmp({"test", "--max-steps", "1", test}).status, 0);
  const Outcome outcome = Onnxcmp({"test", "--expand-functions", "--max-steps", "1", test});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("the run comes to more than 1 steps, which is the limit"));
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
