// A proof in the reports of a comparison.
#include "reports/words/proof_words.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/compare.h"
#include "compare/outcome/exit_status.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/thread_pool.h"
#include "prove/prove.h"
#include "prove/rewrites.h"
#include "reports/render_csv.h"
#include "reports/render_html.h"
#include "reports/render_json.h"
#include "reports/render_junit.h"
#include "reports/render_markdown.h"
#include "reports/render_table.h"
#include "tests/support/json_schema.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::GivenX;
using ::onnxcmp::testing::SideFedWith;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

// Two bodies of a model from float[2,4] x to y, compared and proved.
Comparison Proved(const std::string& left, const std::string& right) {
  const auto text = [](const std::string& body) {
    return "g (float[2,4] x) => (float[2,4] y) { " + body + " }";
  };
  const std::unique_ptr<ModelSide> a = SideFedWith(GivenX(), text(left));
  const std::unique_ptr<ModelSide> b = SideFedWith(GivenX(), text(right));
  absl::StatusOr<Comparison> comparison = Compare(*a, *b);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  const ThreadPool pool(1);
  comparison->proof = std::make_shared<const ProofReport>(
      ProveEqual({a.get(), b.get()}, *comparison, {.seed = 0, .pool = &pool}));
  return *std::move(comparison);
}

Json JsonOf(const Comparison& comparison) {
  return Json::parse(RenderJson(comparison), nullptr, /*allow_exceptions=*/false);
}

constexpr char kThird[] = "three = Constant<value_float = 3.0>() t = Div(x, three) y = Tanh(t)";
constexpr char kOtherThird[] =
    "third = Constant<value_float = 0.33333334>() t = Mul(x, third) y = Tanh(t)";
// A last place is within any tolerance.
constexpr char kFaulty[] =
    "third = Constant<value_float = 0.33333337>() t = Mul(x, third) y = Tanh(t)";

TEST(ProofReports, TheVerdictSaysWhatIsProvedAndWhatIsNot) {
  const Comparison proved = Proved(kThird, kOtherThird);
  EXPECT_EQ(ProvedVerdict(proved),
            "same for all inputs of these shapes (proved), but for rounding, overflow and NaN");
  EXPECT_EQ(NotProvedText(proved), "");
  EXPECT_THAT(RenderTable(proved), HasSubstr("for all inputs of these shapes (proved)"));
  const Comparison faulty = Proved(kThird, kFaulty);
  EXPECT_EQ(ProvedVerdict(faulty), "");
  EXPECT_EQ(NotProvedText(faulty),
            "but not proved for all inputs of these shapes: t differs in exact arithmetic");
  EXPECT_THAT(RenderTable(faulty),
              AllOf(Not(HasSubstr("(proved)")), HasSubstr("but not proved for all inputs")));
  EXPECT_EQ(ExitStatusOf(faulty), ExitStatusOf(proved)) << "a proof changes no verdict";
}

// Sums that cancel differ by rounding alone, beyond any tolerance; a fault might look the same.
TEST(ProofReports, WhatDiffersOnNumbersIsNotProved) {
  const Comparison comparison =
      Proved("big = Constant<value_float = 100000000.0>() a = Add(x, big) y = Sub(a, big)",
             "y = Identity(x)");
  EXPECT_FALSE(comparison.proof->proved);
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_EQ(ExitStatusOf(comparison), 1);
  EXPECT_EQ(ProvedButDifferent(comparison), "");
  EXPECT_THAT(RenderTable(comparison),
              AllOf(StartsWith("different "),
                    HasSubstr("the numbers differ, though they are the same in exact")));
}

TEST(ProofReports, RowsHaveMarksWithALegend) {
  TableOptions ascii;
  ascii.ascii = true;
  EXPECT_THAT(RenderTable(Proved(kThird, kOtherThird)), HasSubstr("pairs proved (✓)"));
  EXPECT_THAT(RenderTable(Proved(kThird, kFaulty), ascii),
              AllOf(HasSubstr("! Div"), HasSubstr(": Tanh"), HasSubstr("other in exact")));
  Comparison nobody_asked = Proved(kThird, kFaulty);
  nobody_asked.proof = nullptr;
  EXPECT_THAT(RenderTable(nobody_asked), Not(HasSubstr("proof")));
}

