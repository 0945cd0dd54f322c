// Exit status, table, JSON, Markdown and JUnit say the same, whatever is compared and whatever
// comes of it.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/cli/models.h"
#include "tests/cli/program.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Lines;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::ReadFile;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Case {
  const char* name;
  std::vector<std::string> arguments;  // for one set of inputs
  const char* verdict;
  int status;
};

class ContractTest : public testing::ModelFolderTest {
 protected:
  // The models and recordings that cases are made of.
  void SetUp() override {
    Model("abs", "(float[2,16] x) => (float[2,16] y) { y = Abs(x) }");
    Model("abs_of_neg", "(float[2,16] x) => (float[2,16] y) { n = Neg(x) y = Abs(n) }");
    Model("nearly",
          "(float[2,16] x) => (float[2,16] y) <float f = {1.000001}> {"
          " a = Abs(x) y = Mul(a, f) }");
    Model("twice", "(float[2,16] x) => (float[2,16] y) { a = Abs(x) y = Add(a, a) }");
    Model("other_name", "(float[2,16] x) => (float[2,16] z) { z = Abs(x) }");
    Model("two_outputs",
          "(float[2,16] x) => (float[2,16] y, float[2,16] z) {"
          " y = Abs(x) z = Neg(x) }");
    Model("no_outputs", "(float[2,16] x) => () { y = Abs(x) }");
    Model("half", "(float[2,16] x) => (float16[2,16] y) { a = Abs(x) y = Cast<to = 10>(a) }");
    Model("flat",
          "(float[2,16] x) => (float[32] y) <int64[1] s = {32}> {"
          " a = Abs(x) y = Reshape(a, s) }");
    Model("nan", "(float[2,16] x) => (float[2,16] y) { z = Sub(x, x) y = Div(z, z) }");
    Model("nan_inside",
          "(float[2,16] x) => (float[2,16] y) { z = Sub(x, x) n = Div(z, z)"
          " b = IsNaN(n) y = Where(b, x, n) }");
    Model("fails",
          "(float[2,16] x) => (float[a,b] y) <int64[2] s = {3, 5}> { a = Abs(x)"
          " y = Reshape(a, s) }");
    Model("ids", "(float[2,16] x) => (int64[2] y) { y = ArgMax<axis = 1, keepdims = 0>(x) }");
    Model("other_ids",
          "(float[2,16] x) => (int64[2] y) { n = Neg(x)"
          " y = ArgMax<axis = 1, keepdims = 0>(n) }");
    for (const char* model : {"abs", "twice"}) {
      ASSERT_EQ(Onnxcmp({"run", File(model), "--save-all", folder_ + "/" + model + ".npz"}).status,
                0);
    }
    // A recording of results that neither model computes.
    Model("stranger", "(float[2,16] x) => (float[2,16] s) { c = Cos(x) s = Mul(c, x) }");
    ASSERT_EQ(Onnxcmp({"run", File("stranger"), "--save", folder_ + "/stranger.npz"}).status, 0);
  }
  std::string File(const std::string& name) const {
    return folder_ + "/" + name + (name.ends_with(".npz") ? "" : ".onnxtxt");
  }
  std::string Report(const char* end) const { return absl::StrCat(folder_, "/report.", end); }

  void ExpectAllSay(const std::string& verdict, int status, const std::vector<std::string>& table,
                    const std::string& set) const {
    const std::string dot = set.empty() ? "" : set + ".";
    EXPECT_THAT(table, Contains(absl::StrCat("exit ", status)));
    EXPECT_THAT(table, Contains(AnyOf(StartsWith(verdict + " "), verdict)));
    const auto json = nlohmann::json::parse(ReadFile(Report((dot + "json").c_str())), nullptr,
                                            /*allow_exceptions=*/false);
    ASSERT_TRUE(json.is_object());
    EXPECT_EQ(json.value("verdict", ""), verdict);
    EXPECT_EQ(json.value("exit", -1), status);
    EXPECT_THAT(ReadFile(Report((dot + "md").c_str())),
                StartsWith(absl::StrCat("## onnxcmp: ", verdict, "\n\nexit ", status)));
    const std::string junit = ReadFile(Report((dot + "xml").c_str()));
    EXPECT_THAT(junit, HasSubstr("verdict: " + verdict));
    const bool fails = junit.find("failures=\"0\"") == std::string::npos;
    EXPECT_EQ(fails || status == 2, status != 0) << junit;
    EXPECT_EQ(junit.find("errors=\"0\"") == std::string::npos, status == 2) << junit;
  }
};

