// onnxcmp generate from outside: two decoders over steps, one against itself, mistakes.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/cli/program.h"
#include "tests/generate/decoders.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Changed;
using ::onnxcmp::testing::ChangedBy;
using ::onnxcmp::testing::Model;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::PropertyOf;
using ::onnxcmp::testing::ReadFile;
using ::onnxcmp::testing::Report;
using ::onnxcmp::testing::Shell;
using ::onnxcmp::testing::WriteFile;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(GenerateCommandTest, ModelBesideItself) {
  const nlohmann::json report = Report({Model("cached"), Model("cached")});
  EXPECT_EQ(report["exit_status"], 0);
  ASSERT_EQ(report["steps"].size(), 16u);
  for (const nlohmann::json& step : report["steps"]) EXPECT_EQ(step["relation"], "same");
  EXPECT_TRUE(report["failing_step"].is_null());
  EXPECT_TRUE(report["comparison"].is_null());
}

TEST(GenerateCommandTest, OtherConventionsAgree) {
  for (const char* other : {"plain", "buffered"}) {
    for (const auto& [left, right] : {std::pair<std::string, std::string>("cached", other),
                                      std::pair<std::string, std::string>(other, "cached")}) {
      const nlohmann::json report = Report({Model(left), Model(right), "--steps", "9"});
      EXPECT_EQ(report["exit_status"], 0) << left << " " << right << " " << report["lines"];
      EXPECT_EQ(report["steps"].size(), 9u);
    }
  }
}

TEST(GenerateCommandTest, ModelsThatAreReadStay) {
  const std::string copy = ChangedBy("cached", "", {});
  const std::string before = ReadFile(copy);
  for (const char* option : {"--html", "--json", "--junit", "--markdown"}) {
    EXPECT_EQ(Onnxcmp({"generate", copy, Model("cached"), option, copy}).status, 2) << option;
    EXPECT_EQ(Onnxcmp({"generate", copy, "--invariants", option, copy}).status, 2) << option;
  }
  EXPECT_EQ(ReadFile(copy), before);
}

TEST(GenerateCommandTest, PaddedBatchAgrees) {
  const nlohmann::json report = Report({Model("cached"), Model("plain"), "--prompt", "3,1,2,9,5",
                                        "--prompt", "7 4", "--prompt", "11,12,13", "--steps", "5"});
  EXPECT_EQ(report["exit_status"], 0) << report["lines"];
  EXPECT_EQ(report["steps"][0]["rows"].size(), 3u);
}

TEST(GenerateCommandTest, FaultOfAStepIsNamed) {
  // The rotation of the new keys starts anew in each step.
  const std::string faulty = Changed("cached", "key_1_by_sin = Mul(key_1_turned, sine)",
                                     "key_1_by_sin = Mul(key_1_turned, cosine)");
  const nlohmann::json report = Report({Model("cached"), faulty, "--prompt", "3,1,2"});
  EXPECT_EQ(report["exit_status"], 1);
  EXPECT_EQ(report["failing_step"], 0);
  EXPECT_THAT(report["comparison"]["causes"].dump(), HasSubstr("key_1_by_sin"));
}

TEST(GenerateCommandTest, FaultWithAPastAlone) {
  // Only a run with a past has other lines than columns.
  const std::string faulty =
      Changed("cached", "lines = Range(before, total, one)", "lines = Range(none, length, one)");
  const nlohmann::json report = Report({Model("cached"), faulty, "--prompt", "3,1,2"});
  EXPECT_EQ(report["exit_status"], 1);
  EXPECT_EQ(report["failing_step"], 1);
  EXPECT_THAT(report["lines"].dump(), HasSubstr("the left's states on both sides"));
  // Beside a model without caches the decoder is compared with itself.
  const nlohmann::json alone = Report({Model("plain"), faulty, "--prompt", "3,1,2"});
  EXPECT_EQ(alone["exit_status"], 1);
  EXPECT_EQ(alone["failing_step"], 1);
  EXPECT_EQ(alone["alone"][0]["outcome"], "broken");
  EXPECT_EQ(alone["alone"][0]["result"], "lines");
}

