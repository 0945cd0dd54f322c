// Sides that run in a runtime: the tests' own, which needs nothing but Python, and real ones where
// they are installed.
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "evaluator/load/read_model.h"
#include "onnx/onnx_pb.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Lines;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::ReadFile;
using ::onnxcmp::testing::Shell;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kChain[] =
    "(float[4,8] x, float[4,8] w) => (float[4,8] y) "
    "{ a = Neg(x) b = Mul(a, w) c = Relu(b) d = Add(c, x) y = Mul(d, w) }";

class RuntimeCommandTest : public testing::ModelFolderTest {
 protected:
  void SetUp() override {
    if (Shell("command -v python3").status != 0) GTEST_SKIP() << "there is no python3";
  }

  static std::string Fake(const std::string& options = "") {
    return absl::StrCat(SourceFile("tests/support/runtimes/fake.py"), options.empty() ? "" : ":",
                        options);
  }

  // In a folder for temporary files of its own, of which must be nothing left.
  Outcome Run(const std::string& arguments) const {
    const std::string folder = folder_ + "/temporary";
    std::filesystem::create_directories(folder);
    const Outcome outcome =
        Shell(absl::StrCat("export TMPDIR=", folder, "; unset ONNXCMP_PYTHON; $ONNXCMP ", arguments,
                           "; s=$?; for pause in 0.1 0.3 1 3 5; do [ -z \"$(ls -A $TMPDIR)\" ] && ",
                           "break; sleep $pause; done; ls -A $TMPDIR >&2; exit $s"));
    return outcome;
  }
};

TEST_F(RuntimeCommandTest, OneModelAgreesWithItself) {
  const std::string model = Model("m", kChain);
  const Outcome outcome = Run(absl::StrCat(model, " --all --against ", Fake()));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("\nran    left in onnxcmp, right in fake 1.0 here\n"));
  EXPECT_THAT(outcome.out, HasSubstr(" = Relu   c  Relu   c  f32 4x8\n"));
  EXPECT_THAT(outcome.out, StartsWith("same "));
}

TEST_F(RuntimeCommandTest, TriesSizes) {
  const std::string model = Model("open", "(float[b,4] x) => (float[b,4] y) { y = Neg(x) }");
  const Outcome outcome = Run(absl::StrCat(model, " --sizes --against ", Fake()));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  for (const char* batch : {"1", "3", "4", "8"}) {
    EXPECT_THAT(outcome.out, HasSubstr(absl::StrCat("b ", batch, ": both run and agree")));
  }
  EXPECT_EQ(Run(absl::StrCat(model, " --search=1s --against ", Fake())).status, 2);
}

TEST_F(RuntimeCommandTest, NamesTheNodeThatErrs) {
  const std::string model = Model("m", kChain);
  for (const char* wrong : {"a", "b", "c", "d", "y"}) {
    const Outcome outcome = Run(absl::StrCat(model, " --width 300 --against ",
                                             Fake(absl::StrCat("do=scale,result=", wrong))));
    EXPECT_EQ(outcome.status, 1) << wrong << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, ContainsRegex(absl::StrCat("\ncause +[A-Z][a-z]+ ", wrong, ": ")))
        << wrong;
    EXPECT_THAT(outcome.out, HasSubstr("right = 1.01 * left")) << wrong;
  }
}

// What the runtime says of its precision is evidence: of rounding, and of nothing more.
TEST_F(RuntimeCommandTest, APrecisionThatTheRuntimeTellsIsNoFault) {
  const std::string model = Model("m", kChain);
  const Outcome told =
      Run(absl::StrCat(model, " --width 300 --against ", Fake("do=round,precision=bfloat16")));
  EXPECT_EQ(told.status, 0) << told.out << told.err;
  EXPECT_THAT(told.out, StartsWith("close "));
  EXPECT_THAT(told.out, Not(HasSubstr("\ncause")));
  EXPECT_THAT(told.out, HasSubstr("bfloat16 arithmetic of the runtime on the right"));
  const Outcome untold = Run(absl::StrCat(model, " --against ", Fake("do=round")));
  EXPECT_EQ(untold.status, 1) << untold.out << untold.err;
  const Outcome wrong = Run(absl::StrCat(model, " --against ", Fake("do=fuse,precision=bfloat16")));
  EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err;
}