TEST(ProofReports, CsvHasAColumn) {
  const std::string csv = RenderCsv(Proved(kThird, kFaulty));
  EXPECT_THAT(csv, AllOf(HasSubstr(",proof\r\n"), HasSubstr(",proved\r\n"),
                         HasSubstr(",differs in exact arithmetic\r\n"),
                         HasSubstr(",proved given those before\r\n")));
  Comparison nobody_asked = Proved(kThird, kFaulty);
  nobody_asked.proof = nullptr;
  EXPECT_THAT(RenderCsv(nobody_asked), Not(HasSubstr("proved")));
}

// A pair by chance within models that are proved.
TEST(ProofReports, WhatIsProvedWholeHasNoOtherRewrites) {
  const Comparison comparison = Proved(
      "t = Tanh(x) lo = Constant<value_float = -0.5>() hi = Constant<value_float = 5.0>() "
      "a = Clip(t, lo, hi) y = Neg(a)",
      "t = Tanh(x) lo = Constant<value_float = -0.5>() hi = Constant<value_float = 5.0>() "
      "b = Max(t, lo) a = Min(b, hi) y = Neg(a)");
  ASSERT_TRUE(comparison.proof->proved);
  EXPECT_THAT(comparison.proof->rows, Contains(RowProof::kNotProved));
  EXPECT_THAT(RewritesText(comparison, true), Not(HasSubstr("tested")));
}

TEST(ProofReports, RewritesAreListedOnceThoseThatAreNotProvedFirst) {
  const Comparison comparison = Proved(
      "s = Sigmoid(x) a = Mul(x, s) t = Sigmoid(a) b = Mul(a, t) y = Relu(b)",
      "n = Neg(x) e = Exp(n) one = Constant<value_float = 1.0>() d = Add(one, e) a = Div(x, d)"
      " m = Neg(a) f = Exp(m) g = Add(one, f) b = Div(a, g) y = Abs(b)");
  EXPECT_THAT(RewritesText(comparison, true),
              AllOf(HasSubstr("2\u00a0×\u00a0Sigmoid+Mul → Neg+Exp+Add+Div: proved"),
                    StartsWith("Relu → Abs: ")));
  EXPECT_THAT(RewritesText(comparison, true), Not(HasSubstr("Abs: proved")));
  EXPECT_EQ(RewritesText(Proved(kThird, kThird), true), "");
}

TEST(ProofReports, CausesSayWhichOfThemAreProved) {
  const auto cause = [](const Comparison& comparison) {
    EXPECT_FALSE(comparison.causes.empty());
    return comparison.causes.empty() ? "" : CauseProofText(comparison, comparison.causes[0]);
  };
  EXPECT_THAT(cause(Proved(
                  kThird, "third = Constant<value_float = 0.375>() t = Mul(x, third) y = Tanh(t)")),
              HasSubstr("it differs in exact arithmetic"));
  const Comparison rounded =
      Proved("big = Constant<value_float = 100000000.0>() a = Add(x, big) y = Sub(a, big)",
             "y = Identity(x)");
  for (const Cause& one : rounded.causes) {
    EXPECT_THAT(CauseProofText(rounded, one), Not(HasSubstr("it differs in exact")));
  }
}

TEST(ProofReports, WhatIsProvedWithExactNumbersIsNotCalledProved) {
  // 0.1, 0.2, 0.3 and 0.7, each the nearest.
  const std::string half =
      "h = Constant<value = float16[4] {11878, 12902, 13517, 14746}>() w = Cast<to = 1>(h) "
      "y = Mul(x, w)";
  const Comparison comparison =
      Proved("w = Constant<value = float[4] {0.1, 0.2, 0.3, 0.7}>() y = Mul(x, w)", half);
  EXPECT_THAT(RenderTable(comparison),
              AllOf(HasSubstr("same with exact numbers for all inputs"),
                    HasSubstr("1 constant to float16"), HasSubstr("proved with exact numbers"),
                    HasSubstr("in float16 on the right, each element the nearest number: w")));
  EXPECT_EQ(RewriteFaultOf(comparison), "");
  const Json json = JsonOf(comparison);
  EXPECT_THAT(testing::SchemaErrors(json, testing::ComparisonSchema()), IsEmpty()) << json.dump(1);
  EXPECT_EQ(json["proof"]["proved"], false);
  EXPECT_EQ(json["proof"]["proved_with_exact_numbers"], true);
  EXPECT_EQ(json["proof"]["rests_on"]["conversions"]["constants"][0]["constant"], "w");
  // With a faulty element the report says where it parts with exact numbers, too.
  const std::string text = RenderTable(
      Proved("w = Constant<value = float[4] {0.1, 0.2, 0.3, 0.7}>() y = Mul(x, w)",
             "h = Constant<value = float16[4] {11878, 12903, 13517, 14746}>() w = Cast<to = 1>(h) "
             "y = Mul(x, w)"));
  EXPECT_THAT(text, HasSubstr("not proved with exact numbers either"));
}