TEST(GenerateCommandTest, CacheInFloat16) {
  // Rounded states drift apart, by which no step is at fault.
  std::vector<std::pair<std::string, std::string>> changes;
  for (const auto& [state, source] : std::vector<std::pair<std::string, std::string>>{
           {"key_0", "key_0"}, {"value_0", "v_0"}, {"key_1", "key_1"}, {"value_1", "v_1"}}) {
    changes.emplace_back(
        absl::StrCat("present_", state, " = Concat<axis = 2>(past_", state, ", ", source, ")"),
        absl::StrCat("half_", state, " = Cast<to = 10>(", source, ")\n  rounded_", state,
                     " = Cast<to = 1>(half_", state, ")\n  present_", state,
                     " = Concat<axis = 2>(past_", state, ", rounded_", state, ")"));
  }
  const std::string half = ChangedBy("cached", "_half", changes);
  for (const char* other : {"cached", "plain"}) {
    const nlohmann::json report = Report({Model(other), half, "--steps", "12"});
    EXPECT_EQ(report["exit_status"], 0) << other << " " << report["lines"];
    EXPECT_EQ(report["steps"][3]["relation"], "close");
  }
  changes.emplace_back("lines = Range(before, total, one)", "lines = Range(none, length, one)");
  const nlohmann::json faulty = Report({Model("cached"), ChangedBy("cached", "_faulty", changes)});
  EXPECT_EQ(faulty["exit_status"], 1);
  EXPECT_EQ(faulty["failing_step"], 1);
  EXPECT_THAT(faulty["comparison"]["causes"].dump(), HasSubstr("lines"));
}

TEST(GenerateCommandTest, StateThatIsWrongBeforeTheLogitsAre) {
  // What the first step attends to is right, what it leaves is not.
  const std::string text = absl::StrReplaceAll(
      ReadFile(Model("cached")),
      {{"present_value_0 = Concat<axis = 2>(past_value_0, v_0)",
        "whole_value_0 = Concat<axis = 2>(past_value_0, v_0)\n"
        "  present_value_0 = Neg(whole_value_0)"},
       {"MatMul(shares_0, present_value_0)", "MatMul(shares_0, whole_value_0)"}});
  const std::string faulty = WriteFile(::testing::TempDir() + "state.onnxtxt", text);
  const nlohmann::json report = Report({Model("cached"), faulty});
  EXPECT_EQ(report["exit_status"], 1);
  EXPECT_EQ(report["failing_step"], 0);
  EXPECT_EQ(report["steps"][0]["relation"], "same");
  EXPECT_EQ(report["steps"][0]["state"], "present_value_0");
}

TEST(GenerateCommandTest, OneTokenBesideAllOfThem) {
  const std::pair<std::string, std::string> single = {"int64[batch,new] input_ids",
                                                      "int64[batch,1] input_ids"};
  EXPECT_EQ(Report({Model("plain"), ChangedBy("cached", "_right", {single})})["exit_status"], 0);
  // A run in common names the cause.
  const nlohmann::json of_node =
      Report({Model("plain"), ChangedBy("cached", "_node",
                                        {single,
                                         {"logits = MatMul(x_1, head)",
                                          "all = MatMul(x_1, head)\n  logits = Neg(all)"}})});
  EXPECT_EQ(of_node["failing_step"], 0);
  EXPECT_THAT(of_node["lines"].dump(), HasSubstr("compared on the first token alone"));
  EXPECT_THAT(of_node["comparison"]["causes"].dump(), HasSubstr("logits"));
  const nlohmann::json of_state = Report(
      {Model("plain"),
       ChangedBy(
           "cached", "_state",
           {single, {"lines = Range(before, total, one)", "lines = Range(none, length, one)"}})});
  EXPECT_EQ(of_state["failing_step"], 0);
  EXPECT_THAT(of_state["lines"].dump(), HasSubstr("they agree on the first token alone"));
}