TEST_F(RuntimeCommandTest, NodesRunTogetherOnValuesOfTheirOwn) {
  const std::string model = Model("m", kChain);
  const std::string log = folder_ + "/loaded";
  const Outcome outcome = Run(absl::StrCat(model, " --sets 1 --against ",
                                           Fake(absl::StrCat("do=scale,result=a,log=", log))));
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  // The model as it is, with results marked, then what reads results that differ, once each.
  const std::vector<std::string> loaded = Lines(ReadFile(log));
  ASSERT_GE(loaded.size(), 3u);
  EXPECT_EQ(loaded[0], "Neg Mul Relu Add Mul");
  EXPECT_EQ(loaded[1], loaded[0]);
  EXPECT_EQ(loaded[2], "Mul Relu Add Mul");
}

TEST_F(RuntimeCommandTest, SeveralSetsAreMadeUp) {
  const std::string model =
      Model("m", "(float[N,8] x) => (float[N,8] y) { a = Neg(x) y = Mul(a, a) }");
  const Outcome agrees = Run(absl::StrCat(model, " --format json --against ", Fake()));
  EXPECT_EQ(nlohmann::json::parse(agrees.out)["made_up_sets"], 4);
  const Outcome one = Run(absl::StrCat(model, " --format json --sets 1 --against ", Fake()));
  EXPECT_EQ(nlohmann::json::parse(one.out)["made_up_sets"], 1);
  const Outcome search = Run(absl::StrCat(model, " --search 1s --against ", Fake()));
  EXPECT_EQ(search.status, 2);
  EXPECT_THAT(search.err, HasSubstr("--search is for models in our interpreter"));
}

TEST_F(RuntimeCommandTest, OutputsAreThoseWithoutMarks) {
  const std::string model = Model("m", kChain);
  const Outcome outcome = Run(absl::StrCat(model, " --against ", Fake("do=fuse")));
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("right: differs only when fused: `y` is another"));
  // The row of the output has them, too: the result that it is has the same bits on both sides.
  EXPECT_THAT(outcome.out, HasSubstr("7 the same bits (=), 1 different"));
}

// A second look is one at the same run: another one that is right excuses nothing.
TEST_F(RuntimeCommandTest, OneRunIsJudged) {
  const std::string model = Model("m", kChain);
  const Outcome outcome = Run(absl::StrCat(model, " --against ", Fake("do=start")));
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("different "));
}

// The same for the model as the runtime has optimized it, whose outputs are nearly the same.
TEST_F(RuntimeCommandTest, OtherOutputsThatAgreeExcuseNothing) {
  // Files of text cannot be optimized.
  const auto proto = ReadModelText(testing::ModelText(kChain), /*max_depth=*/64);
  ASSERT_TRUE(proto.ok()) << proto.status();
  const std::string model = testing::WriteFile(folder_ + "/m.onnx", (*proto)->SerializeAsString());
  const Outcome outcome = Run(absl::StrCat(model, " --against ", Fake("do=optimize")));
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("different "));
  EXPECT_THAT(outcome.out, HasSubstr("the model as the runtime has optimized it does not tell"));
  const Outcome honest =
      Run(absl::StrCat(model, " --against ", Fake("do=optimize,optimization=none")));
  EXPECT_EQ(honest.status, 0) << honest.out << honest.err;
}

// Its model in double gives what it gives, and is not the left's model.
TEST_F(RuntimeCommandTest, ExchangedOutputsAreNoRounding) {
  const auto model = [&](const std::string& name, const char* nodes) {
    return Model(name,
                 absl::StrCat("(float[4,8] x) => (float[4,8] y, float[4,8] z) {", nodes, "}"));
  };
  const std::string left = model("l", "y = Relu(x) z = Neg(x)");
  const Outcome outcome = Run(absl::StrCat(left, " ", model("r", "z = Relu(x) y = Neg(x)"),
                                           " --width 300 --right-runtime ", Fake()));
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("different  both outputs differ"));
}

