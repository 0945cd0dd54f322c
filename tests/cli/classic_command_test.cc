// The classic table: exit status, verdict, inputs, failures on the way.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/models.h"
#include "tests/cli/program.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Lines;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

Outcome Classic(std::vector<std::string> arguments) {
  arguments.push_back("--classic");
  return Onnxcmp(arguments);
}

class ClassicCommandTest : public testing::ModelFolderTest {};

TEST_F(ClassicCommandTest, OutputsThatAgree) {
  const std::string left = Model("l", "(float[2] x) => (float[2] y) { y = Add(x, x) }");
  const std::string right =
      Model("r", "(float[2] x) => (float[2] y) <float two = {2}> { y = Mul(x, two) }");
  const Outcome outcome = Classic({left, right});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "y float[2]: equal\noutputs agree: all elements are equal\n");
  EXPECT_THAT(outcome.out, StartsWith("001 ~ | INPUT  float32  1:2 "));
  const Outcome quiet = Classic({left, right, "--quiet"});
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.out, outcome.out);
  EXPECT_EQ(quiet.err, "");
}

// The inputs are 0, 1/2; the sums 0, 1 and the scaled ones 0, 1.0625.
TEST_F(ClassicCommandTest, OutputsThatDiffer) {
  const std::string left = Model("l", "(float[2] x) => (float[2] y) { y = Add(x, x) }");
  const std::string right =
      Model("r", "(float[2] x) => (float[2] y) <float f = {2.125}> { y = Mul(x, f) }");
  const Outcome outcome = Classic({left, right});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err,
            "y float[2]: 1 of 2 elements beyond 0.0001 + 0.0001*max(|a|,|b|)\n"
            "  max abs 0.062 at [1] (1 | 1.0625), max rel 0.059 at [1]\n"
            "outputs differ: 1 of 1\n");
  EXPECT_EQ(Classic({left, right, "--atol", "0.1"}).status, 0);
  EXPECT_EQ(Classic({left, right, "--rtol", "0.1"}).status, 0);
}

TEST_F(ClassicCommandTest, OutputsArePairedByNameThenByPosition) {
  const std::string left =
      Model("l", "(float[2] x) => (float[2] a, float[2] b) { a = Neg(x) b = Abs(x) }");
  const std::string swapped =
      Model("s", "(float[2] x) => (float[2] b, float[2] a) { a = Neg(x) b = Abs(x) }");
  const std::string renamed =
      Model("n", "(float[2] x) => (float[2] c, float[2] b) { c = Neg(x) b = Abs(x) }");
  const std::string fewer = Model("f", "(float[2] x) => (float[2] b) { b = Abs(x) }");
  EXPECT_EQ(Classic({left, swapped}).status, 0);
  EXPECT_EQ(Classic({left, renamed}).status, 0);
  const Outcome outcome = Classic({left, fewer});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("outputs differ: only left: a"));
}

TEST_F(ClassicCommandTest, MadeUpInputsGoByPosition) {
  const std::string left = Model("l", "(float[n] x, int64[2] i) => (float[n] y) { y = Abs(x) }");
  const std::string right = Model("r", "(float[m] u, int64[2] i) => (float[m] y) { y = Abs(u) }");
  Outcome outcome = Classic({left, right, "--dim", "n=3"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("right: inputs matched by position: x to u\n"));
  EXPECT_THAT(outcome.out, HasSubstr(" 1:3 "));
  EXPECT_THAT(Classic({left, right, "-q"}).err, "");

  const std::string other = Model("o", "(int64[2] u) => (int64[2] y) { y = Abs(u) }");
  outcome = Classic({left, other});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "onnxcmp: right: no value for input u; the model takes: u int64[2]; the left model "
            "has: x float[1], i int64[2]\n");
}

TEST_F(ClassicCommandTest, SeedsAndThreads) {
  const std::string model = Model("m", "(float[64] x) => (float[64] y) { y = Abs(x) }");
  const auto table = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {model, model};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return Classic(arguments).out;
  };
  EXPECT_EQ(table({"--seed", "1"}), table({"--seed", "1", "--threads", "1"}));
  EXPECT_NE(table({"--seed", "1"}), table({"--seed", "2"}));
  EXPECT_NE(table({"--seed", "1"}), table({}));
}

