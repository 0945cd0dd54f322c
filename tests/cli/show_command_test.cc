// onnxcmp show, and what the program says of words that are no command.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"
#include "tests/support/paths.h"

namespace onnxcmp::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ShowCommandTest : public ModelFolderTest {
 protected:
  std::string Llm(const std::string& name) const { return TestData("models/llm/" + name); }
  std::string chain_ = Model("chain", R"((float[N,4] x) => (float[N,4] y) {
      a = Abs (x)
      b = Neg (a)
      y = Exp (b) })");
};

TEST_F(ShowCommandTest, TextOfAModel) {
  const Outcome outcome = Onnxcmp({"show", chain_});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr(" 1 Neg(a) -> b  f32[N,4]\n"));
  EXPECT_THAT(Onnxcmp({"show", chain_, "--dim", "N=3"}).out, HasSubstr("Neg(a) -> b  f32[3,4]\n"));
  EXPECT_EQ(Onnxcmp({"show", chain_, "--dim", "M=3"}).status, 2);
}

TEST_F(ShowCommandTest, WhatCannotRunIsShownWithTheReason) {
  const std::string missing = Model("missing", R"((float[2] x) => (float[2] y) {
      a = Add (x, nowhere)
      y = Neg (a) })");
  const Outcome text = Onnxcmp({"show", missing});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.err, "");
  EXPECT_THAT(text.out, HasSubstr("it cannot run: nothing makes the input 'nowhere' of Add"));
  EXPECT_THAT(text.out, HasSubstr(" 0 Add(x, nowhere) -> a"));
  const std::string circle = Model("circle", R"((float[2] x) => (float[2] b) {
      a = Add (b, x)
      b = Neg (a) })");
  for (const char* format : {"json", "dot", "svg", "html"}) {
    SCOPED_TRACE(format);
    const Outcome outcome = Onnxcmp({"show", circle, "--format", format});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(absl::StrCat(outcome.out, outcome.err),
                HasSubstr("it cannot run: nodes need each other's outputs"));
  }
  EXPECT_THAT(Onnxcmp({"show", missing, circle}).out, HasSubstr("it cannot run"));
  // What can run has no such word, and what is no model is none.
  EXPECT_THAT(Onnxcmp({"show", chain_}).out, Not(HasSubstr("it cannot run")));
  EXPECT_EQ(Onnxcmp({"show", missing, "--run"}).status, 2);
}

TEST_F(ShowCommandTest, ARunTellsRealShapes) {
  const std::string model = Model("real", R"((float[5] x) => (y) {
      n = NonZero (x)
      y = Transpose <perm = [1,0]> (n) })");
  EXPECT_THAT(Onnxcmp({"show", model}).out, Not(HasSubstr("i64[5,1]")));
  EXPECT_THAT(Onnxcmp({"show", model, "--run", "--ramp"}).out, HasSubstr("-> y  i64[4,1]\n"));
  // Only what runs has real shapes: an unknown operator is shown, and does not run.
  const std::string unknown = Model("unknown", "(float[5] x) => (y) { y = acme.Magic (x) }");
  EXPECT_EQ(Onnxcmp({"show", unknown}).status, 0);
  EXPECT_EQ(Onnxcmp({"show", unknown, "--run"}).status, 2);
}

