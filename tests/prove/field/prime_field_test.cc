#include "prove/field/prime_field.h"

#include <gtest/gtest.h>

#include <vector>

#include "absl/types/span.h"
#include "prove/field/meant_constant.h"

namespace onnxcmp {
namespace {

using Field = PrimeField;

TEST(PrimeField, HasTheRulesOfArithmetic) {
  const Field field(1);
  for (uint64_t i = 0; i < 100; ++i) {
    const Residue a = field.Random(1, static_cast<Residue>(i));
    const Residue b = field.Random(2, static_cast<Residue>(i));
    EXPECT_EQ(Field::Mul(a, Field::Inverse(a)), 1);
    EXPECT_EQ(Field::Sub(Field::Add(a, b), b), a);
    EXPECT_EQ(Field::Mul(Field::Add(a, b), Field::Sub(a, b)),
              Field::Sub(Field::Mul(a, a), Field::Mul(b, b)));
    EXPECT_NE(Field::Mul(a, b), Field::Add(a, b));
  }
  EXPECT_EQ(Field::Inverse(0), kNoNumber);
  EXPECT_EQ(Field::OfDouble(0.75), Field::OfRatio(3, 4));
  EXPECT_EQ(Field::OfDouble(-2.5), Field::Neg(Field::OfRatio(5, 2)));
  std::vector<Residue> numbers = {2, 0, 3, kPlusInfinity};
  Field::Invert(absl::MakeSpan(numbers));
  EXPECT_EQ(numbers,
            (std::vector<Residue>{Field::OfRatio(1, 2), kNoNumber, Field::OfRatio(1, 3), 0}));
}

TEST(PrimeField, FunctionsKeepTheirRulesAndNoOthers) {
  const Field field(1);
  const Residue x = field.Random(1, 1);
  const Residue y = field.Random(1, 2);
  EXPECT_EQ(Field::Mul(field.Exp(x), field.Exp(Field::Neg(x))), 1);
  EXPECT_NE(field.Exp(x), field.Exp(y));
  EXPECT_EQ(field.Exp(kMinusInfinity), 0);
  const Residue square = Field::Mul(x, x);
  EXPECT_EQ(Field::Mul(field.Sqrt(square), field.Sqrt(square)), square);
  for (const Residue small : {2, 3, 5, 7, 11, 13}) {
    EXPECT_EQ(Field::Mul(field.Sqrt(small), field.Sqrt(small)), small);
  }
  EXPECT_EQ(field.Max(x, y), field.Max(y, x));
  EXPECT_NE(field.Max(x, y), field.Min(x, y));
  EXPECT_EQ(Field::Add(field.Max(x, y), field.Min(x, y)), Field::Add(x, y));
  EXPECT_EQ(field.Odd(1, Field::Neg(x)), Field::Neg(field.Odd(1, x)));
}

TEST(MeantConstant, IsTheNumberSomebodyWrote) {
  const Field field(1);
  const auto meaning = [&](float number) { return MeaningOf(field, number, DType::kFloat); };
  EXPECT_EQ(meaning(1.0F / 3).text, "1/3");
  EXPECT_EQ(meaning(1.0F / 3).residue, Field::OfRatio(1, 3));
  EXPECT_EQ(meaning(0.044715F).residue, Field::OfRatio(44715, 1000000));
  const Residue root = meaning(1.41421356F).residue;
  EXPECT_EQ(Field::Mul(root, root), 2);
  EXPECT_EQ(meaning(0.75F).text, "");
  // One last place beside it is another number.
  EXPECT_NE(meaning(0.33333337F).residue, meaning(1.0F / 3).residue);
}

}  // namespace
}  // namespace onnxcmp