TEST(ProofReports, Json) {
  for (const char* right : {kOtherThird, kFaulty, "r = RandomNormalLike(x) y = Add(r, x)"}) {
    const Json json = JsonOf(Proved(kThird, right));
    EXPECT_THAT(testing::SchemaErrors(json, testing::ComparisonSchema()), IsEmpty())
        << json.dump(1);
  }
  const Json proved = JsonOf(Proved(kThird, kOtherThird));
  EXPECT_EQ(proved["proof"]["proved"], true);
  EXPECT_THAT(proved["proof"]["rests_on"]["constants"], ElementsAre("1/3"));
  EXPECT_THAT(proved["proof"]["not_proved"], IsEmpty());
  for (const Json& row : proved["rows"]) {
    if (!row["left"].empty() && !row["right"].empty() && row.contains("proved")) {
      EXPECT_EQ(row["proved"], true);
    }
  }
  const Json faulty = JsonOf(Proved(kThird, kFaulty));
  EXPECT_EQ(faulty["proof"]["proved"], false);
  ASSERT_EQ(faulty["proof"]["not_proved"].size(), 1u);
  EXPECT_EQ(faulty["proof"]["not_proved"][0]["differs_exactly"], true);
  int differ = 0, given = 0;
  for (const Json& row : faulty["rows"]) {
    if (row.value("differs_exactly", false)) ++differ;
    if (row.value("proved_given", false)) ++given;
  }
  EXPECT_EQ(differ, 1);
  EXPECT_GE(given, 1);
  EXPECT_FALSE(JsonOf(Comparison()).contains("proof"));
}

TEST(ProofReports, MarkdownJunitAndPage) {
  const Comparison proved = Proved(kThird, kOtherThird);
  const Comparison faulty = Proved(kThird, kFaulty);
  EXPECT_THAT(RenderMarkdown(proved), AllOf(HasSubstr("(proved)"), HasSubstr("4 pairs proved")));
  EXPECT_THAT(RenderMarkdown(faulty),
              AllOf(Not(HasSubstr("(proved)")), HasSubstr("| differs in exact arithmetic |")));
  EXPECT_THAT(RenderJunit(proved),
              AllOf(HasSubstr("<testcase classname=\"proof\" name=\"same for all inputs of these "
                              "shapes\"/>"),
                    Not(HasSubstr("skipped"))));
  EXPECT_THAT(RenderJunit(faulty), AllOf(HasSubstr("skipped=\"1\""), HasSubstr("failures=\"0\"")));
  EXPECT_THAT(RenderHtml(proved, {}), HasSubstr("(proved)"));
  EXPECT_THAT(RenderHtml(faulty, {}), HasSubstr("\"differs_exactly\":true"));
}

TEST(ProofReports, NoProofIsPossible) {
  Comparison comparison;
  comparison.outputs.pairs.emplace_back();
  ProofReport report;
  report.not_possible = "the left is no model";
  comparison.proof = std::make_shared<const ProofReport>(report);
  EXPECT_EQ(NotProvedText(comparison), "but not proved for all inputs: the left is no model");
  EXPECT_THAT(ProofLines(comparison, false), ElementsAre("not possible: the left is no model"));
  EXPECT_EQ(JsonOf(comparison)["proof"]["not_possible"], "the left is no model");
  EXPECT_THAT(FindRewrites(comparison), IsEmpty());
}

}  // namespace
}  // namespace onnxcmp