TEST(GenerateCommandTest, DriftIsDrawn) {
  const std::vector<std::string> line = {"generate", Model("plain"), Model("restarted"), "--steps",
                                         "3"};
  const std::string text = Onnxcmp(line).out;
  EXPECT_THAT(text, HasSubstr("drift      max |l-r| ·█▇  0 to 7.89\n"));
  std::vector<std::string> ascii = line;
  ascii.emplace_back("--ascii");
  EXPECT_THAT(Onnxcmp(ascii).out, HasSubstr("drift      max |l-r| 087  0 to 7.89\n"));
  // Several steps a column once there are more than columns.
  EXPECT_THAT(Onnxcmp({"generate", Model("plain"), Model("restarted"), "--steps", "70"}).out,
              HasSubstr("a column is the greatest of 2 steps"));
  // Nothing that differs has no drift.
  EXPECT_THAT(Onnxcmp({"generate", Model("plain"), Model("cached"), "--steps", "3"}).out,
              Not(HasSubstr("drift")));
}

TEST(GenerateCommandTest, PageOfTheLastStepIfNoneFails) {
  const std::string page = ::testing::TempDir() + "PageOfTheLastStep.html";
  const Outcome outcome =
      Onnxcmp({"generate", Model("cached"), Model("cached"), "--steps", "3", "--html", page});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("different")));
  EXPECT_THAT(ReadFile(page), HasSubstr("data-verdict=\"same\""));
  EXPECT_THAT(ReadFile(page), HasSubstr("\"failing_step\":null"));
}

TEST(GenerateCommandTest, ReportsForOthers) {
  const std::string faulty =
      Changed("cached", "lines = Range(before, total, one)", "lines = Range(none, length, one)");
  const std::string page = ::testing::TempDir() + "ReportsForOthers.html";
  const std::string suite = ::testing::TempDir() + "ReportsForOthers.xml";
  EXPECT_EQ(Onnxcmp({"generate", Model("cached"), faulty, "--prompt", "3,1,2", "--steps", "4",
                     "--html", page, "--junit", suite})
                .status,
            1);
  EXPECT_THAT(ReadFile(page), HasSubstr("id=\"onnxcmp\""));
  EXPECT_THAT(ReadFile(page), HasSubstr("onnxcmp generate"));
  const std::string tests = ReadFile(suite);
  EXPECT_THAT(tests, HasSubstr("tests=\"4\" failures=\"3\" errors=\"0\""));
  EXPECT_THAT(tests, HasSubstr("name=\"step 0\"/>"));
  EXPECT_THAT(tests, HasSubstr("name=\"step 1\">\n      <failure message=\"cause: Range lines"));
  const Outcome alone = Onnxcmp({"generate", faulty, "--invariants", "--format", "junit"});
  EXPECT_EQ(alone.status, 1);
  EXPECT_THAT(alone.out, HasSubstr("name=\"one token at a time\">\n      <failure message=\"broken "
                                   "at Range (lines)"));
  EXPECT_THAT(alone.out, HasSubstr("<skipped message=\"not tried: no input says"));
  EXPECT_EQ(Onnxcmp({"generate", faulty, "--invariants", "--html", page}).status, 2);
  const Outcome beyond = Onnxcmp({"generate", faulty, faulty, "--prompt", "99", "--html", page});
  EXPECT_EQ(beyond.status, 2);
  EXPECT_THAT(beyond.err, HasSubstr("no step was compared that a page could show"));
}

