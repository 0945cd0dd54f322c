// What a narrower type does not hold is named where it happens, and with its number.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "compare/compare.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

Comparison Compared(const std::string& left, const std::string& right, const Tensor& x) {
  auto comparison = testing::CompareGraphs(left, right, {{"x", x}});
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? *std::move(comparison) : Comparison();
}

std::string NameOfFirst(const Comparison& comparison) {
  return comparison.causes.empty()
             ? "none"
             : comparison.right.results[Index(comparison.causes[0].right)].name;
}

constexpr char kWide[] = R"((int64[5] x) => (int64[5] y)
  <int64 factor = {40503}, int64 rows = {97}> { h = Mul (x, factor) y = Mod (h, rows) })";
constexpr char kNarrow[] = R"((int64[5] x) => (int64[5] y)
  <int32 factor = {40503}, int32 rows = {97}> {
    n = Cast <to = 6> (x) h = Mul (n, factor) m = Mod (h, rows) y = Cast <to = 7> (m) })";

TEST(FirstOverflow, OfAProductIsNamedNotWhatReadsIt) {
  const Comparison comparison =
      Compared(kWide, kNarrow, Tensor::Of<int64_t>({5}, {3, 60000, 17, 90001, 5}));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  ASSERT_THAT(comparison.causes, SizeIs(1));
  EXPECT_EQ(NameOfFirst(comparison), "h");
  EXPECT_THAT(comparison.causes[0].text,
              HasSubstr("2430180000 overflows int32 at [1], the right has -1864787296"));
}

TEST(FirstOverflow, WhatFitsIsNone) {
  const Comparison comparison =
      Compared(kWide, kNarrow, Tensor::Of<int64_t>({5}, {3, 6000, 17, 9001, 5}));
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  EXPECT_THAT(comparison.causes, IsEmpty());
}

TEST(FirstOverflow, OfACastOfFloatsIsNoRounding) {
  const Tensor x = Tensor::Of<float>({4}, {-20.f, 3.9e9f, 12.f, 2.5e9f});
  const std::string wide = R"((float[4] x) => (float[4] y) <int64 rows = {89}> {
    c = Cast <to = 7> (x) m = Mod (c, rows) f = Cast <to = 1> (m) y = Neg (f) })";
  const Comparison comparison = Compared(
      wide, absl::StrReplaceAll(wide, {{"int64 rows", "int32 rows"}, {"to = 7", "to = 6"}}), x);
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_EQ(NameOfFirst(comparison), "c");
  ASSERT_THAT(comparison.causes, Not(IsEmpty()));
  EXPECT_THAT(comparison.causes[0].text, HasSubstr("3900000000 overflows int32 at [1]"));
}

constexpr char kFull[] = R"((float[2,4] x) => (float[2,4] y) <float two = {2}, float c = {0.5}> {
  a = Mul (x, c) s = Pow (a, two) r = Sqrt (s) t = Pow (r, two) u = Sqrt (t) y = Tanh (u) })";
constexpr char kHalf[] = R"((float[2,4] x) => (float[2,4] y) <float two = {2}, float c = {0.5}> {
  h = Cast <to = 10> (x) d = Cast <to = 10> (c) e = Cast <to = 10> (two) a = Mul (h, d)
  s = Pow (a, e) r = Sqrt (s) t = Pow (r, e) u = Sqrt (t) v = Tanh (u) y = Cast <to = 1> (v) })";

TEST(FirstOverflow, OfHalvesIsTheOnlyCause) {
  const Comparison comparison =
      Compared(kFull, kHalf, Tensor::Of<float>({2, 4}, {1, 2, 3, 600, -4, 0.5f, -700, 1}));
  ASSERT_THAT(comparison.causes, SizeIs(1));
  EXPECT_EQ(NameOfFirst(comparison), "s");
  EXPECT_THAT(comparison.causes[0].text,
              AllOf(HasSubstr("90000 overflows float16 at [0,3], the right has inf"),
                    HasSubstr("2 of 8 elements")));
}

TEST(FirstOverflow, HalvesThatFitHaveNone) {
  const Comparison comparison =
      Compared(kFull, kHalf, Tensor::Of<float>({2, 4}, {1, 2, 3, 60, -4, 0.5f, -70, 1}));
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  EXPECT_THAT(comparison.causes, IsEmpty());
}

constexpr char kSquared[] = R"((float[2,3] x) => (float[2,3] y) <float little = {1e-12}> {
  p = Mul (x, x) q = Add (p, little) l = Log (q) y = Neg (l) })";
// The number of the type by its bits.
constexpr char kSquaredHalves[] = R"((float[2,3] x) => (float[2,3] y) <float16 little = {0}> {
  h = Cast <to = 10> (x) p = Mul (h, h) q = Add (p, little) l = Log (q) n = Neg (l)
  y = Cast <to = 1> (n) })";

