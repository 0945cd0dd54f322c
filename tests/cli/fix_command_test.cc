// onnxcmp --fix: one of the models without the causes of the difference.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::ReadFile;
using ::onnxcmp::testing::Shell;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class FixCommandTest : public testing::ModelFolderTest {
 protected:
  void SetUp() override {
    ModelFolderTest::SetUp();
    const auto net = [](const std::string& axis, const std::string& number) {
      return absl::StrCat("(float[n, 4] x) => (float[n, 4] y) <float[4] w = {1.5, 0.5, ", number,
                          ", 2}> {\n m = Mul(x, w)\n a = Tanh(m)\n y = Softmax<axis = ", axis,
                          ">(a)\n}");
    };
    left_ = Model("left", net("1", "0.25"));
    axis_ = Model("axis", net("0", "0.25"));
    both_ = Model("both", net("0", "-3"));
    out_ = folder_ + "/mended.onnx";
  }
  std::string left_, axis_, both_, out_;
};

TEST_F(FixCommandTest, MendedModelAgreesAndIsProved) {
  const Outcome outcome = Onnxcmp({left_, both_, "--fix", out_, "--width", "200"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("2 edits of the right model make the outputs agree: "),
                    HasSubstr("Softmax y: axis 0 -> 1"), HasSubstr("w: [2] -3 -> 0.25"),
                    HasSubstr("verified: agrees on "), HasSubstr("proved equal for all inputs")));
  const Outcome again = Onnxcmp({left_, out_, "--prove"});
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.out, HasSubstr("proved"));
}

TEST_F(FixCommandTest, LeftModel) {
  const Outcome outcome = Onnxcmp({axis_, left_, "--fix", out_, "--fix-left", "--width", "200"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("1 edit of the left model makes the outputs agree"),
                                 HasSubstr("Softmax y: axis 0 -> 1")));
  EXPECT_EQ(Onnxcmp({left_, out_}).status, 0);
}

// Beside a recording constants get what was recorded, and trials tell the rest.
TEST_F(FixCommandTest, BesideARecording) {
  const std::string recorded = folder_ + "/left.npz";
  ASSERT_EQ(Onnxcmp({"run", left_, "--dim", "n=3", "--save-all", recorded}).status, 0);
  const Outcome outcome = Onnxcmp({recorded, both_, "--fix", out_, "--width", "200"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("2 edits of the right model make the outputs agree: "),
                    HasSubstr("w: [2] -3 -> 0.25"), HasSubstr("Softmax y: axis 0 -> 1"),
                    HasSubstr("agrees with the recording; other inputs cannot be tried")));
  EXPECT_EQ(Onnxcmp({left_, out_}).status, 0);
  EXPECT_EQ(Onnxcmp({both_, recorded, "--fix", out_, "--fix-left"}).status, 1);
  EXPECT_THAT(Onnxcmp({both_, recorded, "--fix", out_}).err,
              HasSubstr("--fix mends a model: the right is a recording; --fix-left mends the other "
                        "side"));
}

// The node that reads a constant with other numbers is not at fault.
TEST_F(FixCommandTest, ConstantBesideARecordingIsTheOnlyCause) {
  const std::string recorded = folder_ + "/left.npz";
  ASSERT_EQ(Onnxcmp({"run", left_, "--dim", "n=3", "--save-all", recorded}).status, 0);
  const std::string other =
      Model("other",
            "(float[n, 4] x) => (float[n, 4] y) <float[4] w = {1.5, 0.5, -3, 2}> {\n"
            " m = Mul(x, w)\n a = Tanh(m)\n y = Softmax<axis = 1>(a)\n}");
  EXPECT_THAT(Onnxcmp({recorded, other}).out,
              AllOf(HasSubstr("cause      init w: "), Not(HasSubstr("cause 2"))));
}

