// Where everything differs the search for causes ends at its limits, and says at which.
#include "compare/causes/repair/repair_limits.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/compare.h"
#include "reports/render_json.h"
#include "reports/render_markdown.h"
#include "reports/render_table.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// A chain of multiplications by other numbers each, and sines; all of them are seen in an output.
std::string ChainModel(int nodes, double first, double step) {
  std::string constants;
  std::string body;
  std::string last = "x";
  for (int i = 0; i < nodes; ++i) {
    absl::StrAppend(&constants, i == 0 ? "" : ", ", "float[3] c", i, " = {");
    for (int k = 0; k < 3; ++k) {
      absl::StrAppendFormat(&constants, "%s%.4f", k == 0 ? "" : ", ", first + step * (3 * i + k));
    }
    constants += "}";
    absl::StrAppend(&body, "  p", i, " = Mul (", last, ", c", i, ")\n  s", i, " = Sin (p", i,
                    ")\n");
    last = absl::StrCat("s", i);
  }
  std::vector<std::string> sines;
  for (int i = 0; i < nodes; ++i) sines.push_back(absl::StrCat("s", i));
  return absl::StrCat("g (float[3] x) => (float[3] y, float[", 3 * nodes, "] all)\n<", constants,
                      "> {\n", body, "  y = Neg (", last, ")\n  all = Concat <axis = 0> (",
                      absl::StrJoin(sines, ", "), ")\n}");
}

Comparison ComparedWithin(const std::string& left, const std::string& right,
                          const RepairLimits& limits) {
  const Tensor x = Tensor::Of<float>({3}, {1, -2, 0.5f});
  CompareOptions options;
  options.cause_limits = limits;
  return testing::CompareFedWith(x, left, x, right, options);
}

// Of two chains that have nothing in common.
Comparison OfUnlikeChains(const RepairLimits& limits) {
  return ComparedWithin(ChainModel(30, 1.1, 0.013), ChainModel(30, 2.3, -0.017), limits);
}

constexpr char kCutShort[] = "the search for causes was cut short, there may be others: ";

TEST(CauseLimits, NoneIsReachedWithOneFault) {
  std::string right = ChainModel(30, 1.1, 0.013);
  right.replace(right.find("1.1000"), 6, "1.4000");
  const Comparison comparison = ComparedWithin(ChainModel(30, 1.1, 0.013), right, {});
  EXPECT_THAT(comparison.causes, SizeIs(1));
  EXPECT_THAT(comparison.notes, Not(Contains(HasSubstr(kCutShort))));
}

// A chain whose constants are all multiplied by a factor, one of them by another; those that are
// read last are listed first.
std::string Folded(double factor, double factor_of_third) {
  constexpr int kNodes = 20;
  std::vector<std::string> constants;
  std::string body;
  std::string last = "x";
  for (int i = 0; i < kNodes; ++i) {
    std::vector<std::string> elements;
    for (int k = 0; k < 3; ++k) {
      const double plain = 1.2 + 0.5 * std::sin(1.7 * i * i + 2.3 * k * (i + 1));
      elements.push_back(absl::StrFormat("%.9f", plain * (i == 2 ? factor_of_third : factor)));
    }
    constants.insert(constants.begin(),
                     absl::StrCat("float[3] c", i, " = {", absl::StrJoin(elements, ", "), "}"));
    absl::StrAppend(&body, "p", i, " = Mul (", last, ", c", i, ") s", i, " = Sin (p", i, ") ");
    last = absl::StrCat("s", i);
  }
  return absl::StrCat("g (float[3] x) => (float[3] y) <", absl::StrJoin(constants, ", "), "> {",
                      body, "y = Neg (", last, ")}");
}

// No constant after the fault agrees with the left's, and each is as like it as the one at fault.
TEST(CauseLimits, TheFirstTrialIsOfWhatIsReadWhereTheFaultBegins) {
  const Comparison comparison = ComparedWithin(Folded(1, 1), Folded(1.0000004, 1.3), {.trials = 1});
  ASSERT_THAT(comparison.causes, SizeIs(1));
  EXPECT_EQ(comparison.right.results[static_cast<size_t>(comparison.causes[0].right)].name, "c2");
  EXPECT_THAT(comparison.notes, Not(Contains(HasSubstr(kCutShort))));
}

