// Models that ask for more memory than they may have: the program ends by itself, and the process
// stays near the limit.
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/models.h"
#include "tests/cli/program.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

constexpr char kLoop[] =
    "c = Constant<value = bool {1}>() v = Loop(, c, x) <body = b (int64 i, bool k, ";

// The account's words, and the program's.
constexpr char kRun[] = "the run would hold more than 67108864";
constexpr char kProgram[] = "the program holds more than --max-memory allows";

// A model's graph, how it ends in `run`.
struct Hostile {
  const char* name;
  std::string graph;
  const char* error;
};

std::vector<Hostile> HostileModels() {
  return {
      {"constant",
       "() => (float[n] y) { s = Constant<value = int64[1] {200000000}>() y = ConstantOfShape(s) }",
       kRun},
      {"input", "(float[100000000] x) => (float[100000000] y) { y = Relu(x) }", kRun},
      {"ids", "(float[9] x, int64[12000000] i) => (float[n] y) { y = Gather(x, i) }", kRun},
      {"text",
       "(string[1] x) => (string[n] y) { s = Constant<value = int64[1] {8000000}>() "
       "y = Tile(x, s) }",
       kRun},
      {"loop",
       "(float[1000] x) => (float[n] v) { " + std::string(kLoop) +
           "float[p] a) => (bool k2, float[q] a2) "
           "{ k2 = Identity(k) a2 = Concat<axis=0>(a, a) }> }",
       kRun},
      {"sequence", "(float[9000000] x) => (seq(float) y) { y = SplitToSequence<keepdims=0>(x) }",
       kProgram},
  };
}

class HostileModelsTest : public testing::ModelFolderTest {
 protected:
  static void ExpectBounded(const Outcome& outcome) {
    EXPECT_THAT(outcome.status, AllOf(Ge(0), Le(2))) << outcome.err;
#ifndef __SANITIZE_ADDRESS__
    EXPECT_LE(outcome.peak, int64_t{364} << 20);
#endif
  }
};

TEST_F(HostileModelsTest, EndWithinTheLimit) {
  for (const Hostile& hostile : HostileModels()) {
    SCOPED_TRACE(hostile.name);
    const std::string model = Model(hostile.name, hostile.graph);
    const Outcome ran = Onnxcmp({"run", model, "--max-memory", "64M", "--max-steps", "100000"});
    ExpectBounded(ran);
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.err, HasSubstr(hostile.error));
  }
}

// The values of both sides and of the search for causes share the limit.
TEST_F(HostileModelsTest, CompareWithinTheLimit) {
  const auto endless = [&](const std::string& name, const std::string& op_type) {
    return Model(name, "(float[1000] x) => (float[1000] v) { " + std::string(kLoop) +
                           "float[1000] a) => (bool k2, float[1000] a2) { k2 = Identity(k) a2 = " +
                           op_type + "(a) }> }");
  };
  const Outcome outcome = Onnxcmp(
      {endless("l", "Sin"), endless("r", "Cos"), "--max-memory", "64M", "--max-steps", "20000"});
  ExpectBounded(outcome);
  EXPECT_EQ(outcome.status, 2);
}

// Nodes of few megabytes may compute for hours. The message names the node and the side.
TEST_F(HostileModelsTest, EndWithinTheTime) {
  const std::string window =
      "(float[1] x) => (float[1,1,a,b] y) { t = Constant<value = int64[4] {1,1,2000,2000}>() "
      "i = Expand(x, t) s = Constant<value = int64[4] {1,1,1000,1000}>() w = ConstantOfShape(s) y "
      "= ";
  const std::string left = Model("l", window + "Conv(i, w) }");
  const std::string right = Model("r", window + "Identity(i) }");
  for (const std::vector<std::string>& line : {std::vector<std::string>{left, right},
                                               {right, left},
                                               {"run", left},
                                               {"show", left, "--run"}}) {
    std::vector<std::string> limited = line;
    limited.insert(limited.end(), {"--max-time", "3s", "--threads", "1"});
    const Outcome outcome = Onnxcmp(limited);
    ExpectBounded(outcome);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("takes longer than --max-time allows, 3s"));
    if (line[0] == "show") continue;
    EXPECT_THAT(outcome.err, HasSubstr("Conv"));
    if (line[0] == "run") continue;
    EXPECT_THAT(outcome.err, HasSubstr("while left and right: "));
  }
}

// A proof lays the windows out, which takes more than the pool.
TEST_F(HostileModelsTest, ProveWithinTheLimit) {
  const auto pool = [&](const std::string& name, const std::string& op_type) {
    return Model(name,
                 "(float[1,1,700,700] x) => (float[1,1,401,401] y) "
                 "{ a = " +
                     op_type + "(x) y = AveragePool<kernel_shape=[300,300]>(a) }");
  };
  const Outcome outcome =
      Onnxcmp({pool("l", "Neg"), pool("r", "Abs"), "--prove", "--max-memory", "64M"});
  ExpectBounded(outcome);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("not proved: 0 of 1 output"));
}

// Shapes are inferred without a limit, so that they must not need it.
TEST_F(HostileModelsTest, ShowInfersNoLongVectors) {
  const std::string model =
      Model("m",
            "(float[1] x) => (float[n] y) { s = Constant<value = int64[1] {20000000}>() "
            "a = ConstantOfShape(s) y = Add(a, x) }");
  const Outcome outcome = Onnxcmp({"show", model});
  ExpectBounded(outcome);
  EXPECT_THAT(outcome.out, HasSubstr("20000000"));
}

}  // namespace
}  // namespace onnxcmp