TEST(GenerateCommandTest, FreeSidesPart) {
  const std::string other = Changed("cached", "logits = MatMul(x_1, head)",
                                    "most = MatMul(x_1, head)\n  logits = Neg(most)");
  const nlohmann::json report = Report({Model("cached"), other, "--free", "--steps", "3"});
  EXPECT_EQ(report["exit_status"], 1);
  EXPECT_EQ(report["token_change"]["step"], 0);
  EXPECT_EQ(report["token_change"]["tie"], false);
  EXPECT_EQ(report["steps"][0]["relation"], "different");
  EXPECT_TRUE(report["steps"][1]["relation"].is_null());
}

TEST(GenerateCommandTest, OneTokenAtATime) {
  const std::string single =
      Changed("recurrent", "int64[batch,new] input_ids", "int64[batch,1] input_ids");
  const nlohmann::json report = Report({Model("recurrent"), single, "--prompt", "3,1,2,5"});
  EXPECT_EQ(report["exit_status"], 0) << report["lines"];
  const nlohmann::json alone = Report({single, "--invariants"});
  EXPECT_EQ(PropertyOf(alone, "one token at a time")["why"], "the model takes one token at a time");
  EXPECT_EQ(PropertyOf(alone, "in a batch of 3")["outcome"], "to_the_bit");
}

TEST(GenerateCommandTest, TokensThatTie) {
  // The last two words have the greatest logits, equal but for the order of a product.
  const std::string text = ReadFile(Model("cached"));
  const auto with = [&](const std::string& name, const std::string& words) {
    return WriteFile(absl::StrCat(::testing::TempDir(), name),
                     absl::StrReplaceAll(
                         text, {{"logits = MatMul(x_1, head)",
                                 absl::StrCat("all = MatMul(x_1, head)\n"
                                              "  most = ReduceMax<keepdims = 1>(all, axis_2)\n"
                                              "  less, rest = Split<axis = 2>(all, sizes)\n"
                                              "  c = Mul(most, third)\n  word_1 = Mul(c, large)\n"
                                              "  d = Mul(most, large)\n  word_2 = Mul(d, third)\n"
                                              "  logits = Concat<axis = 2>(less, ",
                                              words, ")")},
                                {"float half = {0.5}",
                                 "float half = {0.5}, float third = {0.3}, float large = {9.7}, "
                                 "int64[2] sizes = {14, 2}"}}));
  };
  const nlohmann::json report =
      Report({with("one.onnxtxt", "word_1, word_2"), with("two.onnxtxt", "word_2, word_1")});
  EXPECT_EQ(report["exit_status"], 0) << report["lines"];
  ASSERT_FALSE(report["token_change"].is_null()) << report["steps"];
  EXPECT_EQ(report["token_change"]["tie"], true) << report["token_change"];
}

TEST(GenerateCommandTest, InvariantsHold) {
  const nlohmann::json cached = Report({Model("cached"), "--invariants"});
  EXPECT_EQ(cached["exit_status"], 0) << cached;
  for (const nlohmann::json& one : cached["invariants"]) {
    // Those of merged decoders and of buffers.
    if (one["name"] == "a past of length 0 instead of none" ||
        one["name"] == "a buffer instead of a cache that grows") {
      EXPECT_EQ(one["outcome"], "not_tried") << one;
      continue;
    }
    EXPECT_THAT(one["outcome"], ::testing::AnyOf("to_the_bit", "within_rounding")) << one;
  }
  const nlohmann::json plain = Report({Model("plain"), "--invariants"});
  EXPECT_EQ(plain["exit_status"], 0) << plain;
  EXPECT_EQ(PropertyOf(plain, "one token at a time")["why"], "no input is a state");
  for (const char* name : {"buffered", "recurrent"}) {
    const nlohmann::json report = Report({Model(name), "--invariants"});
    EXPECT_EQ(report["exit_status"], 0) << report;
    EXPECT_NE(PropertyOf(report, "one token at a time")["outcome"], "not_tried");
  }
}

