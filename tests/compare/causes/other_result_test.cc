// Faults that make a result what another result of the left is, to the last bit or nearly so, and
// that hardly show in the outputs: other values find a partner, and it is the wrong one.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/causes/cause_class.h"
#include "compare/compare.h"
#include "compare/outcome/exit_status.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// What is made of `a` moves y by its last place.
constexpr char kLittleOfA[] = R"(g (float[2,8] x) => (float[2,8] y)
<float two = {2}, float three = {3}, float little = {0.000001}> {
  p = Abs (x)
  a = Mul (p, two)
  b = Mul (p, three)
  s = Tanh (a)
  t = Mul (s, little)
  y = Add (t, b)
})";

// The greater one is always `b`, in which the sides round differently.
constexpr char kGreaterOne[] = R"(g (float[2,8] x) => (float[2,8] y)
<float[8] low = {1.5, 1.25, 1.125, 1.75, 1.625, 1.875, 1.0625, 1.3},
 float[8] high = {3.5, 3.25, 3.125, 3.75, 3.625, 3.875, 3.0625, 3.3}> {
  p = Exp (x)
  a = Mul (p, low)
  b = Mul (p, high)
  y = Max (a, b)
})";

struct Fault {
  const char* name;
  const char* model;
  const char* from;
  const char* to;
  const char* cause;  // the right result
};

Tensor FedX() {
  std::vector<float> elements;
  for (int i = 0; i < 16; ++i) elements.push_back(0.37f * static_cast<float>(i * 7 % 11) - 1.61f);
  return Tensor::Of<float>({2, 8}, elements);
}

Comparison ComparedForCauses(const std::string& left, const std::string& right) {
  CompareOptions options;
  options.fail_on = FailOn::kCauses;
  return testing::CompareFedWith(FedX(), left, FedX(), right, options);
}

std::string WithFault(const std::string& model, const std::string& from, const std::string& to) {
  EXPECT_THAT(model, HasSubstr(from));
  return absl::StrReplaceAll(model, {{from, to}});
}

std::vector<std::string> NamesOfWrong(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const Cause& cause : comparison.causes) {
    if (IsWrong(cause)) {
      names.push_back(comparison.right.results[static_cast<size_t>(cause.right)].name);
    }
  }
  return names;
}

class OtherResultTest : public ::testing::TestWithParam<Fault> {};

TEST_P(OtherResultTest, IsNamedAlthoughTheOutputsAgree) {
  const Fault& fault = GetParam();
  const Comparison comparison =
      ComparedForCauses(fault.model, WithFault(fault.model, fault.from, fault.to));
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  EXPECT_THAT(NamesOfWrong(comparison), ElementsAre(fault.cause));
  EXPECT_EQ(ExitStatusOf(comparison), 1);
}

constexpr Fault kFaults[] = {
    {"ByAConstantThatIsNear", kLittleOfA, "two = {2}", "two = {3.0000005}", "two"},
    {"ByAConstantThatIsTheSame", kLittleOfA, "two = {2}", "two = {3}", "two"},
    {"ByTheWrongConstant", kLittleOfA, "Mul (p, two)", "Mul (p, three)", "a"},
    {"ByReadingAnother", kLittleOfA, "Tanh (a)", "Tanh (b)", "s"},
    {"ByLosingItsOperator", kLittleOfA, "a = Mul (p, two)", "a = Identity (b)", "a"},
    {"ByAnotherOperatorThatIsNear", kLittleOfA, "a = Mul (p, two)",
     "one = Constant <value_float = 1.0000002> ()\n  a = Mul (b, one)", "a"},
    {"ByManyConstantsThatAreNear", kGreaterOne,
     "low = {1.5, 1.25, 1.125, 1.75, 1.625, 1.875, 1.0625, 1.3}",
     "low = {3.5000005, 3.2500005, 3.1250005, 3.7500005, 3.6250005, 3.8750005, 3.0625005, "
     "3.3000005}",
     "low"},
};

INSTANTIATE_TEST_SUITE_P(All, OtherResultTest, ::testing::ValuesIn(kFaults),
                         [](const ::testing::TestParamInfo<Fault>& info) {
                           return std::string(info.param.name);
                         });

