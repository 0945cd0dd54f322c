// A chain of models: which step broke it, in a table and in JSON, with and without sharing.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::ReadFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ChainCommandTest : public testing::ModelFolderTest {
 protected:
  std::string Scaled(const std::string& name, const std::string& factor) {
    return Model(name, absl::StrCat("(float[64] x) => (float[64] y) <float f = {", factor,
                                    "}> { a = Tanh(x) b = Mul(a, f) y = Exp(b) }"));
  }
};

TEST_F(ChainCommandTest, NamesTheFirstStepThatFails) {
  const std::string a = Scaled("a", "2");
  const std::string b =
      Model("b", "(float[64] x) => (float[64] y) { a = Tanh(x) b = Add(a, a) y = Exp(b) }");
  const std::string c = Scaled("c", "2.5");
  const std::string d = Scaled("d", "2.5");
  const Outcome outcome = Onnxcmp({"chain", a, b, c, d});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "");
  // The changes of a step, and its first cause.
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("\nstep 1     3 nodes (+1 Add, -1 Mul); only left: 1 initializer\n"),
                    HasSubstr("\nstep 3     3 nodes, the same operators\n")));
  // At the end the whole table of that step, as a comparison of the two prints it.
  EXPECT_THAT(outcome.out, HasSubstr("\n\n2: b.onnxtxt → c.onnxtxt\n" + Onnxcmp({b, c}).out +
                                     "\ndifferent  the first of 3 steps that fails is 2: "));
  EXPECT_THAT(outcome.out, AllOf(StartsWith(" = 1: a.onnxtxt → b.onnxtxt    same "),
                                 HasSubstr("\n ≠ 2: b.onnxtxt → c.onnxtxt    different  at most "),
                                 HasSubstr("\n = 3: c.onnxtxt → d.onnxtxt    same "),
                                 HasSubstr("\n ≠ all: a.onnxtxt → d.onnxtxt  different ")));
  EXPECT_THAT(
      outcome.out,
      HasSubstr("\ndifferent  the first of 3 steps that fails is 2: b.onnxtxt → c.onnxtxt; "));
  EXPECT_THAT(outcome.out, ::testing::EndsWith("\nexit 1\n"));

  const Outcome json = Onnxcmp({"chain", a, b, c, d, "--format", "json"});
  EXPECT_EQ(json.status, 1);
  const nlohmann::json report = nlohmann::json::parse(json.out);
  EXPECT_EQ(report["models"].size(), 4);
  ASSERT_EQ(report["steps"].size(), 3);
  EXPECT_EQ(report["steps"][0]["verdict"], "same");
  EXPECT_EQ(report["steps"][1]["verdict"], "different");
  EXPECT_EQ(report["steps"][1]["from"], b);
  EXPECT_EQ(report["steps"][1]["against_first"]["verdict"], "different");
  EXPECT_EQ(report["steps"][0]["against_first"]["verdict"], "same");
  EXPECT_EQ(report["steps"][1]["exit_status"], 1);
  EXPECT_EQ(report["steps"][1]["causes"].size(), 1);
  EXPECT_EQ(report["steps"][2]["exit_status"], 0);
  EXPECT_EQ(report["ends"]["to"], d);
  EXPECT_EQ(report["ends"]["verdict"], "different");
  EXPECT_EQ(report["broken_by"], 1);
  EXPECT_EQ(report["verdict"], "different");
  EXPECT_EQ(report["exit_status"], 1);
}

TEST_F(ChainCommandTest, MendsTheStepThatFails) {
  const std::string a = Scaled("a", "2"), b = Scaled("b", "2"), c = Scaled("c", "2.5");
  const std::string d = Scaled("d", "2.5"), out = folder_ + "/mended.onnx";
  const Outcome outcome = Onnxcmp({"chain", a, b, c, d, "--fix", out, "--width", "200"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("\n\n2: b.onnxtxt → c.onnxtxt\n"),
                    HasSubstr("1 edit of the right model makes the outputs agree: " + out),
                    HasSubstr("f: [] 2.5 -> 2"), HasSubstr("verified: agrees on")));
  EXPECT_EQ(Onnxcmp({b, out, "--fail-on", "bits"}).status, 0);
  const nlohmann::json report =
      nlohmann::json::parse(Onnxcmp({"chain", a, b, c, d, "--fix", out, "--format", "json"}).out);
  EXPECT_EQ(report["broken_by"], 1);
  EXPECT_EQ(report["fix"]["agrees"], true);
  EXPECT_EQ(report["fix"]["file"], out);
  EXPECT_THAT(Onnxcmp({"chain", a, b, c, "--fix", out, "--format", "markdown"}).out,
              HasSubstr("\n### Fix\n\n- 1 edit of the right model"));
}

