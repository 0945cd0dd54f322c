// Comparing: exit status, table, reports, recordings, inputs, failures on the way.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Lines;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::ReadFile;
using ::onnxcmp::testing::WriteFile;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class CompareCommandTest : public testing::ModelFolderTest {};

TEST_F(CompareCommandTest, VerdictAndExitStatus) {
  const std::string left = Model("l", "(float[2] x) => (float[2] y) { y = Add(x, x) }");
  const std::string same =
      Model("s", "(float[2] x) => (float[2] z) <float two = {2}> { z = Mul(x, two) }");
  const std::string other =
      Model("o", "(float[2] x) => (float[2] y) <float f = {2.125}> { y = Mul(x, f) }");
  Outcome outcome = Onnxcmp({left, same});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, AllOf(StartsWith("same "), HasSubstr("\nexit 0\n")));
  outcome = Onnxcmp({left, other});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(StartsWith("different "), HasSubstr("\nexit 1\n")));
  EXPECT_EQ(Onnxcmp({left, other, "--rtol", "0.1"}).status, 0);
  EXPECT_EQ(Onnxcmp({left, other, "--ramp", "--atol", "0.1"}).status, 0);
  EXPECT_EQ(Onnxcmp({left, other, "--tolerance", "y=0.1,0"}).status, 0);
  outcome = Onnxcmp({left, other, "--tolerance", "yy=0.1,0"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("`yy` is none of the results of either side; did you mean `y`?"));
  // The last of repeated options counts.
  EXPECT_EQ(Onnxcmp({left, other, "--rtol", "1e-9", "--rtol", "0.1"}).status, 0);
  EXPECT_EQ(Onnxcmp({left, other, "--rtol", "0.1", "--rtol", "1e-9"}).status, 1);
}

TEST_F(CompareCommandTest, TimingsAndSharingDoNotShowInTheReport) {
  const std::string left =
      Model("l", "(float[2] x) => (float[2] y) { a = Exp(x) b = Neg(a) y = Tanh(b) }");
  const std::string right =
      Model("r", "(float[2] x) => (float[2] y) { a = Exp(x) b = Neg(a) y = Sigmoid(b) }");
  const Outcome plain = Onnxcmp({left, right});
  const Outcome timed = Onnxcmp({left, right, "--sets", "1", "--timings"});
  EXPECT_EQ(timed.out, Onnxcmp({left, right, "--sets", "1"}).out);
  for (const char* step : {"load ", "run left ", "run right ", "look at results ", "align ",
                           "measure ", "causes ", "report "}) {
    EXPECT_THAT(timed.err, HasSubstr(absl::StrCat("\n  ", step)));
  }
  EXPECT_THAT(timed.err, HasSubstr("2 of 6 nodes were taken from another run"));
  const Outcome alone = Onnxcmp({left, right, "--no-share"});
  EXPECT_EQ(alone.out, plain.out);
  EXPECT_EQ(alone.err, "");
}

// Results known to be the same are not measured, but numbers that are not finite are found, large
// or small, in weights too.
TEST_F(CompareCommandTest, AModelWithItselfIsReportedAsTwoAre) {
  const std::string plain = Model("plain", R"((float[200,200] x) => (float[200,200] y, float z)
      <int64[2] shape = {200, 200}> {
    a = Exp(x) b = Mul(a, a) c = Transpose(b) y = Reshape(c, shape) z = ReduceMax<keepdims = 0>(y)
  })");
  const std::string infinite = Model("infinite", R"((float[200,200] x) => (float[200,200] y)
      <float zero = {0}> {
    a = Div(x, zero) b = Sub(a, a) y = Max(b, zero)
  })");
  const std::string drawn = Model("drawn", R"((float[200,200] x) => (float[200,200] y) {
    a = RandomNormalLike(x) b = RandomNormalLike(x) y = Sub(a, b)
  })");
  const std::string inputs = folder_ + "/inputs.npz";
  Onnxcmp({plain, plain, "--ramp", "--save-inputs", inputs});
  for (const std::string& model : {plain, infinite, drawn}) {
    for (const std::vector<std::string>& how :
         std::vector<std::vector<std::string>>{{"--inputs", inputs},
                                               {"--inputs", inputs, "--all"},
                                               {"--inputs", inputs, "--format", "json"},
                                               {"--inputs", inputs, "--format", "csv"},
                                               {"--inputs", inputs, "--nan"},
                                               {"--inputs", inputs, "--explain", "a"},
                                               {}}) {
      std::vector<std::string> once = {model, model};
      once.insert(once.end(), how.begin(), how.end());
      std::vector<std::string> twice = once;
      twice.emplace_back("--no-share");
      EXPECT_EQ(Onnxcmp(once).out, Onnxcmp(twice).out) << absl::StrJoin(once, " ");
    }
  }
  EXPECT_THAT(Onnxcmp({infinite, infinite, "--inputs", inputs}).out, HasSubstr("inf"));
}

