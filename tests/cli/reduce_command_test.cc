// onnxcmp reduce: the smallest model on which a command still fails.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Lines;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::OnnxcmpInterrupted;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::ReadFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kReduced[] = R"((float[n, 4] x) => (float[n, 4] y, float[n, 4] z)
    <float[4] scale = {1.1, 0.9, 1.2, 0.8}> {
      a = Tanh(x)
      b = Mul(a, scale)
      c = Softmax<axis = 0>(b)
      d = Sigmoid(c)
      e = Softplus(d)
      y = Add(e, a)
      z = Exp(x)
    })";

class ReduceCommandTest : public testing::ModelFolderTest {
 protected:
  void SetUp() override {
    ModelFolderTest::SetUp();
    model_ = Model("m", kReduced);
    small_ = folder_ + "/small";
  }
  // The command fails where the model's bytes have all of these words.
  Outcome Reduce(const std::string& check, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"reduce", model_, "--check", check, "-o", small_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Onnxcmp(arguments);
  }
  std::string Text() const { return Onnxcmp({"show", small_ + "/model.onnx"}).out; }
  std::string model_, small_;
};

TEST_F(ReduceCommandTest, OneNode) {
  const Outcome outcome = Reduce("! grep -q Sigmoid {model}");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("7 -> 1 node: exit status 1"), HasSubstr("Sigmoid")));
  EXPECT_THAT(Text(), AllOf(HasSubstr("Sigmoid"), Not(HasSubstr("Softplus"))));
  EXPECT_THAT(Onnxcmp({"test", small_}).out, HasSubstr("1 passed"));
  EXPECT_THAT(ReadFile(small_ + "/report.md"),
              AllOf(HasSubstr("exit status 1 on 1 node"), HasSubstr("grep -q Sigmoid"),
                    HasSubstr("7 nodes")));
  EXPECT_EQ(testing::Shell(small_ + "/check.sh").status, 1);
}

TEST_F(ReduceCommandTest, TwoNodesThatAreApart) {
  const Outcome outcome = Reduce("! (grep -q Tanh {model} && grep -q Softplus {model})");
  EXPECT_THAT(outcome.out, HasSubstr("7 -> 2 nodes"));
  EXPECT_THAT(Text(), AllOf(HasSubstr("Tanh"), HasSubstr("Softplus"), Not(HasSubstr("Softmax"))));
  EXPECT_THAT(Onnxcmp({"test", small_}).out, HasSubstr("1 passed"));
}

TEST_F(ReduceCommandTest, SignalsHangsAndLinesAreKept) {
  EXPECT_THAT(
      Reduce("if grep -q Softmax {model}; then kill -SEGV $$; fi; ! grep -q Exp {model}").out,
      AllOf(HasSubstr("1 node: signal 11"), HasSubstr("Softmax")));
  std::filesystem::remove_all(small_);
  EXPECT_THAT(Reduce("if grep -q Softmax {model}; then sleep 60; fi", {"--timeout", "1s"}).out,
              AllOf(HasSubstr("1 node: no end within 1s"), HasSubstr("Softmax")));
  std::filesystem::remove_all(small_);
  // Both fail with the same exit status.
  EXPECT_THAT(Reduce("if grep -q Softmax {model}; then echo wrong 12; fi; "
                     "! grep -q -e Softmax -e Exp {model}",
                     {"--match", "wrong [0-9]+"})
                  .out,
              AllOf(HasSubstr("1 node"), HasSubstr("Softmax")));
}

TEST_F(ReduceCommandTest, AttributesAndSizesBecomeSimple) {
  ASSERT_EQ(Reduce("! grep -q Softmax {model}").status, 0);
  EXPECT_THAT(Text(), Not(HasSubstr("axis")));
  std::filesystem::remove_all(small_);
  ASSERT_EQ(Reduce("! grep -q axis {model}").status, 0);
  EXPECT_THAT(Text(), HasSubstr("axis=0"));
  EXPECT_THAT(ReadFile(small_ + "/report.md"), HasSubstr("float[1,1]"));
}