TEST_F(FixCommandTest, GuessesThatDoNotAgreeAreNotWritten) {
  const std::string recorded = folder_ + "/left.npz";
  ASSERT_EQ(Onnxcmp({"run", left_, "--dim", "n=3", "--save-all", recorded}).status, 0);
  const std::string other =
      Model("other",
            "(float[n, 4] x) => (float[n, 4] y) <float[4] w = {1.5, 0.5, 0.25, 2}> {\n"
            " m = Mul(x, w)\n a = Tanh(m)\n b = Elu<alpha = 0.5>(a)\n y = Softmax<axis = 1>(b)\n}");
  const std::string third =
      Model("third",
            "(float[n, 4] x) => (float[n, 4] y) <float[4] w = {1.5, 0.5, 0.25, 2}> {\n"
            " m = Mul(x, w)\n a = Elu<alpha = 0.5>(m)\n y = LogSoftmax<axis = 1>(a)\n}");
  const Outcome mended = Onnxcmp({recorded, other, "--fix", out_, "--width", "200"});
  EXPECT_THAT(mended.out, HasSubstr("Softmax y: input 0 b -> a"));
  std::filesystem::remove(out_);
  const Outcome outcome = Onnxcmp({recorded, third, "--fix", out_, "--width", "200"});
  EXPECT_THAT(outcome.out, HasSubstr("no edit of the right model makes the outputs agree"));
  EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(FixCommandTest, NothingIsWrittenOfModelsThatAgree) {
  const Outcome outcome = Onnxcmp({left_, left_, "--fix", out_});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("the outputs agree: there is nothing to mend"));
  EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(FixCommandTest, ScriptMakesTheSameModel) {
  // That of the runtimes has onnx, where script/runtimes has installed it.
  const std::string python = "${ONNXCMP_PYTHON:-python3}";
  if (Shell(absl::StrCat(python, " -c 'import onnx'")).status != 0) {
    GTEST_SKIP() << "there is no Python's onnx";
  }
  const std::string script = folder_ + "/fix.py", binary = folder_ + "/both.onnx";
  // The script takes binary models, as Python's onnx does.
  ASSERT_EQ(Onnxcmp({left_, both_, "--fix", out_, "--fix-script", script}).status, 1);
  ASSERT_EQ(Shell(absl::StrCat(python,
                               " -c 'import onnx, sys; onnx.save(onnx.parser.parse_model("
                               "open(sys.argv[1]).read()), sys.argv[2])' ",
                               both_, " ", binary))
                .status,
            0);
  const std::string made = folder_ + "/made.onnx";
  const auto ran = Shell(absl::StrCat(python, " ", script, " ", binary, " ", made));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(Onnxcmp({out_, made, "--fail-on", "bits"}).status, 0);
  EXPECT_THAT(ReadFile(script), HasSubstr("Softmax y: axis 0 -> 1"));
}

TEST_F(FixCommandTest, OptionsThatExcludeEachOther) {
  EXPECT_THAT(Onnxcmp({left_, axis_, "--fix-left"}).err, HasSubstr("--fix-left needs --fix OUT"));
  EXPECT_THAT(Onnxcmp({left_, axis_, "--fix", out_, "--no-causes"}).err,
              HasSubstr("it excludes --no-causes"));
}

TEST_F(FixCommandTest, ModelsThatAreComparedStay) {
  const std::string before = ReadFile(axis_);
  const Outcome outcome = Onnxcmp({left_, axis_, "--fix", axis_});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is read by this command: it is not written over"));
  EXPECT_EQ(Onnxcmp({left_, axis_, "--fix", out_, "--fix-script", left_}).status, 2);
  for (const char* option : {"--html", "--json", "--markdown", "--csv", "--svg", "-o"}) {
    EXPECT_EQ(Onnxcmp({left_, axis_, option, axis_}).status, 2) << option;
  }
  EXPECT_EQ(ReadFile(axis_), before);
  EXPECT_FALSE(std::filesystem::exists(out_));
}

// One model, whose right side runs in a runtime that errs: the node takes another form.
class WayAroundTest : public FixCommandTest {
 protected:
  void SetUp() override {
    if (Shell("command -v python3").status != 0) GTEST_SKIP() << "there is no python3";
    FixCommandTest::SetUp();
    model_ = Model("chain",
                   "(float[4,8] x, float[4,8] w) => (float[4,8] y) "
                   "{ a = Neg(x) b = Add(a, w) c = Sub(b, a) y = Mul(c, w) }");
  }
  static std::string Fake(const std::string& options) {
    return absl::StrCat(SourceFile("tests/support/runtimes/fake.py"), ":", options);
  }
  std::string model_;
};

TEST_F(WayAroundTest, OfAKernelThatErrs) {
  const std::string fake = Fake("do=scale,operator=Add");
  const Outcome outcome = Onnxcmp({model_, "--against", fake, "--fix", out_, "--width", "200"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("cause      Add b"),
                    HasSubstr("1 edit of the right model makes the outputs agree"),
                    HasSubstr("Add b: Add -> Neg, Sub"), HasSubstr("verified: agrees")));
  EXPECT_EQ(Onnxcmp({out_, "--against", fake}).status, 0);
  EXPECT_EQ(Onnxcmp({model_, out_}).status, 0);
}

TEST_F(WayAroundTest, OfAnOperatorThatTheRuntimeRefuses) {
  const std::string fake = Fake("do=refuse,operator=Sub");
  const Outcome outcome = Onnxcmp({model_, "--against", fake, "--fix", out_, "--width", "200"});
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Sub c: Sub -> Neg, Add"));
  EXPECT_EQ(Onnxcmp({out_, "--against", fake}).status, 0);
}

TEST_F(WayAroundTest, IsNotKnownOfEachOperator) {
  const Outcome outcome = Onnxcmp(
      {model_, "--against", Fake("do=scale,operator=Mul"), "--fix", out_, "--width", "200"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("no form of y is known that fake 1.0 here computes right"));
  EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(WayAroundTest, IsForTheRightSideAlone) {
  EXPECT_THAT(Onnxcmp({model_, "--against", Fake("do=no"), "--fix", out_, "--fix-left"}).err,
              HasSubstr("it excludes --fix-left with a side in a runtime"));
}

}  // namespace
}  // namespace onnxcmp