// Kept values cost memory and spare runs; reports do not depend on them.
TEST_F(CompareCommandTest, ReportsDoNotDependOnWhatIsKept) {
  const std::string form =
      "(float[64,64] x) => (float[64,64] y) <float[64] w = {$0}, float k = {$1}> { a = Mul(x, k) "
      "b = $2(a) c = Add(b, w) d = Transpose<perm = [1, 0]>(c) e = Softmax<axis = 0>(d) "
      "f = Transpose<perm = [1, 0]>(e) $3 y = Mul(g, w) }";
  std::vector<std::string> ramp;
  for (int i = 0; i < 64; ++i) ramp.push_back(absl::StrCat(i % 7, ".5"));
  const std::string w = absl::StrJoin(ramp, ", ");
  const std::string plain = absl::Substitute(form, w, "2", "Tanh", "g = Neg(f)");
  const std::string left = Model("left", plain);
  const std::string lost = "h = Mul(f, k) g = Neg(h)";
  const std::vector<std::string> rights = {
      absl::Substitute(form, w, "2.5", "Tanh", "g = Neg(f)"),
      absl::Substitute(form, w, "2", "Erf", "g = Neg(f)"),
      absl::Substitute(form, w, "2", "Tanh", lost),
      absl::Substitute(form, w, "2", "Tanh", "h = Identity(f) g = Neg(h)"),
      absl::Substitute(form, absl::StrCat("9.5", w.substr(3)), "2.5", "Tanh", lost)};
  for (size_t i = 0; i < rights.size(); ++i) {
    const std::string right = Model(absl::StrCat("right", i), rights[i]);
    std::vector<std::string> reports;
    for (const char* const keep : {"0", "1M", "256M"}) {
      const Outcome outcome =
          Onnxcmp({left, right, "--keep-values", keep, "--format", "json", "--threads", "1"});
      EXPECT_EQ(outcome.status, i == 3 ? 0 : 1) << outcome.err;
      reports.push_back(outcome.out);
    }
    EXPECT_EQ(reports[0], reports[2]) << rights[i];
    EXPECT_EQ(reports[1], reports[2]) << rights[i];
  }
}

TEST_F(CompareCommandTest, ResultsTellTheAttributesOfTheirNodes) {
  const std::string model = Model("m", R"((float[2,3] x) => (float[2] y) {
    a = Softmax <axis = 0> (x) y = ReduceSum <noop_with_empty_axes = 1, keepdims = 0> (a)
  })");
  const std::string json = Onnxcmp({model, model, "--format", "json"}).out;
  EXPECT_THAT(json, HasSubstr("\"attributes\":\"axis=0\""));
  EXPECT_THAT(json, HasSubstr("\"attributes\":\"keepdims=0, noop_with_empty_axes=1\""));
}

