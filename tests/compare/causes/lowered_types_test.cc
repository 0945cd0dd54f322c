// What a coarser type of the right does although each of its nodes is right by itself is named, and
// nothing is where it does no harm.
#include <cstdint>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/causes/cause.h"
#include "compare/compare.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Comparison ComparedOn(const std::string& left, const std::string& right, const Tensor& x) {
  auto comparison = testing::CompareGraphs(left, right, {{"x", x}});
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? *std::move(comparison) : Comparison();
}

std::string FirstCause(const Comparison& comparison) {
  return comparison.causes.empty()
             ? "none"
             : comparison.right.results[Index(comparison.causes[0].right)].name;
}

// What counts is told from what does not by a number below which nothing is.
constexpr char kMasked[] = R"((float[3,4] x) => (float[3,4] y)
  <float zero = {0}, float fill = {-3.4028235e38}, float few = {0.01}> {
    open = Greater (x, zero) mask = Where (open, zero, fill) s = Mul (x, few)
    masked = Add (s, mask) p = Softmax (masked) y = Add (p, x) })";
constexpr char kMaskedHalf[] = R"((float[3,4] x) => (float[3,4] y)
  <float zero = {0}, float fill = {-3.4028235e38}, float few = {0.01}> {
    open = Greater (x, zero) mask = Where (open, zero, fill) mask_h = Cast <to = 10> (mask)
    s = Mul (x, few) s_h = Cast <to = 10> (s) masked = Add (s_h, mask_h) p_h = Softmax (masked)
    p = Cast <to = 1> (p_h) y = Add (p, x) })";

Tensor RowsOf(float second) {
  return Tensor::Of<float>({3, 4}, {1, -2, 3, -4, second, -1, -2, -3, 2, 1, -1, 4});
}

TEST(LoweredTypes, AMaskThatBecomesInfiniteIsTheCause) {
  const Comparison comparison = ComparedOn(kMasked, kMaskedHalf, RowsOf(-1));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_EQ(FirstCause(comparison), "mask_h");
  ASSERT_THAT(comparison.causes, SizeIs(1));
  EXPECT_THAT(comparison.causes[0].text,
              HasSubstr("overflows float16 at [0,1], the right has -inf"));
  EXPECT_EQ(CertificateText(comparison.causes[0]), "mending it makes the outputs agree");
}

TEST(LoweredTypes, AMaskThatStaysFiniteIsNone) {
  const Comparison comparison =
      ComparedOn(absl::StrReplaceAll(kMasked, {{"-3.4028235e38", "-60000"}}),
                 absl::StrReplaceAll(kMaskedHalf, {{"-3.4028235e38", "-60000"}}), RowsOf(-1));
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  EXPECT_THAT(comparison.causes, IsEmpty());
}

TEST(LoweredTypes, AMaskThatLeavesSomethingInEachRowIsNone) {
  const Comparison comparison = ComparedOn(kMasked, kMaskedHalf, RowsOf(1));
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  EXPECT_THAT(comparison.causes, IsEmpty());
}

// The greatest score is looked for where a fill of -1e5 is much less than all others.
TEST(LoweredTypes, AnInfiniteFillThatIsSubtractedIsTheCause) {
  const std::string wide = R"((float[3,4] x) => (float[3,4] y)
    <float zero = {0}, float fill = {-100000}, float few = {1e-5}> {
      open = Greater (x, zero) mask = Where (open, zero, fill) least = ReduceMin <keepdims = 1> (mask)
      above = Sub (mask, least) s = Mul (above, few) y = Add (s, x) })";
  const std::string half = R"((float[3,4] x) => (float[3,4] y)
    <float zero = {0}, float fill = {-100000}, float few = {1e-5}> {
      open = Greater (x, zero) mask_f = Where (open, zero, fill) mask = Cast <to = 10> (mask_f)
      least = ReduceMin <keepdims = 1> (mask) above_h = Sub (mask, least)
      above = Cast <to = 1> (above_h) s = Mul (above, few) y = Add (s, x) })";
  const Comparison comparison = ComparedOn(wide, half, RowsOf(1));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_EQ(FirstCause(comparison), "mask");
}

// Angles of positions, as rotations and embeddings of time steps have them.
std::string Angles(int type) {
  const bool coarse = type != 1;
  return absl::StrCat(
      R"((int64[6,1] x) => (float[6,4] y) <float[4] frequency = {1, 0.317, 0.1, 0.0316}> {)",
      coarse ? absl::StrCat("h = Cast <to = ", type, "> (x) p = Cast <to = 1> (h)")
             : std::string("p = Cast <to = 1> (x)"),
      " angle = Mul (p, frequency) c = Cos (angle) y = Tanh (c) }");
}

Tensor Positions(int64_t first) {
  return Tensor::Of<int64_t>({6, 1},
                             {first, first + 3, first + 7, first + 13, first + 29, first + 31});
}

TEST(LoweredTypes, PositionsThatAreRoundedBeforeCosAreTheCause) {
  const Comparison comparison = ComparedOn(Angles(1), Angles(16), Positions(3001));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_EQ(FirstCause(comparison), "h");
  ASSERT_THAT(comparison.causes, SizeIs(1));
  EXPECT_EQ(comparison.causes[0].kind, CauseKind::kPrecision);
  EXPECT_THAT(comparison.causes[0].text,
              AllOf(HasSubstr("rounded to bfloat16"), HasSubstr("before Cos")));
  EXPECT_EQ(CertificateText(comparison.causes[0]), "mending it makes the outputs agree");
}

TEST(LoweredTypes, PositionsThatTheTypeHoldsAreNone) {
  const Comparison comparison = ComparedOn(Angles(1), Angles(16), Positions(101));
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  EXPECT_THAT(comparison.causes, IsEmpty());
}

TEST(LoweredTypes, AnglesInHalvesAreTheCause) {
  const std::string half = R"((int64[6,1] x) => (float[6,4] y)
    <float[4] frequency = {1, 0.317, 0.1, 0.0316}> {
      h = Cast <to = 10> (x) f = Cast <to = 10> (frequency) angle = Mul (h, f) c = Cos (angle)
      t = Tanh (c) y = Cast <to = 1> (t) })";
  const Comparison comparison = ComparedOn(Angles(1), half, Positions(900));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_EQ(FirstCause(comparison), "angle");
  // Small angles are as good as others in this type.
  const Comparison small = ComparedOn(Angles(1), half, Positions(1));
  EXPECT_EQ(small.verdict(), Verdict::kClose);
  EXPECT_THAT(small.causes, IsEmpty());
}

// Another fault beside such angles stays the cause.
TEST(LoweredTypes, AFaultBesideRoundedPositionsIsNamed) {
  const Comparison comparison =
      ComparedOn(Angles(1), absl::StrReplaceAll(Angles(16), {{"Tanh", "Sigmoid"}}), Positions(101));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_EQ(FirstCause(comparison), "y");
  EXPECT_THAT(comparison.causes, SizeIs(1));
}

}  // namespace
}  // namespace onnxcmp