TEST_F(RuntimeCommandTest, WhatIsLeftOutIsSaid) {
  const std::string model = Model("m", kChain);
  const Outcome outcome = Run(absl::StrCat(model, " --against ", Fake("do=leave_out,result=c")));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 results were not had of fake 1.0 here and computed by "
                                     "onnxcmp of its values: `c`"));
}

TEST_F(RuntimeCommandTest, DeathsAreResultsOfThatSide) {
  const std::string model = Model("m", kChain);
  struct Case {
    const char* options;
    const char* said;
  };
  for (const Case& c : std::vector<Case>{
           {"do=die",
            "fake 1.0 here ended by signal 11 (Segmentation fault) while it loaded the "
            "model; its last words: about to die"},
           {"do=die,at=run", "ended by signal 11 (Segmentation fault) while it ran the model"},
           {"do=die,at=hello", "ended by signal 11 (Segmentation fault) while it started"},
           {"do=exit,at=run", "ended with exit status 7 while it ran the model"},
           {"do=hang", "gave no answer in 1s while it loaded the model (--runtime-timeout)"},
           {"do=refuse", "fake 1.0 here refused to load the model: it does not want to"},
           {"do=refuse,at=hello", "refused to start: it does not want to"},
           {"do=garbage", "gave an answer that is none of the protocol"},
       }) {
    const Outcome outcome =
        Run(absl::StrCat(model, " --width 400 --runtime-timeout 1s --against ", Fake(c.options)));
    EXPECT_EQ(outcome.status, 2) << c.options << outcome.out;
    EXPECT_THAT(absl::StrCat(outcome.out, outcome.err), HasSubstr(c.said)) << c.options;
    // Nothing lies in the folder for temporary files.
    EXPECT_THAT(outcome.err, Not(HasSubstr("onnxcmp-runtime-"))) << c.options;
  }
}

TEST_F(RuntimeCommandTest, MemoryIsBounded) {
  const std::string model = Model("m", kChain);
  const Outcome outcome =
      Run(absl::StrCat(model, " --runtime-memory 500M --against ", Fake("do=eat,at=run")));
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("had no memory left (--runtime-memory)"));
}

TEST_F(RuntimeCommandTest, WhatItPrintsAndStartsIsNotInTheWay) {
  const std::string model = Model("m", kChain);
  for (const char* does : {"do=chatter", "do=fork"}) {
    const Outcome outcome = Run(absl::StrCat(model, " --against ", Fake(does)));
    EXPECT_EQ(outcome.status, 0) << does << outcome.out << outcome.err;
    EXPECT_EQ(outcome.err, "") << does;
  }
}

TEST_F(RuntimeCommandTest, NamesTheNodeThatFails) {
  const std::string model = Model("m", kChain);
  const std::string repro = folder_ + "/repro";
  for (const char* does : {"die", "refuse", "hang"}) {
    const Outcome outcome =
        Run(absl::StrCat(model, " --width 400 --runtime-timeout 1s --repro ", repro, " --against ",
                         Fake(absl::StrCat("operator=Relu,do=", does))));
    EXPECT_EQ(outcome.status, 2) << does;
    EXPECT_THAT(outcome.out, HasSubstr("the node that does it, alone too: Relu `c` on float[4,8]"))
        << does;
    EXPECT_TRUE(std::filesystem::exists(repro + "/failing_node/model.onnx")) << does;
  }
  // Its model passes here, and fails there.
  EXPECT_EQ(Run(absl::StrCat("test ", repro)).status, 0);
  const Outcome there =
      Run(absl::StrCat("test ", repro, " --runtime ", Fake("operator=Relu,do=refuse")));
  EXPECT_EQ(there.status, 1);
  EXPECT_THAT(there.out, HasSubstr("it does not want to"));
  EXPECT_EQ(Run(absl::StrCat("test ", repro, " --runtime ", Fake())).status, 0);
}