TEST(GenerateCommandTest, BrokenInvariantsNameTheNode) {
  struct Case {
    const char* from;
    const char* to;
    const char* property;
    const char* result;
  };
  for (const Case& one :
       std::vector<Case>{{"LessOrEqual(as_line, as_column)", "LessOrEqual(as_column, as_line)",
                          "another token at the end", ""},
                         {"lines = Range(before, total, one)", "lines = Range(none, length, one)",
                          "one token at a time", "lines"},
                         {"allowed = And(seen, counts_4d)", "allowed = Or(seen, counts_4d)",
                          "another token at the end", "shares_0"},
                         {"past_key_0, key_0)\n", "past_value_0, key_0)\n", "one token at a time",
                          "present_key_0"}}) {
    const nlohmann::json report = Report({Changed("cached", one.from, one.to), "--invariants"});
    EXPECT_EQ(report["exit_status"], 1) << one.to;
    const nlohmann::json property = PropertyOf(report, one.property);
    EXPECT_EQ(property["outcome"], "broken") << one.to;
    EXPECT_THAT(property.value("result", ""), HasSubstr(one.result)) << property;
  }
}

TEST(GenerateCommandTest, TheDocumentShowsWhatItPrints) {
  const std::string page = ReadFile(Document("generate.md"));
  for (const char* arguments :
       {"plain.onnxtxt cached.onnxtxt --steps 3", "plain.onnxtxt restarted.onnxtxt --steps 3",
        "restarted.onnxtxt --invariants"}) {
    const Outcome outcome =
        Shell(absl::StrCat("cd '", TestData("generate"), "' && \"$ONNXCMP\" generate ", arguments));
    EXPECT_THAT(
        page, HasSubstr(absl::StrCat("$ onnxcmp generate ", arguments, "\n", outcome.out, "```")));
  }
}

TEST(GenerateCommandTest, LogitsOfTheLastPositionAlone) {
  const std::string text = absl::StrReplaceAll(
      ReadFile(Model("cached")),
      {{"logits = MatMul(x_1, head)",
        "from = Constant<value_ints = [-1]>()\n  end = Constant<value_ints = [1000]>()\n"
        "  last = Slice(x_1, from, end, axis_1)\n  logits = MatMul(last, head)"},
       {"float[batch,new,16] logits", "float[batch,1,16] logits"}});
  const std::string last = WriteFile(::testing::TempDir() + "last.onnxtxt", text);
  EXPECT_EQ(Report({Model("cached"), last, "--steps", "3"})["exit_status"], 0);
  const nlohmann::json alone = Report({last, "--invariants"});
  EXPECT_EQ(PropertyOf(alone, "one token at a time")["outcome"], "to_the_bit");
  // No logits are left that have to agree.
  EXPECT_EQ(PropertyOf(alone, "another token at the end")["outcome"], "not_tried");
  EXPECT_EQ(PropertyOf(alone, "padding after the prompt")["outcome"], "not_tried");
}

TEST(GenerateCommandTest, GivenInputsBelongTogether) {
  const auto model = [](const std::string& name, const std::string& inputs,
                        const std::string& rest) {
    return WriteFile(
        absl::StrCat(::testing::TempDir(), name),
        absl::StrCat("<ir_version: 10, opset_import: [\"\": 21]>\ng (int64[b,n] input_ids, ",
                     inputs,
                     ") => (float[b,n,2] logits) <float[2,2] table = {1, 2, 3, 5}> {\n"
                     "  x = Gather(table, input_ids)\n  axes = Constant<value_ints = [1]>()\n",
                     rest, "}\n"));
  };
  const std::string body =
      "  m = ReduceMean(encoder_a, axes)\n  k = ReduceMax(encoder_b, axes)\n"
      "  d = Sub(m, k)\n  logits = Add(x, d)\n";
  const std::string a = "float[b,e,2] encoder_a", b = "float[b,e,2] encoder_b";
  const std::string one = model("one.onnxtxt", absl::StrCat(a, ", ", b), body);
  const std::string other = model("other.onnxtxt", absl::StrCat(b, ", ", a), body);
  EXPECT_EQ(Report({one, other, "--steps", "2"})["exit_status"], 0);
  const std::string fewer = model("fewer.onnxtxt", a,
                                  "  m = ReduceMean(encoder_a, axes)\n"
                                  "  logits = Add(x, m)\n");
  const Outcome outcome = Onnxcmp({"generate", fewer, one});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("input `encoder_b` stays the same in every step"));
}