TEST_F(ChainCommandTest, MendsTheEndsWhereChangesAddUp) {
  const std::string a = Scaled("a", "2"), b = Scaled("b", "2.02"), c = Scaled("c", "2.04");
  const std::string out = folder_ + "/mended.onnx";
  const Outcome outcome = Onnxcmp(
      {"chain", a, b, c, "--fix", out, "--rtol", "0.03", "--atol", "0.001", "--width", "200"});
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("all: a.onnxtxt → c.onnxtxt\n"), HasSubstr("f: [] 2.04 -> 2")));
  EXPECT_EQ(Onnxcmp({a, out, "--fail-on", "bits"}).status, 0);
}

TEST_F(ChainCommandTest, MendsNothingOfHonestSteps) {
  const std::string a = Scaled("a", "2"), b = Scaled("b", "2"), out = folder_ + "/mended.onnx";
  const Outcome outcome = Onnxcmp({"chain", a, b, a, "--fix", out});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("the outputs agree: there is nothing to mend"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(ChainCommandTest, OptionsOfFixThatExcludeOthers) {
  const std::string a = Scaled("a", "2"), b = Scaled("b", "3"), out = folder_ + "/mended.onnx";
  EXPECT_THAT(Onnxcmp({"chain", a, b, "--fix-script", out}).err,
              HasSubstr("--fix-script needs --fix OUT"));
  EXPECT_THAT(Onnxcmp({"chain", a, b, "--fix", out, "--no-causes"}).err,
              HasSubstr("it excludes --no-causes"));
  EXPECT_THAT(Onnxcmp({"chain", a, "--levels", "onnxruntime", "--fix", out}).err,
              HasSubstr("--fix excludes --levels: "));
  EXPECT_THAT(Onnxcmp({"chain", a, b, "--fix", b}).err,
              HasSubstr("is read by this command: it is not written over"));
}

TEST_F(ChainCommandTest, ModelsThatAreComparedStay) {
  const std::string a = Scaled("a", "2"), b = Scaled("b", "3");
  const std::string before = ReadFile(b);
  const Outcome outcome = Onnxcmp({"chain", a, b, "--json", b});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is read by this command: it is not written over"));
  EXPECT_EQ(ReadFile(b), before);
}

TEST_F(ChainCommandTest, ProvesPassByPass) {
  const std::string a = Scaled("a", "2");
  const std::string b =
      Model("b", "(float[64] x) => (float[64] y) { a = Tanh(x) b = Add(a, a) y = Exp(b) }");
  // Within any tolerance, and no rewrite.
  const std::string c = Scaled("c", "2.0000002");
  const Outcome outcome = Onnxcmp({"chain", a, b, c, "--prove", "--width", "200"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("1: a.onnxtxt → b.onnxtxt    same       proved; the output"),
                    HasSubstr("2: b.onnxtxt → c.onnxtxt    close      not proved; at most"),
                    HasSubstr("all: a.onnxtxt → c.onnxtxt  close      not proved; "),
                    HasSubstr("rewrites: Mul → Add: proved"),
                    HasSubstr("; 1 of 2 is proved for all inputs of these shapes")));
  const nlohmann::json report =
      nlohmann::json::parse(Onnxcmp({"chain", a, b, c, "--prove", "--format", "json"}).out);
  EXPECT_EQ(report["steps"][0]["proof"]["proved"], true);
  EXPECT_EQ(report["steps"][1]["proof"]["proved"], false);
  EXPECT_EQ(report["ends"]["proof"]["proved"], false);
  EXPECT_THAT(Onnxcmp({"chain", a, b, c, "--prove", "--format", "junit"}).out,
              AllOf(HasSubstr("<testcase classname=\"proof\" name=\"1: a.onnxtxt → b.onnxtxt\"/>"),
                    HasSubstr("skipped=\"2\""), HasSubstr("rewrites: Mul → Add: proved")));
  EXPECT_THAT(
      Onnxcmp({"chain", a, b, c, "--prove", "--format", "markdown"}).out,
      HasSubstr("\n- step 1: a false proof has a chance below 2^-69: 3 runs modulo random primes "
                "agree; rewrites: Mul → Add: proved\n"));
  EXPECT_FALSE(
      nlohmann::json::parse(Onnxcmp({"chain", a, b, "--format", "json"}).out)["steps"][0].contains(
          "proof"));
}

TEST_F(ChainCommandTest, StepsThatPassMayNotPassTogether) {
  const std::vector<std::string> chain = {
      "chain",  Scaled("a", "2"), Scaled("b", "2.05"), Scaled("c", "2.1"),
      "--rtol", "0.07",           "--width",           "200"};
  const Outcome outcome = Onnxcmp(chain);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("\n\nall: a.onnxtxt → c.onnxtxt\n"));
  EXPECT_THAT(
      outcome.out,
      AllOf(StartsWith(" ≈ 1: a.onnxtxt → b.onnxtxt "), HasSubstr("\n ≈ 2: b.onnxtxt → c.onnxtxt "),
            HasSubstr("each of 2 steps passes, but not all of them together: the changes "
                      "add up, and from step 2 on")));
  const Outcome wider = Onnxcmp({"chain", chain[1], chain[2], chain[3], "--rtol", "0.2"});
  EXPECT_EQ(wider.status, 0);
  EXPECT_THAT(wider.out,
              AllOf(HasSubstr("\nclose      2 steps: 2 close\n"), Not(HasSubstr("left "))));
}

TEST_F(ChainCommandTest, SaysWhatAStepChanged) {
  const std::string a =
      Model("a",
            "(float[2,3] x) => (float[2,2] y) <float[3,2] w = {1, 2, 3, 4, 5, 6}, "
            "float[2] c = {1, 2}> { p = MatMul(x, w) q = Add(p, c) s = Softmax(q) y = Neg(s) }");
  const std::string b =
      Model("b",
            "(float[2,3] x) => (float[2,2] y) <float[3,2] w = {1, 2, 3, 4, 5, 6}, "
            "float[2] c = {1, 2}> { q = Gemm(x, w, c) t = Softmax(q) y = Neg(t) }");
  const std::string c =
      Model("c",
            "(float[2,3] x) => (float[2,2] y) <float[3,2] w = {1, 2, 3, 4, 5, 6}, "
            "float[2] c = {1, 2}> { q = Gemm(x, w, c) t = Softmax <axis = 0> (q) y = Neg(t) }");
  const std::string loop =
      "(float[2,3] x) => (float[2,3] y) <int64 n = {5}> { b = Greater(x, x) "
      "y = Loop(n, , x) <body = g (int64 i, bool go, float[2,3] v) => "
      "(bool more, float[2,3] u) { more = Identity(go) u = Neg(v) }> }";
  const Outcome outcome = Onnxcmp({"chain", a, b, c, "--width", "200"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("\nstep 1     4 → 3 nodes (+1 Gemm, -1 Add, -1 MatMul); 1 renamed; "
                      "MatMul+Add → Gemm\n"),
            HasSubstr("\nstep 2     3 nodes, the same operators; 1 node with other attributes\n"
                      "           cause: ")));
  const Outcome json = Onnxcmp({"chain", a, b, c, "--format", "json"});
  const nlohmann::json counts = nlohmann::json::parse(json.out)["steps"][0]["counts"];
  EXPECT_EQ(counts["nodes_before"], 4);
  EXPECT_EQ(counts["nodes_after"], 3);
  EXPECT_EQ(counts["operators"], (nlohmann::json{{"Gemm", 1}, {"MatMul", -1}, {"Add", -1}}));
  EXPECT_EQ(counts["renamed"], 1);
  // A node in a loop's body counts once, however often it runs.
  const std::string d = Model("d", loop);
  const std::string e = Model("e", absl::StrReplaceAll(loop, {{"Neg(v)", "Abs(v)"}}));
  EXPECT_THAT(Onnxcmp({"chain", d, e, "--width", "200"}).out, HasSubstr("(+1 Abs, -1 Neg)"));
}

// Each model beside the first one, whatever the step that made it did.
TEST_F(ChainCommandTest, EachStepBesideTheFirst) {
  const std::vector<std::string> chain = {"chain",
                                          Scaled("a", "2"),
                                          Scaled("b", "2.05"),
                                          Scaled("c", "2.1"),
                                          Scaled("d", "2.05"),
                                          "--rtol",
                                          "0.07"};
  const Outcome outcome = Onnxcmp(chain);
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("beside the first different, at most "),
                                 Not(HasSubstr("add up")), HasSubstr("3 steps: 3 close")));
}