TEST(CauseLimits, EachIsNamed) {
  const struct {
    RepairLimits limits;
    std::string text;
  } cases[] = {
      {{.trials = 1}, "1 trials for one repair"},
      {{.all_trials = 0}, "0 trials"},
      {{.rounds = 0}, "0 repairs"},
      {{.node_runs = 0}, "0 runs of each node"},
      {{.left_over_trials = 0}, "0 trials of left-over results"},
      {{.constant_looks = 0}, "0 looks at each constant"},
  };
  for (const auto& a_case : cases) {
    const Comparison comparison = OfUnlikeChains(a_case.limits);
    EXPECT_THAT(comparison.notes, Contains(AllOf(HasSubstr(kCutShort), HasSubstr(a_case.text))));
  }
}

// Faults that hide nothing after them: each is found by itself.
TEST(CauseLimits, OfCauses) {
  const std::string left = ChainModel(30, 1.1, 0.013);
  std::string right = left;
  for (const char* one : {"1.1000", "1.2560", "1.4120"}) {
    const size_t at = right.find(one);
    ASSERT_NE(at, std::string::npos);
    right.replace(at, 6, "0.9000");
  }
  EXPECT_THAT(ComparedWithin(left, right, {}).causes, SizeIs(3));
  const Comparison causes = ComparedWithin(left, right, {.causes = 2});
  EXPECT_THAT(causes.causes, SizeIs(2));
  EXPECT_THAT(causes.notes, Contains(HasSubstr("limit of 2 causes")));
}

TEST(CauseLimits, AllReportsSayThatOneWasReached) {
  const Comparison comparison = OfUnlikeChains({.all_trials = 0});
  // Lines are broken where they must be.
  EXPECT_THAT(RenderTable(comparison, {.width = 400}), HasSubstr(kCutShort));
  EXPECT_THAT(RenderMarkdown(comparison), HasSubstr(kCutShort));
  EXPECT_THAT(RenderJson(comparison), HasSubstr(kCutShort));
}

// Blocks beside a stream of residuals, of irregular weights; `greater`: the blocks in which one of
// them is too great.
std::string Residuals(const std::vector<int>& greater) {
  constexpr int kBlocks = 12;
  constexpr int kWidth = 16;
  std::vector<std::string> constants;
  std::string body;
  std::string last = "x";
  const auto matrix = [&](const std::string& name, int seed, double first_row) {
    std::vector<std::string> numbers;
    for (int k = 0; k < kWidth * kWidth; ++k) {
      const double number = 0.42 * std::sin(12.9898 * k + 78.233 * seed + 0.37 * k * seed);
      numbers.push_back(absl::StrFormat("%.6f", k < kWidth ? number * first_row : number));
    }
    constants.push_back(absl::StrCat("float[", kWidth, ",", kWidth, "] ", name, " = {",
                                     absl::StrJoin(numbers, ", "), "}"));
  };
  for (int i = 0; i < kBlocks; ++i) {
    const bool wrong = std::find(greater.begin(), greater.end(), i) != greater.end();
    matrix(absl::StrCat("w", i), 2 * i + 1, wrong ? 1.3 : 1);
    matrix(absl::StrCat("v", i), 2 * i + 2, 1);
    absl::StrAppend(&body, "  n", i, " = LayerNormalization (", last, ", scale)\n  m", i,
                    " = MatMul (n", i, ", w", i, ")\n  t", i, " = Tanh (m", i, ")\n  o", i,
                    " = MatMul (t", i, ", v", i, ")\n  s", i, " = Add (", last, ", o", i, ")\n");
    last = absl::StrCat("s", i);
  }
  constants.push_back(
      "float[16] scale = {1, 1.1, 0.9, 1.2, 0.8, 1, 1.3, 0.7, 1, 1, 1.1, 0.9, 1.2, "
      "0.8, 1.05, 0.95}");
  return absl::StrCat("g (float[4,16] x) => (float[4,16] y)\n<", absl::StrJoin(constants, ", "),
                      "> {\n", body, "  y = Identity (", last, ")\n}");
}

// The second is tried first, as what follows it is all that can be made whole; what goes on from
// there takes many runs of few nodes.
TEST(CauseLimits, TwoFaultsInSeriesAreBothNamedInASmallModel) {
  std::vector<float> elements;
  for (int i = 0; i < 64; ++i) elements.push_back(static_cast<float>(std::sin(1 + 12.9898 * i)));
  const Tensor x = Tensor::Of<float>({4, 16}, elements);
  const Comparison comparison = testing::CompareFedWith(x, Residuals({}), x, Residuals({3, 4}));
  std::vector<std::string> names;
  for (const Cause& cause : comparison.causes) {
    names.push_back(comparison.right.results[static_cast<size_t>(cause.right)].name);
  }
  EXPECT_THAT(names, UnorderedElementsAre("w3", "w4"));
}

}  // namespace
}  // namespace onnxcmp