TEST_F(ReduceCommandTest, NodesInsideOfOthers) {
  model_ = Model("s", R"((float[2] x) => (float[2] y) {
      a = Neg(x)
      s = ReduceSum<keepdims = 0>(a)
      t = Less(s, s)
      b = local.f(a)
      y = If(t) <then_branch = g1 () => (u) { u = Exp(b) },
                 else_branch = g2 () => (v) { w = Abs(b) v = Softplus(w) }>
    })",
                 R"(<domain: "local", opset_import: ["" : 18]> f (u) => (v) {
                     w = Mish(u)
                     v = Abs(w) })");
  EXPECT_THAT(Reduce("! grep -q Softplus {model}").out,
              AllOf(HasSubstr("5 -> 1 node:"), HasSubstr("  Softplus")));
  std::filesystem::remove_all(small_);
  EXPECT_THAT(Reduce("! grep -q Mish {model}").out,
              AllOf(HasSubstr("5 -> 1 node:"), HasSubstr("  Mish")));
}

TEST_F(ReduceCommandTest, ValuesAreThoseOfTheWhole) {
  // Only the whole model's y is fed to Log.
  model_ = Model("v", R"((float[4] x) => (float[4] z) {
      a = Exp(x)
      b = Neg(a)
      c = Abs(b)
      z = Log(c)
    })");
  const Outcome outcome = Reduce(
      "! grep -q Log {model} || ! $ONNXCMP run {model} --inputs {inputs} --save {folder}/o.npz");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the model does not fail: exit status 0"));
}

TEST_F(ReduceCommandTest, ACommandThatAlwaysFailsIsSaid) {
  EXPECT_THAT(Reduce("cat {model} > /dev/null; exit 4").out,
              HasSubstr("none of the model's nodes is needed"));
}

TEST_F(ReduceCommandTest, ItGoesOnFromWhereItWas) {
  const std::string count = folder_ + "/count";
  const std::string check = "echo x >> " + count + "; ! grep -q Sigmoid {model}";
  ASSERT_EQ(Reduce(check).status, 0);
  const size_t first = Lines(ReadFile(count)).size();
  const std::string model = ReadFile(small_ + "/model.onnx");
  const Outcome again = Reduce(check);
  EXPECT_THAT(again.out, HasSubstr("known from before"));
  // The whole model is tried once more, and the result.
  EXPECT_EQ(Lines(ReadFile(count)).size(), first + 2);
  EXPECT_EQ(ReadFile(small_ + "/model.onnx"), model);
}

// Parts of another model failed in another way than that one.
TEST_F(ReduceCommandTest, AnswersToAnotherFailureAreNone) {
  const std::string check =
      "if grep -q Exp {model}; then exit 3; fi; if grep -q Sigmoid {model}; then exit 1; fi";
  EXPECT_THAT(Reduce(check).out, HasSubstr("7 -> 1 node: exit status 3"));
  model_ = Model("n", absl::StrReplaceAll(kReduced, {{"z = Exp(x)", "z = Neg(x)"}}));
  const Outcome other = Reduce(check);
  EXPECT_THAT(other.out, AllOf(HasSubstr("7 -> 1 node: exit status 1"), HasSubstr("Sigmoid"),
                               Not(HasSubstr("known from before"))));
}

TEST_F(ReduceCommandTest, ChanceIsSaid) {
  // Fails five times.
  const std::string check = "echo x >> " + folder_ +
                            "/count; grep -q Identity {model} && exit 0; " + "test $(wc -l < " +
                            folder_ + "/count) -gt 6";
  EXPECT_THAT(Reduce(check).out, HasSubstr("a matter of chance"));
}

TEST_F(ReduceCommandTest, JobsChangeNothing) {
  ASSERT_EQ(Reduce("! grep -q Softplus {model}").status, 0);
  const std::string model = ReadFile(small_ + "/model.onnx");
  std::filesystem::remove_all(small_);
  ASSERT_EQ(Reduce("! grep -q Softplus {model}", {"--jobs", "4"}).status, 0);
  EXPECT_EQ(ReadFile(small_ + "/model.onnx"), model);
}