// Verdicts of quantized models depend on the causes that are found.
TEST_F(ChainCommandTest, AModelBesideTheFirstIsJudgedAsTwoSidesAre) {
  const auto model = [](const std::string& name) {
    return TestData("models/llm/" + name + ".onnx");
  };
  const Outcome two = Onnxcmp({model("qdq"), model("dynamic")});
  ASSERT_NE(Onnxcmp({model("qdq"), model("dynamic"), "--no-causes"}).status, two.status);
  const Outcome chain = Onnxcmp({"chain", model("qdq"), model("plain"), model("dynamic"),
                                 model("plain"), "--format", "json"});
  const nlohmann::json report = nlohmann::json::parse(chain.out);
  EXPECT_EQ(report["steps"][1]["against_first"]["exit_status"], two.status);
}

TEST_F(ChainCommandTest, ReportsAndFolders) {
  for (const int pass : {1, 2, 10}) {
    Scaled(absl::StrCat("pass", pass), pass == 10 ? "3" : "2");
  }
  const std::string json = folder_ + "/r/chain.json", junit = folder_ + "/r/chain.xml",
                    markdown = folder_ + "/r/chain.md";
  std::filesystem::create_directory(folder_ + "/r");
  const Outcome outcome =
      Onnxcmp({"chain", folder_, "--json", json, "--junit", junit, "--markdown", markdown});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  const nlohmann::json report = nlohmann::json::parse(ReadFile(json));
  EXPECT_EQ(report["models"][2], folder_ + "/pass10.onnxtxt");
  EXPECT_EQ(report["broken_by"], 1);
  EXPECT_THAT(ReadFile(junit), AllOf(HasSubstr("tests=\"3\" failures=\"2\""),
                                     HasSubstr("2: pass2.onnxtxt → pass10.onnxtxt")));
  EXPECT_THAT(ReadFile(markdown),
              AllOf(StartsWith("**different**: the first of 2 steps that fails is 2: "),
                    HasSubstr("| 1: pass1.onnxtxt → pass2.onnxtxt | same |"), HasSubstr("\n- ")));
  // Without the word, too.
  const std::string a = folder_ + "/pass1.onnxtxt", b = folder_ + "/pass2.onnxtxt";
  EXPECT_EQ(Onnxcmp({a, b, a}).out, Onnxcmp({"chain", a, b, a}).out);
}