// What is exchanged is each other's partner, and the last sum is the same; the names tell that it
// is not the output that reads another one.
TEST(OtherResult, WhatIsExchangedIsNamedAndNotWhatReadsIt) {
  const std::string model = R"(g (float[2,8] x) => (float[2,8] sum, float[2,8] rest)
<float[8] low = {1.5, 1.25, 1.125, 1.75, 1.625, 1.875, 1.0625, 1.3}, float high = {3}> {
  p = Tanh (x)
  a = Mul (p, low)
  b = Mul (p, high)
  rest = Sub (a, x)
  sum = Add (rest, b)
})";
  const Comparison comparison = ComparedForCauses(
      model, absl::StrReplaceAll(model, {{"a = Mul (p, low)", "a = Mul (p, high)"},
                                         {"b = Mul (p, high)", "b = Mul (p, low)"}}));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_THAT(NamesOfWrong(comparison), UnorderedElementsAre("a", "b"));
}

// `little` moves y by some of its last places; on the other side it is made of two, and the outputs
// are not the same bits.
constexpr char kLittleFactor[] = R"(g (float[2,8] x) => (float[2,8] y)
<float much = {2.94}, float little = {0.000003}> {
  p = Sigmoid (x)
  s = Tanh (x)
  u = Mul (s, much)
  t = Mul (u, little)
  y = Add (p, t)
})";

std::string WithFactorOfTwo(const std::string& part, const std::string& rest) {
  return absl::StrReplaceAll(
      kLittleFactor,
      {{"float little = {0.000003}",
        absl::StrCat("float part = {", part, "}, float rest = {", rest, "}, float half = {0.5}")},
       {"t = Mul (u, little)", "u_part = Mul (u, part)  t = Mul (u_part, rest)"},
       {"p = Sigmoid (x)",
        "h = Mul (x, half)  i = Tanh (h)  j = Mul (i, half)  p = Add (j, half)"}});
}

// Each part of it could be the whole, where that hardly shows: the other part would then be lost.
TEST(OtherResult, AFactorThatIsMadeOfTwoIsNoFault) {
  for (const auto& [part, rest] : std::vector<std::pair<std::string, std::string>>{
           {"0.0000015", "2"}, {"0.000001", "3"}, {"0.000006", "0.5"}}) {
    const std::string right = WithFactorOfTwo(part, rest);
    for (const Comparison& comparison :
         {ComparedForCauses(kLittleFactor, right), ComparedForCauses(right, kLittleFactor)}) {
      EXPECT_EQ(comparison.verdict(), Verdict::kClose) << part;
      EXPECT_THAT(NamesOfWrong(comparison), ElementsAre()) << part;
      EXPECT_EQ(ExitStatusOf(comparison), 0) << part;
    }
  }
}

// What the left makes of it is then nobody's.
TEST(OtherResult, AFactorThatIsMadeOfTwoAndWrongIsNamed) {
  for (const std::string part : {"0.0000005", "-0.0000005", "0.000002", "0.0000013"}) {
    const std::string right = WithFactorOfTwo(part, "3");
    for (const Comparison& comparison :
         {ComparedForCauses(kLittleFactor, right), ComparedForCauses(right, kLittleFactor)}) {
      EXPECT_EQ(comparison.verdict(), Verdict::kClose) << part;
      EXPECT_EQ(ExitStatusOf(comparison), 1) << part;
    }
  }
}

// Two products with a mask that is 1 everywhere on the right are what they read.
TEST(OtherResult, AFactorThatBecameOneIsNamed) {
  const auto model = [](const std::string& mask) {
    return "g (float[2,8] x) => (float[2,8] y) <float low = {-1}, float high = {0.5}> {\n"
           "g = Greater (x, low)\n l = Less (x, high)\n" +
           mask +
           "f = Cast <to = 1> (m)\n a = Sub (x, low)\n b = Sub (high, x)\n"
           "p = Mul (a, f)\n q = Mul (f, b)\n s = Add (p, q)\n t = Exp (s)\n y = Tanh (t) }";
  };
  const Comparison comparison =
      ComparedForCauses(model("m = And (g, l)\n"), model("m = Or (g, l)\n"));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_THAT(NamesOfWrong(comparison), ElementsAre("m"));
}

}  // namespace
}  // namespace onnxcmp
