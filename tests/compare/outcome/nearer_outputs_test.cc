// One model in two places: the outputs of the one that rounds less are accepted, no others.
#include "compare/outcome/nearer_outputs.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/render_table.h"
#include "tests/support/model_pair.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::CompareGraphs;
using testing::Convert;
using ::testing::HasSubstr;

// Sums of many terms: in float16 after each one, and in float32 at once.
constexpr char kCoarse[] = R"(
  (float16[1,64] x) => (float16[1,64] y)
  <float16 third = {13653}>
  { a = Mul(x, third) b = Add(a, x) c = Mul(b, b) d = Add(c, a) e = Mul(d, third) y = Add(e, c) })";
constexpr char kFine[] = R"(
  (float16[1,64] x) => (float16[1,64] y)
  <float16 third = {13653}>
  { f = Cast<to = 1>(x) t = Cast<to = 1>(third) a = Mul(f, t) b = Add(a, f) c = Mul(b, b)
    d = Add(c, a) e = Mul(d, t) z = Add(e, c) y = Cast<to = 10>(z) })";
// The same with one result that is 1 % larger.
constexpr char kFaulty[] = R"(
  (float16[1,64] x) => (float16[1,64] y)
  <float16 third = {13653}, float percent = {1.01}>
  { f = Cast<to = 1>(x) t = Cast<to = 1>(third) a = Mul(f, t) b = Add(a, f) c = Mul(b, b)
    g = Mul(c, percent) d = Add(g, a) e = Mul(d, t) z = Add(e, g) y = Cast<to = 10>(z) })";

struct Looks {
  Comparison comparison, in_double;
  bool accepted = false;
};

Looks LookAt(const std::string& left, const std::string& right) {
  CompareOptions options;
  options.tolerance.rtol = options.tolerance.atol = 0;
  options.causes = false;
  std::vector<float> numbers;
  for (int i = 0; i < 64; ++i) numbers.push_back(0.37f * static_cast<float>(i) - 9.1f);
  const Feeds feeds = {{"x", Convert(Tensor::Of<float>({1, 64}, numbers), DType::kFloat16)}};
  Looks looks;
  auto comparison = CompareGraphs(left, right, feeds, options);
  options.shadow = true;
  auto in_double = CompareGraphs(left, right, feeds, options);
  EXPECT_TRUE(comparison.ok() && in_double.ok()) << comparison.status() << in_double.status();
  if (!comparison.ok() || !in_double.ok()) return looks;
  EXPECT_EQ(comparison->verdict(), Verdict::kDifferent);
  looks = {*std::move(comparison), *std::move(in_double)};
  looks.accepted = AcceptNearerOutputs(looks.in_double, &looks.comparison);
  return looks;
}

TEST(NearerOutputsTest, WhoRoundsLessIsRight) {
  const Looks looks = LookAt(kCoarse, kFine);
  EXPECT_TRUE(looks.accepted);
  EXPECT_EQ(looks.comparison.verdict(), Verdict::kClose);
  EXPECT_THAT(RenderTable(looks.comparison, {}),
              HasSubstr("the right rounds no worse than the left"));
}

TEST(NearerOutputsTest, WhoRoundsMoreIsNot) {
  const Looks looks = LookAt(kFine, kCoarse);
  EXPECT_FALSE(looks.accepted);
  EXPECT_EQ(looks.comparison.verdict(), Verdict::kDifferent);
}

TEST(NearerOutputsTest, AnotherModelIsNot) {
  const Looks looks = LookAt(kCoarse, kFaulty);
  EXPECT_FALSE(looks.accepted);
  EXPECT_EQ(looks.comparison.verdict(), Verdict::kDifferent);
}

TEST(NearerOutputsTest, NothingIsAcceptedWithoutTheRunsInDouble) {
  Looks looks = LookAt(kFine, kCoarse);
  looks.in_double.shadow.reset();
  EXPECT_FALSE(AcceptNearerOutputs(looks.in_double, &looks.comparison));
}

}  // namespace
}  // namespace onnxcmp