TEST(GenerateCommandTest, CorrectionsNameAnInput) {
  for (const auto& [option, text] : std::vector<std::pair<std::string, std::string>>{
           {"--state", "nothing=present_key_0"}, {"--role", "nothing=tokens"}}) {
    const Outcome outcome = Onnxcmp({"generate", Model("cached"), Model("plain"), option, text});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err,
                HasSubstr(absl::StrCat(option, " ", text, ": no model has an input `nothing`")));
  }
}

TEST(GenerateCommandTest, MistakesNameTheTensor) {
  const auto refused = [](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), "generate");
    const Outcome outcome = Onnxcmp(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_THAT(absl::StrCat(outcome.err, outcome.out), HasSubstr(part));
    return outcome;
  };
  const std::string cached = Model("cached");
  refused({cached, cached, "--prompt", "3,16"}, "`input_ids` cannot take token 16");
  refused({cached, cached, "--prompt", "x"}, "--prompt 'x' has to be token ids");
  refused({cached}, "two models are needed");
  refused({cached, cached, "--invariants"}, "--invariants is for one model");
  refused({Model("buffered"), Model("buffered"), "--prompt", "1", "--prompt", "2"},
          "`input_ids` has a batch of 1, and there are 2 prompts");
  refused({Model("recurrent"), Model("recurrent"), "--prompt", "1,2", "--prompt", "2"},
          "no input is a mask");
  const Outcome early =
      refused({cached, Model("buffered"), "--steps", "30"},
              "right: the state `past_key_0` has room for 24 positions, and 5 of the prompt and 29 "
              "of further steps are needed; --steps 20 is the most");
  EXPECT_THAT(early.out, Not(HasSubstr("step")));
  EXPECT_EQ(Report({cached, Model("buffered"), "--steps", "20"})["exit_status"], 0);
  // A table that the number of tokens selects from is not looked at before.
  const std::string table =
      ChangedBy("cached", "_table",
                {{"  x = Gather<axis = 0>(table, input_ids)",
                  "  x_plain = Gather<axis = 0>(table, input_ids)"},
                 {"before = Sub(total, length)",
                  "before = Sub(total, length)\n  row = Gather<axis = 0>(table, total)\n"
                  "  none_of_it = Mul(row, zero)\n  x = Add(x_plain, none_of_it)"}});
  const Outcome room = refused({table, table}, "index 16 is out of range");
  EXPECT_THAT(room.out, HasSubstr("= 10 "));  // what was computed is shown
  EXPECT_THAT(room.out, HasSubstr("step 11 is the first that fails: a side does not run"));
  const std::string text = absl::StrReplaceAll(
      ReadFile(cached), {{"present_key_0 = Concat", "whole_key_0 = Concat"},
                         {"across_0 = Transpose<perm = [0, 1, 3, 2]>(present_key_0)",
                          "present_key_0 = Identity(past_key_0)\n"
                          "  across_0 = Transpose<perm = [0, 1, 3, 2]>(whole_key_0)"}});
  const std::string shrunk = WriteFile(::testing::TempDir() + "shrunk.onnxtxt", text);
  const Outcome kept = Onnxcmp({"generate", cached, shrunk});
  EXPECT_EQ(kept.status, 1);
  EXPECT_THAT(kept.out, HasSubstr("the output `present_key_0` does not grow"));
}

}  // namespace
}  // namespace onnxcmp
