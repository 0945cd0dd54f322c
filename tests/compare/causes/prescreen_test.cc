// Where outputs agree within rounding the search for causes is spared, and nowhere else.
#include "compare/causes/prescreen.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/outcome/exit_status.h"
#include "tests/support/model_pair.h"

namespace onnxcmp::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int kLayers = 24;

// Layers t = tanh(t w) of 256 x 256 numbers: enough work for a look to be worth it. `tanh(i)` is
// how a layer makes t_i of p_i, `last` what is made of the last one.
std::string Layers(const std::function<std::string(int)>& tanh, absl::string_view last) {
  std::string body = "(float[256,256] x, float[256,256] w) => (float[256,256] y)\n";
  absl::StrAppend(&body, "<float one = {1}, float two = {2}, float little = {0.0001}> {\n");
  for (int i = 1; i <= kLayers; ++i) {
    absl::StrAppend(&body, "  p", i, " = MatMul(", i == 1 ? "x" : absl::StrCat("t", i - 1),
                    ", w)\n", tanh(i));
  }
  absl::StrAppend(&body, last, "}");
  return body;
}

std::string Tanh(int i) { return absl::StrCat("  t", i, " = Tanh(p", i, ")\n"); }

// The same by other operators, which round otherwise.
std::string BySigmoid(int i) {
  return absl::StrCat("  u", i, " = Mul(two, p", i, ")\n  s", i, " = Sigmoid(u", i, ")\n  v", i,
                      " = Mul(two, s", i, ")\n  t", i, " = Sub(v", i, ", one)\n");
}

Tensor Numbers(double size) {
  std::vector<float> numbers;
  for (int i = 0; i < 256 * 256; ++i) {
    numbers.push_back(static_cast<float>(size * std::sin(1 + i * 0.7 + i * (i % 251) * 0.01)));
  }
  return Tensor::Of<float>({256, 256}, numbers);
}

Comparison CompareLayers(const std::string& left, const std::string& right,
                         const CompareOptions& options) {
  const auto comparison =
      CompareGraphs(left, right, {{"x", Numbers(1)}, {"w", Numbers(0.12)}}, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? *comparison : Comparison();
}

constexpr absl::string_view kLast = "  y = Identity(t24)\n";

TEST(Prescreen, SparesTheSearchWhereNothingButRoundingDiffers) {
  CompareOptions options;
  // The search could not hold the left's values and would say so.
  options.search_memory = 0;
  const Comparison comparison =
      CompareLayers(Layers(Tanh, kLast), Layers(BySigmoid, kLast), options);
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  EXPECT_THAT(comparison.causes, IsEmpty());
  EXPECT_THAT(comparison.notes, Not(Contains(HasSubstr("no cause was looked for: the left"))));
}

TEST(Prescreen, ACauseThatOutputsHardlyShowIsFound) {
  // A ten-thousandth of one of the layers goes into the output, where it is within tolerance.
  const std::string last = "  part = Mul(little, q)\n  y = Add(t24, part)\n";
  const auto with = [&](const char* q) {
    return Layers(Tanh, absl::StrCat("  q = ", q, "(p3)\n", last));
  };
  for (const bool quick : {true, false}) {
    CompareOptions options;
    options.quick_causes = quick;
    options.tolerance.rtol = 1e-3;
    options.tolerance.atol = 1e-3;
    const Comparison comparison = CompareLayers(with("Sin"), with("Softsign"), options);
    EXPECT_EQ(comparison.verdict(), Verdict::kClose) << quick;
    ASSERT_EQ(comparison.causes.size(), 1) << quick;
    EXPECT_EQ(comparison.right.results[static_cast<size_t>(comparison.causes[0].right)].name, "q");
  }
}

// A result that is 1e-4 of its size apart is no rounding of what it reads, nor is one of 17
// epsilons that double does not explain.
TEST(Prescreen, LooksAtWhatIsFartherApartThanWhatItReads) {
  const auto with = [&](const char* one) {
    return Layers(Tanh, absl::StrCat("  f = Constant<value = float {", one,
                                     "}>()\n  q = Mul(p3, f)\n  part = Mul(little, q)\n"
                                     "  y = Add(t24, part)\n"));
  };
  for (const char* factor : {"1.0001", "1.000002"}) {
    for (const bool quick : {true, false}) {
      CompareOptions options;
      options.quick_causes = quick;
      const Comparison comparison = CompareLayers(with("1"), with(factor), options);
      EXPECT_EQ(comparison.verdict(), Verdict::kClose) << factor << quick;
      EXPECT_EQ(comparison.causes.size(), 1) << factor << quick;
    }
  }
}

// A dozen epsilons by rounding alone: sums of larger numbers that cancel.
TEST(Prescreen, WhatIsGoneInDoubleIsRounding) {
  const auto with = [&](const char* q) {
    return Layers(Tanh, absl::StrCat(q, "  part = Mul(little, q)\n  y = Add(t24, part)\n"));
  };
  const std::string plain = with("  q = Mul(p3, one)\n");
  const std::string cancels =
      with("  f = Constant<value = float {8}>()\n  u = Add(p3, f)\n  q = Sub(u, f)\n");
  for (const bool quick : {true, false}) {
    CompareOptions options;
    options.quick_causes = quick;
    // The search could not hold the left's values and would say so.
    if (quick) options.search_memory = 0;
    const Comparison comparison = CompareLayers(plain, cancels, options);
    EXPECT_EQ(comparison.verdict(), Verdict::kClose) << quick;
    EXPECT_THAT(comparison.causes, IsEmpty()) << quick;
    EXPECT_THAT(comparison.notes, IsEmpty()) << quick;
  }
}

// What is looked at may be gone by then: the bits of the inputs are the same on both sides.
TEST(Prescreen, WhatWasNotKeptIsComputedAgain) {
  const auto with = [&](const char* epsilon) {
    return Layers(Tanh, absl::StrCat("  g = ConstantOfShape<value = float {1}>(n)\n",
                                     "  q = LayerNormalization<epsilon = ", epsilon,
                                     ">(p3, g)\n  part = Mul(little, q)\n"
                                     "  y = Add(t24, part)\n"));
  };
  const auto sized = [&](const char* epsilon) {
    std::string text = with(epsilon);
    text.replace(text.find("> {\n"), 4, ", int64[1] n = {256}> {\n");
    return text;
  };
  CompareOptions options;
  const Comparison comparison = CompareLayers(sized("0.00001"), sized("0.00002"), options);
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  ASSERT_EQ(comparison.causes.size(), 1);
  EXPECT_THAT(comparison.causes[0].text, HasSubstr("epsilon"));
}

// Who asks whether there are causes, or for models of them, gets the whole search.
TEST(Prescreen, NotWhereCausesAreAskedFor) {
  CompareOptions options;
  options.search_memory = 0;  // the search says that it could not be made
  options.fail_on = FailOn::kCauses;
  const Comparison comparison =
      CompareLayers(Layers(Tanh, kLast), Layers(BySigmoid, kLast), options);
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("no cause was looked for: the left")));
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  EXPECT_EQ(ExitStatusOf(comparison), 1);
  EXPECT_THAT(OtherFailure(comparison), HasSubstr("no cause could be looked for"));
}

}  // namespace
}  // namespace onnxcmp::testing