TEST_F(ShowCommandTest, APartOfAModel) {
  const Outcome around = Onnxcmp({"show", chain_, "--around", "a", "--hops", "0"});
  EXPECT_THAT(around.out, HasSubstr("Abs(x) -> a"));
  EXPECT_THAT(around.out, Not(HasSubstr("Neg(a)")));
  EXPECT_THAT(Onnxcmp({"show", chain_, "--nodes", "exp"}).out, HasSubstr("… 2 nodes\n"));
  const Outcome none = Onnxcmp({"show", chain_, "--nodes", "Epx"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("the model has no operator Epx"));
}

TEST_F(ShowCommandTest, EveryFormatOfAModelAndOfTwo) {
  for (const char* format : {"text", "json", "dot", "svg", "html"}) {
    SCOPED_TRACE(format);
    const Outcome one = Onnxcmp({"show", Llm("plain.onnx"), "--format", format});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_THAT(one.out, HasSubstr("Softmax"));
    const Outcome two =
        Onnxcmp({"show", Llm("plain.onnx"), Llm("optimized.onnx"), "--format", format});
    EXPECT_EQ(two.status, 0) << two.err;
    EXPECT_THAT(two.out, HasSubstr("FusedMatMul"));
  }
}

TEST_F(ShowCommandTest, Statistics) {
  const Outcome text = Onnxcmp({"show", Llm("plain.onnx"), "--stats"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("\nby operator\n"));
  EXPECT_THAT(text.out, HasSubstr("\nby type\n"));
  const Outcome json = Onnxcmp({"show", Llm("plain.onnx"), "--stats", "--format", "json"});
  EXPECT_THAT(json.out, HasSubstr("\"operators\":[{\"op\":"));
  // A run counts what inference cannot: products are all counted then.
  const Outcome run = Onnxcmp({"show", Llm("plain.onnx"), "--stats", "--run", "--format", "json"});
  EXPECT_THAT(run.out, HasSubstr("\"nodes_not_counted\":0"));
}

TEST_F(ShowCommandTest, OnnxTextGoesBackIntoEveryCommand) {
  const std::string text = absl::StrCat(folder_, "/plain.onnxtxt");
  const Outcome written =
      Onnxcmp({"show", Llm("plain.onnx"), "--format", "onnxtxt", "--output", text});
  ASSERT_EQ(written.status, 0) << written.err;
  const Outcome same = Onnxcmp({Llm("plain.onnx"), text, "--fail-on", "bits"});
  EXPECT_EQ(same.status, 0) << same.out << same.err;
  EXPECT_THAT(same.out, HasSubstr("same "));
  // As numbers, too.
  const Outcome numbers =
      Shell(absl::StrCat("\"$ONNXCMP\" show '", Llm("plain.onnx"), "' --format onnxtxt > '",
                         folder_, "/numbers.onnxtxt' && \"$ONNXCMP\" '", text, "' '", folder_,
                         "/numbers.onnxtxt' --fail-on bits"));
  EXPECT_EQ(numbers.status, 0) << numbers.out << numbers.err;
  for (const char* command : {"run", "fusions", "show"}) {
    EXPECT_EQ(Onnxcmp({command, text}).status, 0) << command;
  }
}

TEST_F(ShowCommandTest, OptionsThatDoNotGoTogetherAreRefused) {
  EXPECT_EQ(Onnxcmp({"show", chain_, "--inputs", "x.npz"}).status, 2);
  EXPECT_EQ(Onnxcmp({"show", chain_, chain_, "--run"}).status, 2);
  EXPECT_EQ(Onnxcmp({"show", chain_, "--stats", "--format", "svg"}).status, 2);
  EXPECT_EQ(Onnxcmp({"show", chain_, "--format", "onnxtxt", "--nodes", "Abs"}).status, 2);
  EXPECT_EQ(Onnxcmp({"show", folder_ + "/missing.onnx"}).status, 2);
  EXPECT_EQ(Onnxcmp({"show"}).status, 2);
}

TEST_F(ShowCommandTest, OneModelAloneAndUnknownWordsGetAdvice) {
  const Outcome alone = Onnxcmp({chain_});
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.err, HasSubstr(absl::StrCat("onnxcmp show ", chain_)));
  const Outcome word = Onnxcmp({"shwo", chain_});
  EXPECT_EQ(word.status, 2);
  EXPECT_THAT(word.err, HasSubstr("no command 'shwo'; did you mean `show`?"));
  EXPECT_THAT(word.err, HasSubstr("commands: show, run, chain, batch, bisect, generate, "
                                  "reduce, extract, cut, layers, fusions, test"));
  // Options and their values, too.
  EXPECT_THAT(Onnxcmp({"show", chain_, "--formt", "svg"}).err,
              HasSubstr("there is no option --formt; did you mean `--format`?; see onnxcmp show"));
  EXPECT_THAT(Onnxcmp({chain_, chain_, "--htlm=a.html"}).err,
              HasSubstr("there is no option --htlm; did you mean `--html`?"));
  EXPECT_THAT(Onnxcmp({"show", chain_, "--format", "svgg"}).err,
              HasSubstr("--format: does not take `svgg`; did you mean `svg`?; there are text, "));
  EXPECT_THAT(Onnxcmp({"run", chain_, chain_}).err, HasSubstr("not expected"));
  // And files.
  const std::string typed = folder_ + "/chian.onnxtxt";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"show", typed}, {chain_, typed}}) {
    EXPECT_THAT(Onnxcmp(command).err, HasSubstr("; did you mean `chain.onnxtxt`?"));
  }
  // A word that looks like a file is a file that is missing.
  EXPECT_THAT(Onnxcmp({"shwo.onnx", chain_}).err, Not(HasSubstr("command")));
}