TEST_F(ReduceCommandTest, InterruptedItLeavesTheBestSoFar) {
  // It hangs after a few that failed.
  const std::string check = "grep -q Sigmoid {model} || exit 0; echo x >> " + folder_ +
                            "/count; test $(wc -l < " + folder_ +
                            "/count) -lt 4 || sleep 60; exit 1";
  const Outcome outcome =
      OnnxcmpInterrupted({"reduce", model_, "--check", check, "-o", small_}, SIGINT, 6000);
  EXPECT_EQ(outcome.status, -SIGINT);
  EXPECT_THAT(outcome.err, HasSubstr("the best so far"));
  EXPECT_THAT(Onnxcmp({"test", small_}).out, HasSubstr("1 passed"));
}

TEST_F(ReduceCommandTest, ABodyOfAScanIsCutToo) {
  model_ = Model("s", R"((float[3, 2] x, float[2] i) => (float[2] y) {
      a = Sin(x)
      y, z = Scan<num_scan_inputs = 1, body = g (float[2] s, float[2] e) => (float[2] t, float[2] u) {
        p = Tanh(s)
        q = Softplus(p)
        t = Add(q, e)
        u = Neg(t)
      }>(i, a)
    })");
  EXPECT_THAT(Reduce("! grep -q Softplus {model}").out,
              AllOf(HasSubstr("2 -> 1 node:"), HasSubstr("  Softplus")));
  std::filesystem::remove_all(small_);
  // The loop is needed as such; of its body what the failure needs.
  ASSERT_EQ(Reduce("! { grep -q Softplus {model} && grep -q Scan {model}; }").status, 0);
  EXPECT_THAT(Text(), AllOf(HasSubstr("Scan"), HasSubstr("Softplus"), Not(HasSubstr("Tanh"))));
}

class ReduceAgainstTest : public testing::ModelFolderTest {
 protected:
  void SetUp() override {
    if (testing::Shell("command -v python3").status != 0) GTEST_SKIP() << "there is no python3";
  }
  Outcome Reduce(const std::string& options) const {
    const std::string model = Model("m",
                                    "(float[2,3] x, float[2,3] w) => (float[2,3] y) { a = Neg(x) "
                                    "b = Mul(a, w) c = Add(b, x) d = Relu(c) e = Mul(d, w) "
                                    "f = Neg(e) g = Add(f, w) h = Mul(g, g) y = Neg(h) }");
    return testing::Shell(absl::StrCat("unset ONNXCMP_PYTHON; $ONNXCMP reduce ", model,
                                       " --against ", SourceFile("tests/support/runtimes/fake.py"),
                                       ":", options, " --quiet -o ", folder_, "/small"));
  }
};

TEST_F(ReduceAgainstTest, ACrash) {
  EXPECT_THAT(Reduce("do=die,operator=Relu").out,
              AllOf(HasSubstr("9 -> 1 node: "), HasSubstr("signal 11"), HasSubstr("  Relu d")));
  EXPECT_THAT(ReadFile(folder_ + "/small/report.md"), HasSubstr("signal 11"));
}

TEST_F(ReduceAgainstTest, ARefusal) {
  EXPECT_THAT(Reduce("do=refuse,operator=Relu").out,
              AllOf(HasSubstr("9 -> 1 node: "), HasSubstr("refused"), HasSubstr("  Relu d")));
}

// The product alone is 1 % too large, and the difference of two products has no right digit: a
// smaller model has to differ by as much.
TEST_F(ReduceAgainstTest, TheDifferenceKeepsItsSize) {
  const std::string model = Model("m",
                                  "(float[2,3] x, float[2,3] w) => (float[2,3] y) { n = Relu(w) "
                                  "a = Mul(x, n) b = Mul(n, x) d = Neg(b) c = Add(a, d) "
                                  "y = Neg(c) }");
  const Outcome outcome =
      testing::Shell(absl::StrCat("unset ONNXCMP_PYTHON; $ONNXCMP reduce ", model, " --against ",
                                  SourceFile("tests/support/runtimes/fake.py"),
                                  ":do=scale,result=a --quiet -o ", folder_, "/small"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("6 -> 2 nodes: "), HasSubstr("  Mul a\n  Add c\n")))
      << outcome.err;
}