// Findings taken from the step before show nowhere, not even where nodes draw random numbers.
TEST_F(ChainCommandTest, SharingDoesNotShow) {
  const std::string noisy =
      "(float[64] x) => (float[64] y) { r = RandomNormalLike(x) s = RandomNormalLike(x) "
      "a = Mul(r, x) b = Tanh(a) c = Mul(b, s) y = Add(c, x) }";
  const std::string a = Model("a", noisy);
  const std::string b = Model("b", absl::StrReplaceAll(noisy, {{"Tanh(a)", "Tanh(x)"}}));
  const std::string c = Model("c", absl::StrReplaceAll(noisy, {{"Add(c, x)", "Sub(c, x)"}}));
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"--keep-values", "0"}, {"--fail-on", "causes"}}) {
    std::vector<std::string> arguments = {"chain", a, a, b, c, a};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome shared = Onnxcmp(arguments);
    EXPECT_EQ(shared.status, 1);
    EXPECT_THAT(shared.out, HasSubstr(Onnxcmp({a, b}).out));
    arguments.push_back("--no-share");
    EXPECT_EQ(Onnxcmp(arguments).out, shared.out);
  }
}

// Two models that have no node in common: what runs once in the first step runs in no other.
TEST_F(ChainCommandTest, AStepIsHandedWhatEarlierOnesFound) {
  const std::string graph = "(float[64] x) => (float[64] y) { a = Tanh(x) b = Exp(a) y = Sin(b) }";
  const std::string a = Model("a", graph);
  const std::string b = Model("b", absl::StrReplaceAll(graph, {{"Tanh", "Sigmoid"}}));
  const std::string x = folder_ + "/x.npz";
  ASSERT_EQ(Onnxcmp({a, a, "--save-inputs", x}).status, 0);
  const std::vector<std::string> chain = {"chain", a, b, a, b, "--inputs", x, "--timings"};
  // 3 steps and two beside the first, of 6 nodes each; a beside itself runs once.
  EXPECT_THAT(Onnxcmp(chain).err, HasSubstr("21 of 30 nodes were taken from another run"));
  EXPECT_THAT(Onnxcmp({a, b, "--inputs", x, "--timings"}).err,
              HasSubstr("0 of 6 nodes were taken from another run"));
}

