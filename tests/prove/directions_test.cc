#include "prove/directions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::Constant;
using testing::ExpectProofs;
using testing::ProofCase;
using testing::ProofOfBodies;

// Functions of @ that are k times themselves for k @.
const std::vector<std::string>& Homogeneous() {
  static const std::vector<std::string> kFunctions = {
      "Relu(", "LeakyRelu(", "LeakyRelu<alpha = -0.3>(", "Abs(", "Max(zero, ", "Min(zero, "};
  return kFunctions;
}

TEST(Directions, AFactorAboveZeroMayBeTakenOut) {
  const std::string zero = Constant("zero", "0.0");
  const auto held = [](const std::string& numbers) {
    return absl::StrCat("k = Constant<value = float[4] {", numbers, "}>() ");
  };
  const std::string numbers = held("0.5, 1.7, 3.0, 0.1");
  const std::vector<std::string> factors = {Constant("k", "0.7331"), numbers, "k = Exp(x) ",
                                            "s = Sin(x) k = Mul(s, s) ", "k = Sigmoid(x) "};
  const std::vector<std::string> others = {held("0.5, 1.7, -3.0, 0.1"), "k = Sin(x) ",
                                           "s = Sin(x) q = Mul(s, s) k = Mul(q, s) "};
  const auto is_proved = [&](const std::string& function, const std::string& factor) {
    const std::string given = zero + "c = Cos(x) " + factor;
    return ProofOfBodies(given + "m = Mul(c, k) y = " + function + "m)",
                         given + "m = " + function + "c) y = Mul(m, k)")
        .proved;
  };
  for (const std::string& function : Homogeneous()) {
    for (const std::string& factor : factors) {
      EXPECT_TRUE(is_proved(function, factor)) << function << factor;
    }
    for (const std::string& factor : others) {
      EXPECT_FALSE(is_proved(function, factor)) << function << factor;
    }
  }
}

TEST(Directions, OfComparisonsSignsAndRanges) {
  const std::string numbers = Constant("k", "2.0") + Constant("one", "1.0") +
                              Constant("half", "0.5") + Constant("n", "-2.0");
  const std::string end = " y = Cast<to = 1>(b)";
  const std::string scaled = numbers + "m = Mul(x, k) ";
  const std::string squared = "s = Sin(x) q = Mul(s, s) m = Mul(x, q) ";
  const ProofCase cases[] = {
      {scaled + "b = Greater(m, one)" + end, numbers + "b = Greater(x, half)" + end,
       numbers + "b = Greater(x, one)" + end},
      {scaled + "b = LessOrEqual(m, one)" + end, numbers + "b = GreaterOrEqual(half, x)" + end,
       numbers + "b = Greater(half, x)" + end},
      {scaled + "y = Sign(m)", "y = Sign(x)", numbers + "m = Mul(x, n) y = Sign(m)"},
      {scaled + "c = Clip(m, n, one) y = Div(c, k)", numbers + "u = Neg(one) y = Clip(x, u, half)",
       numbers + "y = Clip(x, n, half)"},
      {scaled + "i = Constant<value_ints = [1]>() g = ReduceMax(m, i) y = Sub(x, g)",
       numbers + "i = Constant<value_ints = [1]>() g = ReduceMax(x, i) m = Mul(g, k) y = Sub(x, m)",
       numbers +
           "i = Constant<value_ints = [1]>() g = ReduceMin(x, i) m = Mul(g, k) y = Sub(x, m)"},
      {"y = Celu<alpha = 2.0>(x)", numbers + "d = Div(x, k) e = Elu(d) y = Mul(e, k)",
       numbers + "d = Div(x, k) e = Elu(d) y = Mul(e, one)"},
      {"s = Sin(x) z = Cos(x) a = Exp(s) c = Sigmoid(z) d = Add(a, c) y = Abs(d)",
       "s = Sin(x) z = Cos(x) a = Exp(s) c = Sigmoid(z) y = Add(a, c)",
       "s = Sin(x) z = Cos(x) a = Exp(s) c = Sigmoid(z) y = Sub(a, c)"},
  };
  ExpectProofs(cases);
  // A factor that may be 0 makes no sign.
  EXPECT_FALSE(ProofOfBodies(squared + "y = Sign(m)", "y = Sign(x)").proved);
}

TEST(Directions, AProductVanishesWithItsFactors) {
  const std::string zero = Constant("zero", "0.0") + "z = Cos(x) t = Mul(x, z) ";
  const ProofCase cases[] = {
      {zero + "g = Greater(x, zero) y = Where(g, t, zero)", "z = Cos(x) r = Relu(x) y = Mul(r, z)",
       "z = Cos(x) m = Mul(x, z) y = Relu(m)"},
      {zero + "g = Greater(x, zero) y = Where(g, t, zero)",
       zero + "g = GreaterOrEqual(x, zero) y = Where(g, t, zero)",
       zero + "g = Less(x, zero) y = Where(g, t, zero)"},
  };
  ExpectProofs(cases);
  // It does not where something else is 0.
  EXPECT_FALSE(ProofOfBodies(zero + "w = Sin(x) g = Greater(w, zero) y = Where(g, t, zero)",
                             zero + "w = Sin(x) g = GreaterOrEqual(w, zero) y = Where(g, t, zero)")
                   .proved);
}

// Conv and the like with the factor in their weights, which is no direction.
TEST(Directions, AFactorInWeightsIsProvedWithout) {
  const auto weights = [](const std::string& numbers) {
    return absl::StrCat("w = Constant<value = float[4,4] {", numbers, "}>() ");
  };
  const std::string one = "0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6";
  const std::string two = "1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 2, 4, 6, 8, 10, 12";
  EXPECT_TRUE(ProofOfBodies(weights(one) + Constant("k", "2.0") +
                                "p = MatMul(x, w) m = Mul(p, k) y = Relu(m)",
                            weights(two) + "p = MatMul(x, w) y = Relu(p)")
                  .proved);
}

}  // namespace
}  // namespace onnxcmp