// The logarithm of 0 is no overflow, and the square was lost before it.
TEST(FirstUnderflow, OfASquareIsNamedNotItsLogarithm) {
  const Tensor x = Tensor::Of<float>({2, 3}, {1, 0.5f, 1e-5f, -2, 2e-5f, 0.25f});
  const auto without = [](const char* model) {
    return absl::StrReplaceAll(model, {{"q = Add (p, little) l = Log (q)", "l = Log (p)"}});
  };
  const Comparison comparison = Compared(without(kSquared), without(kSquaredHalves), x);
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  ASSERT_THAT(comparison.causes, SizeIs(1));
  EXPECT_EQ(NameOfFirst(comparison), "p");
  EXPECT_THAT(comparison.causes[0].text,
              AllOf(HasSubstr("1e-10 underflows float16 at [0,2], the right has 0"),
                    HasSubstr("2 of 6 elements; the least number of the type is 6e-08")));
}

TEST(FirstUnderflow, OfAnEpsilonIsToldWithBothNumbers) {
  const Tensor x = Tensor::Of<float>({2, 3}, {1, 0.5f, 0, -2, 0, 0.25f});
  const Comparison lost = Compared(kSquared, kSquaredHalves, x);
  EXPECT_EQ(NameOfFirst(lost), "little");
  ASSERT_THAT(lost.causes, SizeIs(1));
  EXPECT_THAT(lost.causes[0].text, HasSubstr("1e-12 underflows float16 at [], the right has 0"));
  const Comparison raised =
      Compared(kSquared, absl::StrReplaceAll(kSquaredHalves, {{"{0}", "{2}"}}), x);
  EXPECT_EQ(NameOfFirst(raised), "little");
  ASSERT_THAT(raised.causes, SizeIs(1));
  EXPECT_THAT(raised.causes[0].text,
              HasSubstr("1e-12 underflows float16 at [], the right has 1.1920929e-07"));
}

// Halves hold 1e-5, so that another number in its place is a fault.
TEST(FirstUnderflow, OfNumbersThatTheTypeHoldsIsNone) {
  const Tensor x = Tensor::Of<float>({2, 3}, {1, 0.5f, 0, -2, 0, 0.25f});
  const Comparison comparison =
      Compared(absl::StrReplaceAll(kSquared, {{"1e-12", "1e-5"}}), kSquaredHalves, x);
  EXPECT_EQ(NameOfFirst(comparison), "little");
  ASSERT_THAT(comparison.causes, Not(IsEmpty()));
  EXPECT_THAT(comparison.causes[0].text, HasSubstr("the constants differ"));
}

// Most softmaxes lose small numbers to halves.
TEST(FirstUnderflow, ThatMattersNotIsNoCause) {
  const std::string full = R"((float[2,3] x) => (float[2,3] y) <float c = {0.5}> {
    s = Softmax (x) e = Add (s, c) y = Log (e) })";
  const std::string half = R"((float[2,3] x) => (float[2,3] y) <float c = {0.5}> {
    h = Cast <to = 10> (x) d = Cast <to = 10> (c) s = Softmax (h) e = Add (s, d) l = Log (e)
    y = Cast <to = 1> (l) })";
  const Tensor x = Tensor::Of<float>({2, 3}, {20, 0.5f, 1, -2, 25, 0.25f});
  EXPECT_THAT(Compared(full, half, x).causes, IsEmpty());
  const Comparison wrong =
      Compared(full, absl::StrReplaceAll(half, {{"Add (s, d)", "Sub (s, d)"}}), x);
  ASSERT_THAT(wrong.causes, Not(IsEmpty()));
  EXPECT_EQ(NameOfFirst(wrong), "e");
  EXPECT_THAT(wrong.causes[0].text, Not(HasSubstr("underflows")));
}

// Where a side failed, what lies beside the failure has no partners to be measured against.
TEST(FailedRuns, HaveNoCausesButWhatLeadsToTheFailure) {
  const std::string model = R"((float[6] x) => (float[a,b] z, float[6] w) <int64[2] s = {2, 3},
    float one = {1}> { y = Neg (x) t = Tanh (x) w = Add (t, one) z = Reshape (y, s) })";
  const std::string fails = absl::StrReplaceAll(model, {{"{2, 3}", "{2, 4}"}, {"{1}", "{2}"}});
  const Tensor x = Tensor::Of<float>({6}, {0.1f, 0.2f, -0.3f, 0.4f, 0.5f, -0.6f});
  const Comparison failed = Compared(model, fails, x);
  EXPECT_EQ(failed.verdict(), Verdict::kFailed);
  for (const Cause& cause : failed.causes) {
    EXPECT_EQ(failed.right.results[Index(cause.right)].name, "s") << cause.text;
  }
  ASSERT_THAT(failed.dismissed, Not(IsEmpty()));
  for (const DismissedCause& one : failed.dismissed) {
    EXPECT_EQ(one.veto, Veto::kBesideFailure) << one.cause.text;
    EXPECT_EQ(failed.right.results[Index(one.cause.right)].name, "one");
  }
  const Comparison runs = Compared(model, absl::StrReplaceAll(model, {{"{1}", "{2}"}}), x);
  EXPECT_THAT(runs.causes, SizeIs(1));
}

}  // namespace
}  // namespace onnxcmp