// A node that fails alone for a reason that the whole model does not have is not blamed.
TEST_F(RuntimeCommandTest, AnotherReasonIsNoBlame) {
  const std::string model = Model("m", kChain);
  const Outcome outcome =
      Run(absl::StrCat(model, " --width 400 --against ", Fake("operator=Relu,do=refuse,odd=Neg")));
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("the node that does it, alone too: Relu `c`"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("one is none")));
}

// Functions are inlined whatever a runtime knows of them.
TEST_F(RuntimeCommandTest, NoFunctionReachesARuntime) {
  const auto proto = ReadModelText(
      "<ir_version: 10, opset_import: [\"\": 21, \"my\": 1]> g (float[4,8] x) => (float[4,8] y) "
      "{ a = my.F(x) y = Mul(a, x) } <domain: \"my\", opset_import: [\"\": 20]> "
      "F (v) => (r) { t = Neg(v) r = Relu(t) }",
      /*max_depth=*/64);
  ASSERT_TRUE(proto.ok()) << proto.status();
  const std::string model = testing::WriteFile(folder_ + "/m.onnx", (*proto)->SerializeAsString());
  const std::string log = folder_ + "/loaded";
  const Outcome outcome = Run(absl::StrCat(model, " --against ", Fake("log=" + log)));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  for (const std::string& line : Lines(ReadFile(log))) EXPECT_EQ(line, "Neg Relu Mul");
}

// Nodes that are right alone and wrong together are named together, and no more than these.
TEST_F(RuntimeCommandTest, NamesTheNodesThatErrTogether) {
  const std::string model = Model("m", kChain);
  const Outcome outcome =
      Run(absl::StrCat(model, " --width 400 --sets 1 --against ", Fake("do=pair")));
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out,
              ContainsRegex("\ncause +Relu c: the result of fake 1.0 here differs by up to "
                            ".* when it runs 2 nodes together: Mul `b`, Relu `c`"));
}

// The shape of a node's result comes from its inputs, unless it is the node to blame.
TEST_F(RuntimeCommandTest, NamesTheNodeThatGivesAnotherShape) {
  const std::string model = Model("m", kChain);
  for (const auto& [result, node] : std::vector<std::pair<std::string, std::string>>{
           {"b", "Mul b"}, {"c", "Relu c"}, {"d", "Add d"}}) {
    const Outcome outcome = Run(absl::StrCat(model, " --width 400 --against ",
                                             Fake(absl::StrCat("do=reshape,result=", result))));
    EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, ContainsRegex(absl::StrCat("\ncause +", node, ": [^\n]*shape")));
  }
}

TEST_F(RuntimeCommandTest, RecordsARun) {
  const std::string model = Model("m", kChain);
  const std::string file = folder_ + "/all.npz";
  const Outcome run = Run(absl::StrCat("run ", model, " --runtime ", Fake(), " --save-all ", file));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("runs in fake 1.0 here"));
  const Outcome compared = Run(absl::StrCat(model, " ", file));
  EXPECT_EQ(compared.status, 0) << compared.out << compared.err;
}

TEST_F(RuntimeCommandTest, Conformance) {
  const std::string model = Model("m", kChain);
  const std::string tests = folder_ + "/tests";
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(Run(absl::StrCat("run ", model, " --save ", tests, "/", name, "/")).status, 0);
  }
  const Outcome outcome = Run(absl::StrCat("conformance ", tests, " --runtime ", Fake(),
                                           " --runtime ", Fake("do=refuse,operator=Relu"),
                                           " --runtime ", Fake("do=die,operator=Relu")));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("Mul +2 +2 +refused +0, 2 crashed\n"));
  const Outcome json =
      Run(absl::StrCat("conformance ", tests, " --format json --runtime ", Fake()));
  const nlohmann::json report = nlohmann::json::parse(json.out);
  EXPECT_EQ(report["tests"][0]["operator"], "Mul");
  EXPECT_EQ(report["tests"][0]["opset"], 18);
  EXPECT_EQ(report["tests"][0]["type"], "float");
  EXPECT_EQ(report["tests"][0]["results"][0]["result"], "passed");
}