TEST_F(ClassicCommandTest, InputsOfEachSide) {
  const std::string model =
      Model("m", "(float[2,3] float32) => (float[2,3] y) { y = Abs(float32) }");
  const std::string npz = TestData("npz/kinds.npz");
  EXPECT_EQ(Classic({model, model, "--inputs", npz}).status, 0);
  EXPECT_EQ(Classic({model, model, "--left-inputs", npz, "--right-inputs", npz}).status, 0);
  const Outcome outcome = Classic({model, model, "--left-inputs", npz});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("right: no value for input float32"));
  EXPECT_THAT(outcome.err, HasSubstr("--right-inputs"));
}

// Reshape to a shape that is read from the input fails on the way.
TEST_F(ClassicCommandTest, AFailureOnTheWayShowsTheRowsBeforeIt) {
  const std::string left = Model(
      "l", "(float[6] x) => (float[a] z) <int64[2] s = {2, 3}> { y = Neg(x) z = Reshape(y, s) }");
  const std::string right = Model(
      "r", "(float[6] x) => (float[a] z) <int64[2] s = {2, 4}> { y = Neg(x) z = Reshape(y, s) }");
  const Outcome outcome = Classic({left, right});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(Lines(outcome.err), SizeIs(1));
  EXPECT_THAT(outcome.err, StartsWith("onnxcmp: right: "));
  EXPECT_THAT(outcome.err, HasSubstr("Reshape"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("outputs")));
  // s, x, y are pairs; then the left side goes on alone.
  const std::vector<std::string> rows = Lines(outcome.out);
  ASSERT_THAT(rows, SizeIs(5));
  EXPECT_THAT(rows[2], StartsWith("003 = | RESULT float32  1:6 "));
  EXPECT_THAT(rows[3], StartsWith("004 - | RESULT float32  2:2x3 "));
  EXPECT_THAT(rows[4], StartsWith("005 - | OUTPUT float32  2:2x3 "));
}

TEST_F(ClassicCommandTest, NodesModeNeedsNoKernelsAndNoInputs) {
  const std::string left = Model("l", "(float[n] x) => (float[n] y) { y = Neg(x) }");
  const std::string right = Model("r", "(float[n] x) => (float[n] y) { y = Abs(x) }");
  EXPECT_EQ(Classic({left, left, "--mode", "nodes"}).status, 0);
  const Outcome outcome = Classic({left, right, "--mode", "nodes"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(Lines(outcome.out), SizeIs(4));
  EXPECT_THAT(Lines(outcome.out)[0], StartsWith("001 = | INPUT  float32  1:n "));
  EXPECT_THAT(Lines(outcome.out)[1], StartsWith("002 ~ | NODE "));
}

// The model and its data are links that lie beside each other, and so do the files.
TEST_F(ClassicCommandTest, NodesModeReadsDataOfModelHubsCaches) {
  std::filesystem::create_directory(folder_ + "/blobs");
  std::filesystem::create_directory(folder_ + "/snapshot");
  const std::string model = folder_ + "/snapshot/m.onnxtxt";
  const std::string data = folder_ + "/snapshot/w";
  std::filesystem::create_symlink(
      Model("blobs/m",
            "(float[4] x) => (float[4] y) <float[4] w = [\"location\": \"w\"]> { y = Add(x, w) }"),
      model);
  std::filesystem::create_symlink(testing::WriteFile(folder_ + "/blobs/w", std::string(16, '\1')),
                                  data);
  EXPECT_EQ(Classic({model, model, "--mode", "nodes"}).status, 0);
  std::filesystem::remove(data);
  std::filesystem::create_symlink(testing::WriteFile(folder_ + "/other", std::string(16, '\1')),
                                  data);
  const Outcome refused = Classic({model, model, "--mode", "nodes"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("is a link out of the model's folder"));
}

TEST_F(ClassicCommandTest, FunctionsInlinedOrKept) {
  const std::string function = R"(
      <domain: "local", opset_import: ["" : 18]>
      Twice (x) => (y) { z = Neg(x) y = Sub(x, z) })";
  const std::string left =
      Model("l", "(float[2] x) => (float[2] y) { y = local.Twice(x) }", function);
  const std::string right = Model("r", "(float[2] x) => (float[2] y) { y = Add(x, x) }");
  const Outcome inlined = Classic({left, right});
  EXPECT_EQ(inlined.status, 0) << inlined.err;
  EXPECT_THAT(inlined.out, HasSubstr(" Neg "));
  const Outcome kept = Classic({left, right, "--functions", "keep"});
  EXPECT_EQ(kept.status, 0) << kept.err;
  EXPECT_THAT(kept.out, HasSubstr(" Twice "));
  EXPECT_THAT(kept.out, Not(HasSubstr(" Neg ")));
}

}  // namespace
}  // namespace onnxcmp