TEST_F(ShowCommandTest, ThreeModelsStandEachBesideTheNext) {
  const std::string other = Model("other", R"((float[N,4] x) => (float[N,4] c) {
      a = Exp (x)
      b = Abs (a)
      c = Neg (b) })");
  const Outcome text = Onnxcmp({"show", chain_, chain_, other});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("other.onnxtxt"));
  for (const char* format : {"dot", "svg", "html"}) {
    SCOPED_TRACE(format);
    const Outcome drawn = Onnxcmp({"show", chain_, chain_, other, "--format", format});
    EXPECT_EQ(drawn.status, 0) << drawn.err;
    EXPECT_THAT(drawn.out, HasSubstr("chain.onnxtxt → other.onnxtxt: "));
    EXPECT_EQ(Onnxcmp({"show", chain_, chain_, other, "--nodes", "Abs", "--format", format}).status,
              0);
  }
  EXPECT_EQ(Onnxcmp({"show", chain_, chain_, other, "--format", "json"}).status, 2);
}

TEST_F(ShowCommandTest, TimesAreThoseOfARunThatWasNoted) {
  const std::string trace = folder_ + "/trace.json";
  EXPECT_EQ(Onnxcmp({"run", chain_, "--trace", trace}).status, 0);
  EXPECT_THAT(Onnxcmp({"show", chain_, "--times", trace, "--format", "html"}).out,
              HasSubstr("\"microseconds\":"));
  EXPECT_THAT(Onnxcmp({"show", chain_, "--format", "html"}).out,
              Not(HasSubstr("\"microseconds\":")));
  EXPECT_THAT(Onnxcmp({"show", chain_, "--times", trace}).err, HasSubstr("--format html"));
  const std::string other = Model("unlike", "(float[2] x) => (float[2] z) { z = Abs (x) }");
  EXPECT_THAT(Onnxcmp({"show", other, "--times", trace, "--format", "html"}).err,
              HasSubstr("trace.json: has times of no node of "));
  EXPECT_THAT(Onnxcmp({"show", chain_, "--times", other, "--format", "html"}).err,
              HasSubstr("has no traceEvents"));
}

TEST_F(ShowCommandTest, HelpIsACommandToo) {
  EXPECT_EQ(Onnxcmp({"help", "show"}).out, Onnxcmp({"show", "--help"}).out);
  EXPECT_EQ(Onnxcmp({"help"}).out, Onnxcmp({"--help"}).out);
  const Outcome unknown = Onnxcmp({"help", "shwo"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("there is no command 'shwo'; did you mean `show`?"));
}

TEST_F(ShowCommandTest, CompletionsKnowCommandsAndTheOptionsOfEach) {
  // As a shell that completes `onnxcmp show --form` and `onnxcmp extr` calls them.
  const Outcome option = Shell(
      "onnxcmp() { \"$ONNXCMP\" \"$@\"; }; complete() { :; }; "
      "eval \"$(\"$ONNXCMP\" completion bash)\"; COMP_WORDS=(onnxcmp show --form); COMP_CWORD=2; "
      "_onnxcmp; echo \"${COMPREPLY[@]}\"; COMP_WORDS=(onnxcmp extr); COMP_CWORD=1; _onnxcmp; "
      "echo \"${COMPREPLY[@]}\"");
  EXPECT_EQ(option.out, "--format\nextract\n") << option.err;
  for (const char* shell : {"zsh", "fish"}) {
    EXPECT_THAT(Onnxcmp({"completion", shell}).out, HasSubstr("show run chain batch")) << shell;
  }
  EXPECT_EQ(Onnxcmp({"completion", "tcsh"}).status, 2);
}

}  // namespace
}  // namespace onnxcmp::testing