TEST_F(RuntimeCommandTest, WrongCommandLines) {
  const std::string model = Model("m", kChain);
  struct Case {
    std::string arguments;
    const char* said;
  };
  for (const Case& c : std::vector<Case>{
           {absl::StrCat(model, " --against nothing"), "no runtime is called 'nothing'"},
           {absl::StrCat(model, " --against ", Fake("colour=red")), "has no option colour"},
           {absl::StrCat(model, " --against ", Fake("colour")), "is no key=value"},
           {absl::StrCat(model, " --against ", Fake(), " --right-runtime ", Fake()),
            "say the same"},
           {absl::StrCat(model, " --against ", Fake(), " --runtime-timeout soon"), "no time"},
           {absl::StrCat("run ", model, " --runtime ", Fake(), " --profile"), "--profile"},
       }) {
    const Outcome outcome = Run(c.arguments);
    EXPECT_EQ(outcome.status, 2) << c.arguments;
    EXPECT_THAT(outcome.err, HasSubstr(c.said)) << c.arguments;
  }
}

// However either of them ends, nothing hangs and nothing is left.
TEST_F(RuntimeCommandTest, NothingIsLeftOfWhatIsKilled) {
  const std::string model = Model("m", kChain);
  const std::string folder = folder_ + "/temporary";
  std::filesystem::create_directories(folder);
  for (int i = 0; i < 10; ++i) {
    const char* signal = i % 2 == 0 ? "KILL" : "INT";
    const std::string does = i % 4 < 2 ? Fake() : Fake("do=hang,at=run");
    const Outcome outcome =
        Shell(absl::StrCat("export TMPDIR=", folder, "; unset ONNXCMP_PYTHON; timeout -s ", signal,
                           " 0.", 10 + 7 * i, " $ONNXCMP ", model, " --against ", does,
                           " >/dev/null 2>&1; for pause in 0.1 0.3 1 3; do sleep $pause; ",
                           "left=$(ls -A $TMPDIR; for p in /proc/[0-9]*; do "
                           "grep -qz \"^TMPDIR=$TMPDIR$\" $p/environ 2>/dev/null && "
                           "grep -qaE 'runtimes/fake|mktemp' $p/cmdline 2>/dev/null && "
                           "[ $p != /proc/$$ ] && tr '\\0' ' ' < $p/cmdline; done); "
                           "[ -z \"$left\" ] && exit 0; done; echo $left; exit 1"));
    EXPECT_EQ(outcome.status, 0) << i << ": " << outcome.out << outcome.err;
  }
}

// What a runtime leaves in another session goes, too, and its death is no time-out.
TEST_F(RuntimeCommandTest, OrphansEndWithTheRuntime) {
  const std::string model = Model("m", kChain);
  const std::string folder = folder_ + "/temporary";
  std::filesystem::create_directories(folder);
  for (const auto& [options, said] : std::vector<std::pair<std::string, std::string>>{
           {"do=die", "ended by signal 11 (Segmentation fault) while it loaded"},
           {"do=exit,at=run", "ended with exit status 7 while it ran"},
           {"do=hang,at=run", "gave no answer in 2s while it ran"}}) {
    const Outcome outcome = Shell(absl::StrCat(
        "export TMPDIR=", folder, "; unset ONNXCMP_PYTHON; $ONNXCMP ", model,
        " --width 400 --runtime-timeout 2s --against ", Fake(options + ",leaves=yes"),
        "; for p in /proc/[0-9]*; do grep -qz \"^TMPDIR=$TMPDIR$\" $p/environ 2>/dev/null && "
        "grep -qa runtimes/fake $p/cmdline 2>/dev/null && [ $p != /proc/$$ ] && echo left: $p; "
        "done"));
    EXPECT_THAT(outcome.out, HasSubstr(said)) << options;
    EXPECT_THAT(outcome.out, Not(HasSubstr("left: /proc"))) << options;
  }
}

