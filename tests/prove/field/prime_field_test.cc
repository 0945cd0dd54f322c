#include "prove/field/prime_field.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
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
    EXPECT_EQ(field.Mul(a, field.Inverse(a)), 1);
    EXPECT_EQ(field.Sub(field.Add(a, b), b), a);
    EXPECT_EQ(field.Mul(field.Add(a, b), field.Sub(a, b)),
              field.Sub(field.Mul(a, a), field.Mul(b, b)));
    EXPECT_NE(field.Mul(a, b), field.Add(a, b));
  }
  EXPECT_EQ(field.Inverse(0), kNoNumber);
  EXPECT_EQ(field.OfDouble(0.75), field.OfRatio(3, 4));
  EXPECT_EQ(field.OfDouble(-2.5), field.Neg(field.OfRatio(5, 2)));
  std::vector<Residue> numbers = {2, 0, 3, kPlusInfinity};
  field.Invert(absl::MakeSpan(numbers));
  EXPECT_EQ(numbers,
            (std::vector<Residue>{field.OfRatio(1, 2), kNoNumber, field.OfRatio(1, 3), 0}));
}

TEST(PrimeField, HasAPrimeForEachSeed) {
  std::set<uint64_t> primes;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Field field(seed);
    const uint64_t prime = field.prime();
    primes.insert(prime);
    EXPECT_LT(prime, uint64_t{1} << Field::kBits);
    EXPECT_EQ(prime % 8, 7U);
    for (uint64_t divisor = 3; divisor < 4096; divisor += 2) EXPECT_NE(prime % divisor, 0U);
    const Residue greatest = field.Neg(1);
    EXPECT_EQ(field.Mul(greatest, greatest), 1);
    EXPECT_EQ(field.Add(greatest, 1), 0);
    EXPECT_EQ(field.OfDouble(0x1p-1022), field.Power(field.OfRatio(1, 2), 1022));
    EXPECT_EQ(field.OfUnsigned(prime + 5), 5);
    // Which is 1 modulo 2^44 - 3320777.
    EXPECT_NE(field.OfDouble(3320777 * 0x1p-44), 1);
  }
  EXPECT_EQ(primes.size(), 20U);
}

TEST(PrimeField, RatiosOfSmallNumbersAreFew) {
  const Field field(3);
  for (const auto& [a, b] : {std::pair(0, 1), {1, 1}, {-1, 1}, {1024, 3}, {-7, 1024}, {99, 100}}) {
    EXPECT_TRUE(field.IsSmallRatio(field.OfRatio(a, b))) << a << "/" << b;
  }
  EXPECT_FALSE(field.IsSmallRatio(field.OfRatio(1025, 1024)));
  EXPECT_FALSE(field.IsSmallRatio(kPlusInfinity));
  int found = 0;
  for (Residue i = 0; i < 100000; ++i) found += field.IsSmallRatio(field.Random(1, i)) ? 1 : 0;
  EXPECT_LE(found, 2);
}

TEST(PrimeField, FunctionsKeepTheirRulesAndNoOthers) {
  const Field field(1);
  const Residue x = field.Random(1, 1);
  const Residue y = field.Random(1, 2);
  EXPECT_EQ(field.Mul(field.Exp(x), field.Exp(field.Neg(x))), 1);
  EXPECT_NE(field.Exp(x), field.Exp(y));
  EXPECT_EQ(field.Exp(kMinusInfinity), 0);
  const Residue square = field.Mul(x, x);
  EXPECT_EQ(field.Mul(field.Sqrt(square), field.Sqrt(square)), square);
  for (const Residue small : {2, 3, 5, 7, 11, 13}) {
    EXPECT_EQ(field.Mul(field.Sqrt(small), field.Sqrt(small)), small);
  }
  EXPECT_EQ(field.Max(x, y), field.Max(y, x));
  EXPECT_NE(field.Max(x, y), field.Min(x, y));
  EXPECT_EQ(field.Add(field.Max(x, y), field.Min(x, y)), field.Add(x, y));
  EXPECT_EQ(field.Odd(1, field.Neg(x)), field.Neg(field.Odd(1, x)));
}

TEST(MeantConstant, IsTheNumberSomebodyWrote) {
  const Field field(1);
  const auto meaning = [&](float number) { return MeaningOf(field, number, DType::kFloat); };
  EXPECT_EQ(meaning(1.0F / 3).text, "1/3");
  EXPECT_EQ(meaning(1.0F / 3).residue, field.OfRatio(1, 3));
  EXPECT_EQ(meaning(0.044715F).residue, field.OfRatio(44715, 1000000));
  const Residue root = meaning(1.41421356F).residue;
  EXPECT_EQ(field.Mul(root, root), 2);
  EXPECT_EQ(meaning(0.75F).text, "");
  // One last place beside it is another number.
  EXPECT_NE(meaning(0.33333337F).residue, meaning(1.0F / 3).residue);
}

}  // namespace
}  // namespace onnxcmp