TEST_F(ContractTest, AllSayTheSame) {
  const std::vector<Case> cases = {
      {"the same bits", {"abs", "abs"}, "same", 0},
      {"the same bits by another way", {"abs", "abs_of_neg"}, "same", 0},
      {"rounding", {"abs", "nearly"}, "close", 0},
      {"rounding, all bits wanted", {"abs", "nearly", "--fail-on", "bits"}, "close", 1},
      {"the same, all bits wanted", {"abs", "abs", "--fail-on", "bits"}, "same", 0},
      {"twice as great", {"abs", "twice"}, "different", 1},
      {"twice as great, no causes", {"abs", "twice", "--no-causes"}, "different", 1},
      {"twice as great, causes wanted", {"abs", "twice", "--fail-on", "causes"}, "different", 1},
      {"an absolute tolerance is none for twice as great",
       {"abs", "twice", "--atol", "100"},
       "different",
       1},
      {"a tolerance of its own, no causes wanted",
       {"abs", "twice", "--tolerance", "y=10,100", "--fail-on", "causes"},
       "close",
       1},
      {"a relative tolerance is none for twice as great",
       {"abs", "twice", "--rtol", "10"},
       "different",
       1},
      {"a tolerance of its own", {"abs", "twice", "--tolerance", "y=10,100"}, "close", 0},
      {"another name", {"abs", "other_name"}, "same", 0},
      {"an output more", {"abs", "two_outputs"}, "different", 1},
      {"an output less", {"two_outputs", "abs"}, "different", 1},
      {"an output less, partially", {"two_outputs", "abs", "--partial"}, "same", 0},
      {"no outputs", {"abs", "no_outputs"}, "different", 1},
      {"no outputs, partially", {"abs", "no_outputs", "--partial"}, "different", 1},
      {"no outputs on both sides", {"no_outputs", "no_outputs"}, "different", 1},
      {"another element type", {"abs", "half"}, "different", 1},
      {"another element type by value", {"abs", "half", "--output-types", "close"}, "close", 0},
      {"another shape", {"abs", "flat"}, "different", 1},
      {"NaN on the right", {"abs", "nan"}, "different", 1},
      {"NaN on the left", {"nan", "abs"}, "different", 1},
      {"NaN inside", {"nan_inside", "nan_inside"}, "same", 0},
      {"the right fails", {"abs", "fails"}, "failed", 2},
      {"the left fails", {"fails", "abs"}, "failed", 2},
      {"both fail", {"fails", "fails"}, "failed", 2},
      {"a failure cannot be accepted", {"abs", "fails", "--partial"}, "failed", 2},
      {"ids", {"ids", "ids"}, "same", 0},
      {"other ids", {"ids", "other_ids"}, "different", 1},
      {"other ids, ties accepted", {"ids", "other_ids", "--ties", "close"}, "different", 1},
      {"its own recording", {"abs", "abs.npz"}, "same", 0},
      {"its own recording on the left", {"abs.npz", "abs"}, "same", 0},
      {"another's recording", {"abs", "twice.npz"}, "different", 1},
      {"a stranger's recording", {"abs", "stranger.npz"}, "untested", 2},
      {"a stranger's recording on given inputs", {"abs", "stranger.npz", "--ramp"}, "different", 1},
      {"two recordings", {"abs.npz", "abs.npz"}, "same", 0},
      {"two recordings that differ", {"abs.npz", "twice.npz"}, "different", 1},
      {"a stranger's recording without causes",
       {"abs", "stranger.npz", "--no-causes"},
       "untested",
       2},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    std::vector<std::string> arguments = {File(one.arguments[0]), File(one.arguments[1])};
    arguments.insert(arguments.end(), one.arguments.begin() + 2, one.arguments.end());
    const std::vector<std::string> reports = {"--json",     Report("json"), "--markdown",
                                              Report("md"), "--junit",      Report("xml")};
    arguments.insert(arguments.end(), reports.begin(), reports.end());
    const Outcome outcome = Onnxcmp(arguments);
    EXPECT_EQ(outcome.status, one.status) << outcome.out << outcome.err;
    ExpectAllSay(one.verdict, one.status, Lines(outcome.out), "");
    // Shown otherwise, it is the same.
    arguments.insert(arguments.end(), {"--format", "json"});
    EXPECT_EQ(Onnxcmp(arguments).status, one.status);
  }
}

// Each set has its reports; the worst of them decides.
TEST_F(ContractTest, SeveralSets) {
  const std::string maker =
      Model("maker",
            "(float[2,2,16] a) => (float[2,2,16] x) <float[2,1,1] s = {1, -1}> {"
            " b = Abs(a) x = Mul(b, s) }");
  const std::string npz = folder_ + "/sets.npz";
  ASSERT_EQ(Onnxcmp({"run", maker, "--save", npz}).status, 0);
  const std::string identity =
      Model("id", "(float[2,16] x) => (float[2,16] y) { y = Identity(x) }");
  const Outcome outcome =
      Onnxcmp({File("abs"), identity, "--inputs", npz, "--each", "--json", Report("json"),
               "--markdown", Report("md"), "--junit", Report("xml")});
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  const std::vector<std::string> lines = Lines(outcome.out);
  const auto second = std::find_if(lines.begin(), lines.end(),
                                   [](const std::string& line) { return line.ends_with("[1]"); });
  ExpectAllSay("same", 0, {lines.begin(), second}, "0");
  ExpectAllSay("different", 1, {second, lines.end()}, "1");
}

}  // namespace
}  // namespace onnxcmp