// Tests with those real runtimes that are installed.
class RealRuntimeTest : public RuntimeCommandTest,
                        public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    RuntimeCommandTest::SetUp();
    if (IsSkipped()) return;
    const std::string listed = Onnxcmp({"runtimes"}).out;
    for (const absl::string_view line : absl::StrSplit(listed, '\n')) {
      if (absl::StartsWith(line, GetParam()) && !absl::StrContains(line, "no Python")) return;
    }
    GTEST_SKIP() << GetParam() << " is not installed: script/runtimes does that";
  }
};

TEST_P(RealRuntimeTest, AgreesOnALanguageModel) {
  const Outcome outcome = Onnxcmp({TestData("models/llm/plain.onnx"), "--against", GetParam()});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("right in "), Not(HasSubstr("\ncause"))));
}

// Two programs draw other numbers, and neither is nearer to a truth.
TEST_P(RealRuntimeTest, RandomNumbersHaveNoTruth) {
  const auto proto = ReadModelText(
      testing::ModelText("(float[4,8] x) => (float[4,8] y) "
                         "{ r = RandomNormal<shape=[4,8], seed=1.0>() y = Add(x, r) }"),
      /*max_depth=*/64);
  ASSERT_TRUE(proto.ok()) << proto.status();
  const std::string model = testing::WriteFile(folder_ + "/m.onnx", (*proto)->SerializeAsString());
  const Outcome outcome = Onnxcmp({model, "--width", "200", "--against", GetParam()});
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("cause      RandomNormal r: draws random numbers"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("truth")));
}

// The program that a model was exported of, on the left: what the model has to match.
class TorchTest : public RuntimeCommandTest {
 protected:
  void SetUp() override {
    RuntimeCommandTest::SetUp();
    if (IsSkipped()) return;
    for (const absl::string_view line : absl::StrSplit(Onnxcmp({"runtimes"}).out, '\n')) {
      if (absl::StartsWith(line, "torch ") && !absl::StrContains(line, "no Python")) return;
    }
    GTEST_SKIP() << "there is no torch: ONNXCMP_PYTHON names a Python that has it";
  }

  static Outcome Against(const std::string& program) {
    return Onnxcmp({TestData("runtimes/torch_net.onnx"), "--width", "200", "--all", "--against",
                    absl::StrCat("torch:program=", program)});
  }
};

TEST_F(TorchTest, AnExportedModelAgreesWithItsProgram) {
  const Outcome outcome = Against(TestData("runtimes/torch_net.py") + ":make");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("\nran +left in torch [0-9][^\n]*, right in onnxcmp"));
  // Only what is inside of a torch operator is unknown.
  EXPECT_THAT(outcome.out, HasSubstr("left: 5 results were not had of torch"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\ncause")));
}

TEST_F(TorchTest, NamesTheNodeThatDoesOtherwise) {
  const Outcome outcome = Against(TestData("runtimes/torch_net.py") + ":make_other");
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\ncause      LeakyRelu leaky_relu_1: "));
  EXPECT_THAT(outcome.out, Not(HasSubstr("to the truth")));
}

TEST_F(TorchTest, WrongPrograms) {
  EXPECT_THAT(Against(TestData("runtimes/torch_net.py") + ":none").err,
              HasSubstr("torch_net.py has no none"));
  EXPECT_THAT(Against(folder_ + "/none.pt2").err, HasSubstr("is no exported program"));
  const Outcome right = Onnxcmp({TestData("runtimes/torch_net.onnx"), "--right-runtime",
                                 "torch:program=" + TestData("runtimes/torch_net.py") + ":make"});
  EXPECT_EQ(right.status, 2);
  EXPECT_THAT(right.err, HasSubstr("goes left (--left-runtime)"));
}

INSTANTIATE_TEST_SUITE_P(Runtimes, RealRuntimeTest,
                         ::testing::Values("onnxruntime", "openvino", "tract", "reference"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace onnxcmp
