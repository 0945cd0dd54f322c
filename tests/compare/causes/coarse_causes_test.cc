// Models that were converted to float16: what is left in float there, casts at the ends, constants
// that the type cannot hold.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/causes/cause_class.h"
#include "compare/compare.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Replaced;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kFloats[] = R"(g (float[2,8] x) => (float[2,8] y)
<float[8] shift = {0.5, 0.25, 0.125, 0.75, 0.625, 0.875, 0.0625, 0.3}, float little = {1e-12}> {
  a = Abs (x)
  b = Add (a, little)
  c = Sqrt (b)
  d = Sub (c, shift)
  y = Tanh (d)
})";

// The same numbers by their bits. What float16 has for 1e-12 is 0, or 6e-8, the least number that
// is more.
constexpr char kHalves[] = R"(g (float[2,8] x) => (float[2,8] y)
<float16[8] shift = {14336, 13312, 12288, 14848, 14592, 15104, 11264, 13517},
 float16 little = {1}> {
  x_low = Cast <to = 10> (x)
  a = Abs (x_low)
  b = Add (a, little)
  c = Sqrt (b)
  d = Sub (c, shift)
  y_low = Tanh (d)
  y = Cast <to = 1> (y_low)
})";

// An operator that converters leave in float.
constexpr char kScaled[] = R"(g (float[2,8] x) => (float[2,8] y) {
  y = ai.onnx.ml.Scaler <offset = [0.5, 0.25, 0.125, 0.75, 0.625, 0.875, 0.0625, 0.3],
                         scale = [1.5, 1.25, 1.125, 1.75, 1.625, 1.875, 1.0625, 1.3]> (x)
})";

constexpr char kScaledBetweenCasts[] = R"(g (float[2,8] x) => (float[2,8] y) {
  x_low = Cast <to = 10> (x)
  x_again = Cast <to = 1> (x_low)
  s = ai.onnx.ml.Scaler <offset = [0.5, 0.25, 0.125, 0.75, 0.625, 0.875, 0.0625, 0.3],
                         scale = [1.5, 1.25, 1.125, 1.75, 1.625, 1.875, 1.0625, 1.3]> (x_again)
  y_low = Cast <to = 10> (s)
  y = Cast <to = 1> (y_low)
})";

Tensor Fed() {
  std::vector<float> elements;
  for (int i = 0; i < 16; ++i) elements.push_back(0.3137f * static_cast<float>(i * 5 % 13) - 1.43f);
  return Tensor::Of<float>({2, 8}, elements);
}

std::vector<std::string> WrongIn(const std::string& left, const std::string& right) {
  CompareOptions options;
  options.fail_on = FailOn::kCauses;
  const Comparison comparison = testing::CompareFedWith(Fed(), left, Fed(), right, options);
  return testing::NamesOfWrong(comparison);
}

TEST(CoarseCauses, WhatTheTypeCannotHoldIsNoFault) {
  EXPECT_THAT(WrongIn(kFloats, kHalves), IsEmpty());
  EXPECT_THAT(WrongIn(kFloats, Replaced(kHalves, "little = {1}", "little = {2}")), IsEmpty());
  EXPECT_THAT(WrongIn(kFloats, Replaced(kHalves, "little = {1}", "little = {0}")), IsEmpty());
}

TEST(CoarseCauses, WhatItCanHoldIsOne) {
  EXPECT_THAT(WrongIn(kFloats, Replaced(kHalves, "little = {1}", "little = {5145}")),
              ElementsAre("little"));
  EXPECT_THAT(WrongIn(Replaced(kFloats, "1e-12", "0.00001"),
                      Replaced(kHalves, "little = {1}", "little = {5145}")),
              ElementsAre("little"));
}

// The node before the cast that gives the output, not the cast.
TEST(CoarseCauses, TheLastNodeIsNamedAndNotTheCastOfIt) {
  EXPECT_THAT(WrongIn(kFloats, Replaced(kHalves, "Tanh (d)", "Sigmoid (d)")), ElementsAre("y_low"));
  EXPECT_THAT(WrongIn(kFloats, Replaced(kHalves, "y_low = Tanh (d)", "y_low = Tanh (c)")),
              ElementsAre("y_low"));
}

TEST(CoarseCauses, WhatIsLeftInFloatOfAConvertedModelIsRounded) {
  EXPECT_THAT(WrongIn(kScaled, kScaledBetweenCasts), IsEmpty());
  EXPECT_THAT(WrongIn(kScaledBetweenCasts, kScaled), IsEmpty());
}

TEST(CoarseCauses, WhatIsWrongThereIsNamed) {
  EXPECT_THAT(WrongIn(kScaled, Replaced(kScaledBetweenCasts, "1.75,", "1.85,")), ElementsAre("s"));
}

// One that passes through float16 alone, in a model of floats, is a mistake.
TEST(CoarseCauses, ADetourInAModelOfFloatsIsNamed) {
  const std::string detour =
      Replaced(kFloats, "d = Sub (c, shift)",
               "low = Cast <to = 10> (c) again = Cast <to = 1> (low) d = Sub (again, shift)");
  EXPECT_THAT(WrongIn(kFloats, detour), ElementsAre("again"));
}

constexpr char kMasked[] = R"(g (float[2,8] x) => (float[2,8] y)
<float[8] mask = {0, 0, 0, 0, 0, 0, MASK, MASK}> {
  a = Abs (x)
  m = Add (a, mask)
  y = Softmax (m)
})";

// Exporters write minus infinity or the least number.
TEST(CoarseCauses, AnotherMaskIsNoFault) {
  const auto with = [](const std::string& mask) { return Replaced(kMasked, "MASK", mask); };
  EXPECT_THAT(WrongIn(with("-1e38"), with("-3.4028234e38")), IsEmpty());
  EXPECT_THAT(WrongIn(with("-3.4028234e38"), with("-1e38")), IsEmpty());
  EXPECT_THAT(WrongIn(with("-3.4028234e38"), with("-3")), ElementsAre("mask"));
}

constexpr char kFloat8Weights[] = R"(g (float[2,8] x) => (float[2,1] y)
<TYPE[8,1] w = {48, 49, 50, 51, 52, 53, 54, 55}> {
  wide = Cast <to = 1> (w)
  y = MatMul (x, wide)
})";

// By the weights' bits; a step of such a type is an eighth or a quarter of a number.
TEST(CoarseCauses, AConstantOfEightBitsIsExact) {
  for (const char* type : {"float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"}) {
    const std::string weights = Replaced(kFloat8Weights, "TYPE", type);
    EXPECT_THAT(WrongIn(weights, Replaced(weights, "51", "52")), ElementsAre("w")) << type;
    EXPECT_THAT(WrongIn(weights, weights), IsEmpty()) << type;
  }
  const std::string fine = Replaced(kFloat8Weights, "TYPE", "float8e4m3fn");
  // The same numbers up to half of a step in the coarser type.
  const std::string coarse =
      Replaced(Replaced(fine, "float8e4m3fn", "float8e5m2"), "48, 49, 50, 51, 52, 53, 54, 55",
               "56, 56, 57, 58, 58, 58, 59, 60");
  EXPECT_THAT(WrongIn(fine, coarse), IsEmpty());
}

}  // namespace
}  // namespace onnxcmp