// All runs and the input share the limit, and what the comparison keeps of a run is not the run's:
// eight results of 1 KiB differ here, two live at a time.
TEST_F(CompareCommandTest, LimitsOfRunsAndOfWhatIsKept) {
  const std::string chain = "a = Neg(s) b = Neg(a) c = Neg(b) d = Neg(c) e = Neg(d) f = Neg(e) ";
  const std::string left =
      Model("l", absl::StrCat("(float[256] x) => (float[256] y) <float k = {2}> { s = Mul(x, k) ",
                              chain, "y = Exp(f) }"));
  const std::string right =
      Model("r", absl::StrCat("(float[256] x) => (float[256] y) <float k = {2.5}> { s = Mul(x, k) ",
                              chain, "y = Exp(f) }"));
  const std::string whole = Onnxcmp({left, right}).out;
  EXPECT_THAT(whole, HasSubstr("\nexit 1\n"));
  for (const char* keep : {"0", "1500", "1G"}) {
    const Outcome outcome = Onnxcmp(
        {left, right, "--shadow", "--no-causes", "--max-memory", "12K", "--keep-values", keep});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_THAT(outcome.out, Not(HasSubstr("more than"))) << keep;
  }
  EXPECT_THAT(Onnxcmp({left, right, "--max-memory", "2K"}).err,
              HasSubstr("the run would hold more than 2048"));
  EXPECT_EQ(Onnxcmp({left, right, "--keep-values", "1K"}).out, whole);
  EXPECT_THAT(Onnxcmp({left, right, "--search-memory", "1K"}).out,
              HasSubstr("no cause was looked for: the left's results take 3.07 kB, more than "
                        "--search-memory"));
  Outcome outcome = Onnxcmp({left, right, "--keep-values", "0", "--max-memory", "1K"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, HasSubstr("with 1024 bytes more the run would hold more than 1024"));
  outcome = Onnxcmp({left, right, "--max-tensor", "1000"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("takes more than the limit of 1000 bytes"));
}

TEST_F(CompareCommandTest, BlockedChannelsAreAssumedAloud) {
  const std::string path =
      WriteFile(folder_ + "/blocked.onnxtxt",
                R"(<ir_version: 10, opset_import: ["": 21, "com.microsoft.nchwc": 1]>
         g (float[1, 32, 1, 2] x) => (float[1, 32, 1, 2] y) {
           y = com.microsoft.nchwc.ReorderInput(x)
         })");
  EXPECT_THAT(Onnxcmp({path, path}).out, HasSubstr("right: blocks of 16 channels are assumed"));
  EXPECT_THAT(Onnxcmp({path, path, "--nchwc-block", "8"}).out, Not(HasSubstr("assumed")));
  EXPECT_EQ(Onnxcmp({path, path, "--nchwc-block", "9"}).status, 2);
}

TEST_F(CompareCommandTest, NotFiniteOnly) {
  const std::string model = Model("l", "(float[2] x) => (float[2] y) { z = Sub(x, x) y = Log(z) }");
  const Outcome outcome = Onnxcmp({model, model, "--nan", "--ramp"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("not finite both: Log y is -inf at [0]: log of 0"),
                                 Not(HasSubstr("pairs "))));
}

TEST_F(CompareCommandTest, Explain) {
  const std::string model = Model("l", "(float[2] x) => (float[2] y) { z = Exp(x) y = Log(z) }");
  EXPECT_THAT(Onnxcmp({model, model, "--explain", "z"}).out,
              AllOf(HasSubstr("operator   Exp"), HasSubstr("\nread by "), HasSubstr("\nexit 0\n")));
  const Outcome unknown = Onnxcmp({model, model, "--explain", "nothing"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("`nothing` is none of the results of either side"));
}

TEST_F(CompareCommandTest, Shadow) {
  const std::string left = Model("l", "(float[2] x) => (float[2] y) { y = Exp(x) }");
  const std::string right =
      Model("r",
            "(float[2] x) => (float[2] y) { h = Cast<to = 10>(x) b = Cast<to = 1>(h) z = Exp(b) "
            "c = Cast<to = 10>(z) y = Cast<to = 1>(c) }");
  EXPECT_THAT(Onnxcmp({left, right, "--shadow", "--seed", "1"}).out,
              AllOf(HasSubstr("from double"), HasSubstr("\nin double  the left is ")));
}

TEST_F(CompareCommandTest, Prove) {
  const std::string left = Model("l", "(float[2] x) => (float[2] y) { y = Mul(x, x) }");
  const std::string right = Model(
      "r", "(float[2] x) => (float[2] y) { two = Constant<value_float = 2.0>() y = Pow(x, two) }");
  const std::string other = Model("o", "(float[2] x) => (float[2] y) { y = Add(x, x) }");
  EXPECT_THAT(Onnxcmp({left, right, "--prove"}).out, HasSubstr("(proved)"));
  EXPECT_THAT(Onnxcmp({left, other, "--prove"}).out,
              AllOf(HasSubstr("\nproof      not proved"), Not(HasSubstr("(proved)"))));
}

// The runs stay below 6, where the two agree.
TEST_F(CompareCommandTest, FailOnRewrites) {
  const std::string relu =
      Model("l", "(float[2] x) => (float[2] y) { t = Tanh(x) a = Relu(t) y = Neg(a) }");
  const std::string clip = Model("r",
                                 "(float[2] x) => (float[2] y) <float lo = {0}, float hi = {6}> "
                                 "{ t = Tanh(x) a = Clip(t, lo, hi) y = Neg(a) }");
  const Outcome told = Onnxcmp({relu, clip, "--prove"});
  EXPECT_EQ(told.status, 0);
  EXPECT_THAT(told.out, HasSubstr("Relu → Clip: differs alone: "));
  // Once more, as two models of their own.
  const std::string repro = folder_ + "/repro";
  const Outcome written = Onnxcmp({relu, clip, "--prove", "--repro", repro});
  EXPECT_EQ(written.status, 0);
  const std::string alone = repro + "/rewrite_1";
  EXPECT_THAT(written.out, HasSubstr("onnxcmp " + alone + "/left.onnx " + alone + "/right.onnx"));
  const Outcome shown = Onnxcmp({alone + "/left.onnx", alone + "/right.onnx"});
  EXPECT_EQ(shown.status, 1);
  const size_t at = told.out.find(" | 6 at a[");
  ASSERT_NE(at, std::string::npos);
  const std::string number = told.out.substr(told.out.rfind(' ', at - 1) + 1, at);
  EXPECT_THAT(shown.out, HasSubstr(number.substr(0, number.find(' ')) + " | 6"));
  EXPECT_EQ(Onnxcmp({"test", alone}).status, 1);
  // An earlier call's folder is replaced.
  EXPECT_EQ(Onnxcmp({relu, relu, "--prove", "--repro", repro}).status, 0);
  EXPECT_NE(Onnxcmp({alone + "/left.onnx", alone + "/right.onnx"}).status, 1);
  const Outcome fails = Onnxcmp({relu, clip, "--fail-on", "rewrites"});
  EXPECT_EQ(fails.status, 1);
  EXPECT_THAT(fails.out, HasSubstr("(--fail-on rewrites)"));
  EXPECT_EQ(Onnxcmp({relu, clip}).status, 0);
  EXPECT_EQ(Onnxcmp({relu, relu, "--fail-on", "rewrites"}).status, 0);
  // A recording has no rewrites.
  const std::string recording = folder_ + "/r.npz";
  ASSERT_EQ(Onnxcmp({"run", relu, "--save-all", recording}).status, 0);
  EXPECT_EQ(Onnxcmp({relu, recording, "--fail-on", "rewrites"}).status, 1);
}

// Proved in the shapes of the run, for two rows.
TEST_F(CompareCommandTest, RewritesAreTestedAtOtherSizes) {
  const std::string begin =
      "(float[N, 4] x) => (float[1, 4] y) { e = Sigmoid(x) n = Constant<value_float = 7.0>() "
      "t = Mul(e, n) k = Constant<value_ints = [0]>() ";
  const std::string mean = Model("l", begin + "m = ReduceMean(t, k) a = Ceil(m) y = Exp(a) }");
  const std::string half = Model(
      "r", begin +
               "s = ReduceSum(t, k) h = Constant<value_float = 0.5>() m = Mul(s, h) p = Neg(m) "
               "f = Floor(p) a = Neg(f) y = Exp(a) }");
  EXPECT_THAT(Onnxcmp({mean, half, "--prove", "--dim", "N=2"}).out,
              Not(HasSubstr("ReduceMean → ReduceSum+Mul: differs")));
  const std::string inputs = folder_ + "/two.npz";
  ASSERT_EQ(Onnxcmp({mean, mean, "--dim", "N=2", "--save-inputs", inputs}).status, 0);
  EXPECT_THAT(
      Onnxcmp({mean, half, "--prove", "--inputs", inputs, "--width", "300"}).out,
      AllOf(HasSubstr("ReduceMean → ReduceSum+Mul: differs alone: "), HasSubstr("; with N ")));
}

TEST_F(CompareCommandTest, TheTableFitsItsWidth) {
  const std::string plain = TestData("models/llm/plain.onnx");
  const std::string optimized = TestData("models/llm/optimized.onnx");
  const Outcome outcome = Onnxcmp({plain, optimized, "--width", "80", "--ascii"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("SkipLayerNormalization"));
  EXPECT_THAT(outcome.out, HasSubstr("FusedMatMul"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b[")));
  for (const std::string& line : Lines(outcome.out)) {
    // Paths of the models are never cut in two.
    if (line.find('/') == std::string::npos) {
      EXPECT_LE(line.size(), 80u) << line;
    }
    for (const char c : line) EXPECT_GE(c, ' ');
  }
  EXPECT_THAT(Onnxcmp({plain, optimized, "--color", "always"}).out, HasSubstr("\x1b["));
  EXPECT_GT(Lines(Onnxcmp({plain, optimized, "--all"}).out).size(), Lines(outcome.out).size());
}

TEST_F(CompareCommandTest, Reports) {
  const std::string left = Model("l", "(float[2] x) => (float[2] y) { y = Add(x, x) }");
  const std::string json = folder_ + "/r.json";
  const std::string csv = folder_ + "/r.csv";
  const std::string junit = folder_ + "/r.xml";
  const std::string markdown = folder_ + "/r.md";
  const std::string table = folder_ + "/r.txt";
  const Outcome outcome = Onnxcmp({left, left, "--json", json, "--csv", csv, "--junit", junit,
                                   "--markdown", markdown, "--output", table});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(ReadFile(json), StartsWith("{\"format\":\"onnxcmp\",\"version\":1,"));
  EXPECT_THAT(ReadFile(csv), StartsWith("relation,"));
  EXPECT_THAT(ReadFile(junit), HasSubstr("<testsuite"));
  EXPECT_THAT(ReadFile(markdown), StartsWith("## onnxcmp: same"));
  EXPECT_THAT(ReadFile(table), HasSubstr("exit 0"));
  EXPECT_EQ(Onnxcmp({left, left, "--format", "json"}).out, ReadFile(json));
  EXPECT_EQ(Onnxcmp({left, left, "--json", "/no/such/folder/r.json"}).status, 2);
}

TEST_F(CompareCommandTest, APage) {
  const std::string left = Model("l", "(float[2] x) => (float[2] y) { y = Add(x, x) }");
  const std::string right = Model("r", "(float[2] x) => (float[2] y) { y = Mul(x, x) }");
  const std::string page = folder_ + "/r.html";
  EXPECT_EQ(Onnxcmp({left, right, "--html", page}).status, 1);
  const std::string text = ReadFile(page);
  EXPECT_THAT(text, StartsWith("<!DOCTYPE html>\n<html lang=\"en\" data-verdict=\"different\">"));
  EXPECT_THAT(text,
              HasSubstr(absl::StrCat("\"command\":\"onnxcmp ", left, " ", right, " --html ")));
  EXPECT_THAT(Onnxcmp({left, left, "--format", "html"}).out, HasSubstr("data-verdict=\"same\""));
  EXPECT_THAT(Onnxcmp({left, left, "--format", "dot"}).out, StartsWith("digraph onnxcmp {"));
  EXPECT_EQ(Onnxcmp({left, left, "--html", "/no/such/folder/r.html"}).status, 2);
}

TEST_F(CompareCommandTest, NodeDataOfModelExplorer) {
  const std::string left = Model("l", "(float[2] x) => (float[2] y) { a = Abs(x) y = Add(a, x) }");
  const std::string right = Model("r", "(float[2] x) => (float[2] y) { a = Abs(x) y = Mul(a, x) }");
  const std::string dir = folder_ + "/explorer/files";
  const Outcome outcome = Onnxcmp({left, right, "--model-explorer", dir, "--format", "json"});
  EXPECT_EQ(outcome.status, 1);
  // Output for programs stays as it is.
  EXPECT_THAT(outcome.out, StartsWith("{\"format\":\"onnxcmp\""));
  for (const std::string side : {"left", "right"}) {
    EXPECT_THAT(outcome.err,
                HasSubstr(absl::StrCat("model-explorer ", side == "left" ? left : right,
                                       " --extensions=model_explorer_onnx --node_data_paths=", dir,
                                       "/", side, ".error.json,")));
    EXPECT_THAT(ReadFile(absl::StrCat(dir, "/", side, ".relation.json")),
                AllOf(HasSubstr("\"node\": {\n    \"value\": \"same\""),
                      HasSubstr("\"node_1\": {\n    \"value\": \"different\"")));
  }
  const std::string recording = folder_ + "/rec.npz";
  ASSERT_EQ(Onnxcmp({"run", left, "--ramp", "--save-all", recording}).status, 0);
  EXPECT_THAT(Onnxcmp({recording, left, "--model-explorer", dir}).err,
              HasSubstr("Model Explorer shows no recording: nothing was written of the left"));
  EXPECT_EQ(Onnxcmp({left, right, "--model-explorer", left + "/no"}).status, 2);
}

TEST_F(CompareCommandTest, AFailureOnTheWayShowsTheRowsBeforeIt) {
  const std::string left = Model(
      "l", "(float[6] x) => (float[a] z) <int64[2] s = {2, 3}> { y = Neg(x) z = Reshape(y, s) }");
  const std::string right = Model(
      "r", "(float[6] x) => (float[a] z) <int64[2] s = {2, 4}> { y = Neg(x) z = Reshape(y, s) }");
  Outcome outcome = Onnxcmp({left, right, "--all"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("= Neg"), StartsWith("failed"), HasSubstr("Reshape"),
                                 HasSubstr("\nexit 2\n")));
  outcome = Onnxcmp({left, right, "--format", "json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(Lines(outcome.err), SizeIs(1));
  EXPECT_THAT(outcome.err, StartsWith("onnxcmp: right: "));
}

// Whoever reads reports by program finds there that a model could not be read.
TEST_F(CompareCommandTest, ReportsOfModelsThatCannotBeRead) {
  const std::string good = Model("l", "(float[2] x) => (float[2] y) { y = Add(x, x) }");
  const std::string bad = folder_ + "/bad.onnx";
  WriteFile(bad, "no model");
  const std::string json = folder_ + "/r.json";
  const std::string junit = folder_ + "/r.xml";
  const auto parse = [](const std::string& text) {
    return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  };
  Outcome outcome = Onnxcmp({good, bad, "--json", json, "--junit", junit});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("onnxcmp: right: "));
  nlohmann::json report = parse(ReadFile(json));
  EXPECT_EQ(report["verdict"], "failed");
  EXPECT_EQ(report["exit"], 2);
  EXPECT_THAT(report["summary"].get<std::string>(), StartsWith("right: "));
  EXPECT_EQ(report["right"]["source"], bad);
  EXPECT_THAT(report["right"]["error"].get<std::string>(), HasSubstr("bad.onnx"));
  EXPECT_FALSE(report["left"].contains("error"));
  EXPECT_THAT(ReadFile(junit), AllOf(HasSubstr("errors=\"1\""), HasSubstr("bad.onnx")));

  outcome = Onnxcmp({bad, good, "--format", "json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(parse(outcome.out)["summary"].get<std::string>().rfind("left: ", 0), 0);

  // Inputs that fit neither side are no fault of one.
  WriteFile(folder_ + "/in.npz", "no archive");
  outcome = Onnxcmp({good, good, "--inputs", folder_ + "/in.npz", "--format", "json"});
  EXPECT_EQ(outcome.status, 2);
  report = parse(outcome.out);
  EXPECT_EQ(report["verdict"], "failed");
  EXPECT_THAT(report["error"].get<std::string>(), HasSubstr("in.npz"));
  EXPECT_EQ(report["summary"], report["error"]);
  EXPECT_THAT(Onnxcmp({good, good, "--inputs", folder_ + "/in.npz", "--format", "junit"}).out,
              HasSubstr("errors=\"1\""));
}

// "at most" is the greatest difference of all outputs, also where another one is worse for its
// size.
TEST_F(CompareCommandTest, AtMostIsTheMaximum) {
  const std::string left =
      Model("l",
            "(float[64] x) => (float[64] a, float[64] b) <float k = {1000}> { a = Mul(x, k)"
            " b = Tanh(x) }");
  const std::string right =
      Model("r",
            "(float[64] x) => (float[64] a, float[64] b) <float k = {1010}> { a = Mul(x, k)"
            " b = Relu(x) }");
  const Outcome outcome = Onnxcmp({left, right});
  EXPECT_EQ(outcome.status, 1);
  const auto json = nlohmann::json::parse(Onnxcmp({left, right, "--format", "json"}).out, nullptr,
                                          /*allow_exceptions=*/false);
  const std::string summary = json["summary"].get<std::string>();
  EXPECT_THAT(summary, AllOf(HasSubstr("for its size the farthest "), HasSubstr(" at b["),
                             HasSubstr("; at most "), HasSubstr(" at a[")));
  for (const auto& output : json["outputs"]) {
    EXPECT_GT(output["diff"]["rms"].get<double>(), 0);
    EXPECT_GT(output["diff"]["apart"].get<double>(), 0);
    EXPECT_LE(output["diff"]["cosine"].get<double>(), 1);
  }
  // The worse one for its size is the greatest, too: one figure.
  EXPECT_THAT(Onnxcmp({left, Model("s",
                                   "(float[64] x) => (float[64] a, float[64] b) <float k = "
                                   "{2000}> { a = Mul(x, k) b = Tanh(x) }")})
                  .out,
              Not(HasSubstr("for its size")));
}

TEST_F(CompareCommandTest, AModelAgainstItsOwnRecording) {
  const std::string model = TestData("models/llm/plain.onnx");
  const std::string recording = folder_ + "/run.npz";
  ASSERT_EQ(Onnxcmp({"run", model, "--seed", "1", "--save-all", recording}).status, 0);
  // The model takes the inputs that were recorded.
  for (const std::vector<std::string>& sides :
       {std::vector<std::string>{model, recording}, {recording, model}, {recording, recording}}) {
    const Outcome outcome = Onnxcmp({sides[0], sides[1], "--all", "--ascii"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, HasSubstr("\nsame "));
    EXPECT_THAT(Lines(outcome.out), Each(Not(HasSubstr(" ~ "))));
  }
}

TEST_F(CompareCommandTest, InputsThatAreCalledOtherwise) {
  const std::string left =
      Model("l", "(float[2] a, int64[1] i) => (float[2] y) { s = Cast<to = 1>(i) y = Add(a, s) }");
  const std::string right =
      Model("r", "(int64[1] k, float[2] b) => (float[2] y) { s = Cast<to = 1>(k) y = Add(b, s) }");
  const Outcome outcome = Onnxcmp({left, right});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("`a` -> right input `b`"));
  EXPECT_EQ(Onnxcmp({left, right, "--map-input", "a=b"}).status, 0);
  const Outcome wrong = Onnxcmp({left, right, "--map-input", "a=k"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(Lines(wrong.err), SizeIs(1));
}

// Slices of an archive's entries: [2,3] is two sets of 3.
TEST_F(CompareCommandTest, SeveralSetsOfInputs) {
  const std::string maker = Model("maker", "(float[2,3] a) => (float[2,3] x) { x = Neg(a) }");
  const std::string npz = folder_ + "/sets.npz";
  ASSERT_EQ(Onnxcmp({"run", maker, "--ramp", "--save", npz}).status, 0);
  const std::string left = Model("l", "(float[3] x) => (float[3] y) { y = Abs(x) }");
  const std::string right = Model("r", "(float[3] x) => (float[3] y) { y = Neg(x) }");
  Outcome outcome = Onnxcmp({left, left, "--inputs", npz, "--each"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("[0]"), HasSubstr("[1]")));
  const std::string page = folder_ + "/p.html";
  EXPECT_EQ(Onnxcmp({left, left, "--inputs", npz, "--each", "--html", page}).status, 0);
  EXPECT_THAT(ReadFile(folder_ + "/p.1.html"),
              AllOf(HasSubstr("\"set\":1,"), HasSubstr("\"sets\":[\"p.0.html\",\"p.1.html\"]")));
  EXPECT_THAT(ReadFile(page),
              AllOf(HasSubstr("{\"sets\":[{\"name\":"), HasSubstr("id=\"onnxcmp-1\""),
                    HasSubstr("data-verdict=\"same\"")));
  outcome = Onnxcmp({left, right, "--inputs", npz, "--each", "--rtol", "3"});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(Onnxcmp({left, maker, "--inputs", npz, "--each"}).status, 2);
}

// All that lie beside the models are fed, not only the first.
TEST_F(CompareCommandTest, SetsOfInputsBesideTheModels) {
  const std::string left = Model("l", "(float[4] x) => (float[4] y) { y = Abs(x) }");
  const std::string right = Model("r", "(float[4] x) => (float[4] y) { y = Relu(x) }");
  for (const char* set : {"0", "2"}) {
    const std::string maker =
        Model("maker", absl::StrCat("(float[4] a) => (float[4] x) { b = Abs(a) x = ",
                                    set[0] == '0' ? "Identity" : "Neg", "(b) }"));
    ASSERT_EQ(Onnxcmp({"run", maker, "--save", folder_ + "/made/"}).status, 0);
    const std::string folder = absl::StrCat(folder_, "/test_data_set_", set);
    std::filesystem::create_directory(folder);
    std::filesystem::rename(folder_ + "/made/test_data_set_0/output_0.pb", folder + "/input_0.pb");
    std::filesystem::remove_all(folder_ + "/made");
  }
  const Outcome outcome = Onnxcmp({left, right});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("test_data_set_0"), HasSubstr("test_data_set_2")));
}

// The saved inputs are those of the comparison shown, not the last ones tried.
TEST_F(CompareCommandTest, SavesTheInputsThatItShows) {
  const std::string left = Model("l", "(float[b,8] x) => (float[b,8] y) { y = Relu(x) }");
  const std::string right = Model("r", "(float[b,8] x) => (float[b,8] y) { y = Abs(x) }");
  const auto fed = [](const Outcome& outcome) {
    for (const std::string& line : Lines(outcome.out)) {
      if (line.starts_with("fed ")) return line;
    }
    return std::string();
  };
  const std::string npz = folder_ + "/saved.npz";
  for (const std::string& other : {left, right}) {
    const Outcome shown = Onnxcmp({left, other, "--save-inputs", npz});
    const Outcome again = Onnxcmp({left, other, "--inputs", npz});
    EXPECT_EQ(shown.status, again.status);
    EXPECT_NE(fed(shown), "");
    EXPECT_EQ(fed(shown), fed(again));
  }
}

TEST_F(CompareCommandTest, SizesAndSearchesAreTried) {
  const std::string model = Model("open", "(float[b,4] x) => (float[b,4] y) { y = Neg(x) }");
  const std::string limited = Model("limited",
                                    "(float[b,4] x) => (float[b,4] y) "
                                    "<float most = {3e4}> { n = Neg(x) y = Min(n, most) }");
  const Outcome sizes = Onnxcmp({model, model, "--sizes"});
  for (const char* batch : {"1", "3", "4", "8"}) {
    EXPECT_THAT(sizes.out, HasSubstr(absl::StrCat("b ", batch, ": both run and agree")));
  }
  EXPECT_THAT(Onnxcmp({model, model}).out, Not(HasSubstr("both run and agree")));
  EXPECT_EQ(Onnxcmp({model, limited, "--search=10s"}).status, 1);
}

// A search that cannot be made is said to be none.
TEST_F(CompareCommandTest, SearchesOrSaysWhyNot) {
  const std::string model = Model("m", "(float[b,8] x) => (float[b,8] y) { y = Relu(x) }");
  for (const char* time : {"abc", "0s", "0", "nan", "-3s"}) {
    const Outcome outcome = Onnxcmp({model, model, absl::StrCat("--search=", time)});
    EXPECT_EQ(outcome.status, 2) << time;
    EXPECT_THAT(outcome.err, HasSubstr("must be a time such as 30s"));
  }
  const std::string npz = folder_ + "/x.npz";
  ASSERT_EQ(Onnxcmp({"run", model, "--save-all", npz}).status, 0);
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--inputs", npz}, {"--ramp"}, {"--classic"}}) {
    std::vector<std::string> arguments = {model, model, "--search=100ms"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = Onnxcmp(arguments);
    EXPECT_EQ(outcome.status, 2) << options[0];
    EXPECT_THAT(outcome.err, HasSubstr("--search makes inputs up"));
  }
  EXPECT_EQ(Onnxcmp({model, npz, "--search=100ms"}).status, 2);
  // Inputs beside the models are not meant.
  std::filesystem::create_directory(folder_ + "/made");
  ASSERT_EQ(Onnxcmp({"run", model, "--save", folder_ + "/made/"}).status, 0);
  std::filesystem::rename(folder_ + "/made/test_data_set_0", folder_ + "/test_data_set_0");
  EXPECT_THAT(Onnxcmp({model, model, "--search=100ms"}).out, HasSubstr("a search of 100ms over"));
}

TEST_F(CompareCommandTest, SeedsAndThreads) {
  const std::string model = Model("m", "(float[64] x) => (float[64] y) { y = Abs(x) }");
  const auto json = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {model, model, "--format", "json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return Onnxcmp(arguments).out;
  };
  EXPECT_EQ(json({"--seed", "1"}), json({"--seed", "1", "--threads", "1"}));
  EXPECT_NE(json({"--seed", "1"}), json({"--seed", "2"}));
  EXPECT_NE(json({"--seed", "1"}), json({}));
}

TEST_F(CompareCommandTest, FunctionsInlinedOrKept) {
  const std::string function = R"(
      <domain: "local", opset_import: ["" : 18]>
      Twice (x) => (y) { z = Neg(x) y = Sub(x, z) })";
  const std::string left =
      Model("l", "(float[2] x) => (float[2] y) { y = local.Twice(x) }", function);
  const std::string right = Model("r", "(float[2] x) => (float[2] y) { y = Add(x, x) }");
  const Outcome inlined = Onnxcmp({left, right, "--all"});
  EXPECT_EQ(inlined.status, 0) << inlined.err;
  EXPECT_THAT(inlined.out, HasSubstr(" Neg "));
  const Outcome kept = Onnxcmp({left, right, "--all", "--functions", "keep"});
  EXPECT_EQ(kept.status, 0) << kept.err;
  EXPECT_THAT(kept.out, HasSubstr(" Twice "));
  EXPECT_THAT(kept.out, Not(HasSubstr(" Neg ")));
}

}  // namespace
}  // namespace onnxcmp