// What it wrote for a model that it refused is not taken for the words of a crash.
TEST_F(ReduceAgainstTest, ACrashIsTheSameWhateverWasWrittenBefore) {
  EXPECT_THAT(Reduce("do=die,operator=Add").out,
              AllOf(HasSubstr("9 -> 1 node: "), HasSubstr("  Add")));
}

TEST_F(ReduceAgainstTest, ARuntimeThatAgreesIsNone) {
  const Outcome outcome = Reduce("optimization=all");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("its outputs agree with ours"));
}

class ReducePairTest : public testing::ModelFolderTest {
 protected:
  Outcome Reduce(const std::string& left, const std::string& right,
                 const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"reduce", left, right, "-o", folder_ + "/small"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Onnxcmp(arguments);
  }
};

// The pair of a fused operator is its last result.
TEST_F(ReducePairTest, AFusedOperatorIsCutAtItsEnds) {
  const std::string left = Model("left", R"((float[n, 8] x) => (float[n, 8] y) {
      a = Tanh(x)
      two = Constant<value = float {1.41421356}>()
      one = Constant<value = float {1.0}>()
      half = Constant<value = float {0.45}>()
      b = Div(a, two)
      c = Erf(b)
      d = Add(c, one)
      e = Mul(a, d)
      f = Mul(e, half)
      y = Exp(f)
    })");
  const std::string right =
      testing::WriteFile(folder_ + "/right.onnxtxt", R"(<ir_version: 10, opset_import: ["" : 20]> g
      (float[n, 8] x) => (float[n, 8] y) {
      a = Tanh(x)
      f = Gelu(a)
      y = Exp(f)
    })");
  const Outcome outcome = Reduce(left, right);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("10 | 3 -> 5 | 1 nodes"));
  EXPECT_EQ(Onnxcmp({folder_ + "/small/left.onnx", folder_ + "/small/right.onnx"}).status, 1);
}

TEST_F(ReducePairTest, OutputsOfOtherShapes) {
  const std::string left = Model("left", R"((float[2, 4] x) => (float[m, n] y) {
      a = Tanh(x)
      y = Transpose(a) })");
  const std::string right = Model("right", R"((float[2, 4] x) => (float[m, n] y) {
      a = Tanh(x)
      y = Neg(a) })");
  EXPECT_THAT(Reduce(left, right).out, HasSubstr("2 | 2 -> 1 | 1 nodes"));
}

TEST_F(ReducePairTest, WhatAgreesIsSaid) {
  const std::string left = Model("left", "(float[4] x) => (float[4] y) { y = Tanh(x) }");
  const Outcome outcome = Reduce(left, left);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no output differs: the output has the same bits"),
                                 HasSubstr("--fail-on bits")));
}

TEST_F(ReduceCommandTest, Errors) {
  EXPECT_THAT(Reduce("true {model}").err, HasSubstr("does not fail"));
  EXPECT_THAT(Reduce("false").err, HasSubstr("has no {model}"));
  EXPECT_THAT(Reduce("false {model}", {"--match", "("}).err, HasSubstr("no regular expression"));
  EXPECT_THAT(Reduce("false {model}", {"--timeout", "soon"}).err, HasSubstr("no time"));
  EXPECT_EQ(Onnxcmp({"reduce", model_, "-o", small_}).status, 2);
  EXPECT_THAT(Onnxcmp({"reduce", model_, "--check", "false {model}", "-o", small_ + ".onnx"}).err,
              HasSubstr("is a folder"));
  testing::WriteFile(folder_ + "/notes.txt", "mine");
  EXPECT_THAT(Onnxcmp({"reduce", model_, "--check", "false {model}", "-o", folder_}).err,
              HasSubstr("has other files"));
}

}  // namespace
}  // namespace onnxcmp