TEST_F(ChainCommandTest, Mistakes) {
  const std::string a = Scaled("a", "2");
  Outcome outcome = Onnxcmp({"chain", a});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("two models at least are needed"));
  outcome = Onnxcmp({"chain", a, a, "none.onnx"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("step 2: a.onnxtxt → none.onnx: "), HasSubstr("none.onnx")));
  outcome = Onnxcmp({"chain", a, a, "--fail-on", "causes", "--no-causes"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--fail-on causes needs causes: it excludes --no-causes"));
  // A step that cannot run fails the chain, and the others are told all the same.
  const std::string fails =
      Model("f",
            "(float[64] x) => (float[64] y) { s = Shape(x) y = Reshape(x, s) z = Size(x) "
            "q = Gather(x, z) }");
  outcome = Onnxcmp({"chain", a, fails, a});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out,
              AllOf(StartsWith(" x 1: a.onnxtxt → f.onnxtxt "), Not(HasSubstr("step 1")),
                    HasSubstr("\n = all: a.onnxtxt → a.onnxtxt ")));
}

TEST_F(ChainCommandTest, APageOfAllSteps) {
  const std::string page = folder_ + "/chain.html";
  const std::vector<std::string> chain = {"chain", Scaled("a", "2"), Scaled("b", "2"),
                                          Scaled("c", "3")};
  std::vector<std::string> with_page = chain;
  with_page.insert(with_page.end(), {"--html", page});
  const Outcome outcome = Onnxcmp(with_page);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, Onnxcmp(chain).out);
  const std::string text = ReadFile(page);
  EXPECT_THAT(text, HasSubstr("data-verdict=\"different\""));
  EXPECT_THAT(text, HasSubstr("\"broken_by\": 1"));
  EXPECT_THAT(text, HasSubstr("\"command\": \"onnxcmp chain "));
  // Three comparisons: two steps and the ends.
  EXPECT_THAT(text, HasSubstr("id=\"onnxcmp-2\""));
  EXPECT_THAT(text, Not(HasSubstr("id=\"onnxcmp-3\"")));
  // All three models side by side.
  EXPECT_THAT(text, HasSubstr("id=\"onnxcmp-graphs\""));
  EXPECT_THAT(text, HasSubstr("\"summary\":\"a.onnxtxt → b.onnxtxt: "));
  with_page.back() = "/no/such/folder/chain.html";
  EXPECT_EQ(Onnxcmp(with_page).status, 2);
}

}  // namespace
}  // namespace onnxcmp
