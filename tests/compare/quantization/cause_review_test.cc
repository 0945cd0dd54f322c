// Mistakes between two quantized sides: whose fault a scale is, and where it is named.
#include "compare/quantization/cause_review.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/causes/cause_class.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A Q/DQ pair; `written` and `read` are the scales' names.
std::string PairOf(const std::string& written, const std::string& read,
                   const std::string& s = "0.02", const std::string& other = "0.03") {
  return absl::StrReplaceAll(
      R"((float[2,4] x) => (float[2,4] y) <float s = {VALUE}, float t = {OTHER}, int8 z = {0}> {
    q = QuantizeLinear (x, WRITTEN, z)
    d = DequantizeLinear (q, READ, z)
    y = Neg (d)
  })",
      {{"VALUE", s}, {"OTHER", other}, {"WRITTEN", written}, {"READ", read}});
}

Comparison Reviewed(const std::string& left, const std::string& right) {
  CompareOptions options;
  options.quantization = true;
  absl::StatusOr<Comparison> comparison =
      testing::CompareGraphs(left, right, testing::GivenFeeds(), options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  if (!comparison.ok()) return {};
  EXPECT_TRUE(comparison->quantization.has_value());
  if (!comparison->quantization.has_value()) comparison->quantization.emplace();
  return *std::move(comparison);
}

// Of two that should be one it is the one that the other side did not get there.
TEST(CauseReview, TheScaleThatChangedIsAtFault) {
  for (const auto& [written, read] : {std::pair("t", "s"), std::pair("s", "t")}) {
    const Comparison comparison = Reviewed(PairOf("s", "s", "0.02", "0.7"), PairOf(written, read));
    ASSERT_THAT(comparison.quantization->mistakes, Not(IsEmpty())) << written;
    const QuantizationMistake& mistake = comparison.quantization->mistakes[0];
    ASSERT_NE(mistake.place, kNone);
    EXPECT_EQ(comparison.right.results[Index(mistake.place)].name, "t");
  }
}

// What the other side has bit for bit is never at fault, odd as it may be.
TEST(CauseReview, BesideItselfNothingIsWrong) {
  const Comparison comparison = Reviewed(PairOf("s", "t"), PairOf("s", "t"));
  EXPECT_THAT(comparison.quantization->mistakes, IsEmpty());
  EXPECT_THAT(comparison.causes, IsEmpty());
}

// Few constants are common to the two, so that grids are looked at: the place is the one that was
// measured, the words are both ones'.
TEST(CauseReview, BetweenTwoQuantizedSidesTheMeasuredPlaceStays) {
  const auto twice = [](const std::string& text, const std::string& scale) {
    return absl::StrReplaceAll(text, {{"y = Neg (d)",
                                       "m = Neg (d)\n e = QuantizeLinear (m, u, z)\n"
                                       "y = DequantizeLinear (e, u, z)"},
                                      {"int8 z", absl::StrCat("float u = {", scale, "}, int8 z")}});
  };
  const Comparison comparison = Reviewed(twice(PairOf("s", "s", "0.02", "0.7"), "0.03"),
                                         twice(PairOf("s", "t", "0.02", "0.04"), "0.031"));
  ASSERT_THAT(comparison.causes, Not(IsEmpty()));
  const Cause& cause = comparison.causes[0];
  EXPECT_TRUE(IsWrong(cause));
  EXPECT_TRUE(cause.review);
  EXPECT_THAT(cause.text, HasSubstr("written with the scale s = 0.02 and read with t = 0.04"));
  EXPECT_THAT(comparison.right.results[Index(cause.right)].name, AnyOf("t", "d"));
}

// A single element of a scale is a factor away, and never moved by an offset.
TEST(CauseReview, NoOffsetOfOneElement) {
  const std::string text = R"((float[2,4] x) => (float[2,4] y)
      <float u = {0.1}, int8 w = {20}, int32[4] b = {1000, -2000, 1500, 700},
       float[4] v = {0.001, 0.001, 0.001, 0.001}> {
    f = DequantizeLinear (w, u)
    p = Mul (x, f)
    c = DequantizeLinear <axis = 0> (b, v)
    y = Add (p, c)
  })";
  const std::string plain = R"((float[2,4] x) => (float[2,4] y)
      <float f = {2}, float[4] c = {1, -1, 1.5, 0.7}> { p = Mul (x, f) y = Add (p, c) })";
  const Comparison comparison = Reviewed(plain, text);
  for (const QuantizationMistake& mistake : comparison.quantization->mistakes) {
    EXPECT_THAT(mistake.text, Not(HasSubstr("zero point")));
  }
}

}  // namespace
}  // namespace onnxcmp
