// Identities of operators: each beside a fault that it must not take.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "compare/outcome/proof_report.h"
#include "evaluator/tensor/tensor.h"
#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::Constant;
using testing::ExpectProofs;
using testing::ProofCase;
using testing::ProofOfBodies;
using testing::ProofOfModels;

TEST(Identities, OfNormsSumsAndRoundings) {
  const std::string axis = "i = Constant<value_ints = [1]>() ";
  const ProofCase cases[] = {
      {"y = LpNormalization<axis = 1>(x)", axis + "n = ReduceL2(x, i) y = Div(x, n)",
       axis + "n = ReduceL1(x, i) y = Div(x, n)"},
      {"y = LpNormalization<axis = 1, p = 1>(x)", axis + "n = ReduceL1(x, i) y = Div(x, n)",
       axis + "n = ReduceSum(x, i) y = Div(x, n)"},
      {"y = ReduceSum<noop_with_empty_axes = 1>(x)", "y = Identity(x)", "y = Neg(x)"},
      {"n = Neg(x) f = Floor(n) y = Neg(f)", "y = Ceil(x)", "y = Floor(x)"},
  };
  ExpectProofs(cases);
}

TEST(Identities, OfSumsAndProductsTakenApart) {
  const std::string one = Constant("one", "1.0");
  const std::string two = Constant("two", "2.0");
  const std::string half = Constant("half", "0.5");
  const std::string z = "z = Transpose(x) i = Constant<value_ints = [2, 4]>() w = Reshape(z, i) ";
  const ProofCase cases[] = {
      {z + "t = Add(x, w) y = Sin(t)",
       z + "a = Sin(x) b = Cos(w) c = Cos(x) d = Sin(w) e = Mul(a, b) f = Mul(c, d) y = Add(e, f)",
       z + "a = Sin(x) b = Cos(w) c = Cos(x) d = Sin(w) e = Mul(a, b) f = Mul(c, d) y = Sub(e, f)"},
      {z + "t = Sub(x, w) y = Cos(t)",
       z + "a = Sin(x) b = Cos(w) c = Cos(x) d = Sin(w) e = Mul(c, b) f = Mul(a, d) y = Add(e, f)",
       z + "a = Sin(x) b = Cos(w) c = Cos(x) d = Sin(w) e = Mul(c, b) f = Mul(a, d) y = Sub(e, f)"},
      {two + "t = Mul(x, two) y = Sin(t)", "s = Sin(x) c = Cos(x) p = Mul(s, c) y = Add(p, p)",
       "s = Sin(x) c = Cos(x) y = Mul(s, c)"},
      {"y = Tanh(x)", "s = Sinh(x) c = Cosh(x) y = Div(s, c)",
       "s = Sinh(x) c = Cosh(x) y = Div(c, s)"},
      {"s = Sinh(x) y = Tanh(s)",
       half + "e = Exp(x) n = Neg(x) f = Exp(n) d = Sub(e, f) "
              "s = Mul(d, half) y = Tanh(s)",
       half + "e = Exp(x) n = Neg(x) f = Exp(n) d = Add(e, f) s = Mul(d, half) y = Tanh(s)"},
      {z + "p = Mul(x, w) y = Abs(p)", z + "a = Abs(x) b = Abs(w) y = Mul(a, b)",
       z + "a = Abs(x) y = Mul(a, w)"},
      {z + "p = Mul(x, w) y = Sign(p)", z + "a = Sign(x) b = Sign(w) y = Mul(a, b)",
       z + "a = Sign(x) b = Sign(w) y = Max(a, b)"},
      {z + "a = Max(x, w) b = Min(w, x) y = Mul(a, b)", z + "y = Mul(x, w)",
       z + "a = Mul(x, w) y = Abs(a)"},
      {z + "a = Exp(x) b = Exp(w) y = Min(a, b)", z + "a = Min(x, w) y = Exp(a)",
       z + "a = Max(x, w) y = Exp(a)"},
      {two + "t = Sub(x, two) y = Ceil(t)", two + "c = Ceil(x) y = Sub(c, two)",
       two + "c = Ceil(x) y = Add(c, two)"},
      {half + "t = Add(x, half) y = Sinh(t)", half + "t = Add(half, x) y = Sinh(t)",
       half + "t = Sub(x, half) y = Sinh(t)"},
  };
  ExpectProofs(cases);
  // A half is no whole number, and Round goes to the even one.
  EXPECT_FALSE(
      ProofOfBodies(half + "t = Add(x, half) y = Floor(t)", half + "f = Floor(x) y = Add(f, half)")
          .proved);
  EXPECT_FALSE(
      ProofOfBodies(one + "t = Add(x, one) y = Round(t)", one + "f = Round(x) y = Add(f, one)")
          .proved);
  // x + 1 is rounded before Floor, x is not: the proof says so.
  const ProofReport floor =
      ProofOfBodies(one + "t = Add(x, one) y = Floor(t)", one + "f = Floor(x) y = Add(f, one)");
  EXPECT_TRUE(floor.proved);
  EXPECT_FALSE(floor.rounded_jumps.empty());
  // 0 has a sign of its own.
  EXPECT_FALSE(
      ProofOfBodies("p = Mul(x, x) y = Sign(p)", one + "z = Sub(x, x) y = Add(z, one)").proved);
}

TEST(Identities, OfRests) {
  const auto rest = [](const std::string& body) {
    return "g (int64[3] x) => (int64[3] y) <int64 three = {3}, int64 four = {4}, int64 six = {6}> "
           "{ " +
           body + " }";
  };
  const Tensor x = Tensor::Of<int64_t>({3}, {-7, 5, 16});
  const auto is_proved = [&](const std::string& left, const std::string& right) {
    return ProofOfModels(rest(left), rest(right), x).proved;
  };
  EXPECT_TRUE(is_proved("a = Mod(x, six) y = Mod(a, three)", "y = Mod(x, three)"));
  EXPECT_FALSE(is_proved("a = Mod(x, six) y = Mod(a, four)", "y = Mod(x, four)"));
  EXPECT_FALSE(
      is_proved("a = Mod<fmod = 1>(x, six) y = Mod(a, three)", "y = Mod<fmod = 1>(x, three)"));
}

TEST(Identities, OfTruthValues) {
  const std::string end = " y = Cast<to = 1>(c)";
  const std::string made = "x1 = Sin(x) x2 = Cos(x) g = Greater(x, x1) h = Less(x1, x2) ";
  const std::string casts = made + "a = Cast<to = 1>(g) b = Cast<to = 1>(h) ";
  const std::string yes = "t = Constant<value_int = 1>() u = Cast<to = 9>(t) ";
  const ProofCase cases[] = {
      {casts + "y = Mul(a, a)", made + "y = Cast<to = 1>(g)", made + "y = Cast<to = 1>(h)"},
      {casts + "y = Max(a, b)", made + "c = Or(g, h)" + end, made + "c = Xor(g, h)" + end},
      {casts + "y = Min(a, b)", made + "c = And(g, h)" + end, made + "c = Or(g, h)" + end},
      {casts + "c = Cast<to = 9>(a)" + end, made + "y = Cast<to = 1>(g)",
       made + "c = Not(g)" + end},
      {made + yes + "c = Equal(g, u)" + end, made + "y = Cast<to = 1>(g)",
       made + "c = Not(g)" + end},
      {made + yes + "n = Not(u) c = Equal(n, g)" + end, made + "c = Not(g)" + end,
       made + "y = Cast<to = 1>(g)"},
  };
  ExpectProofs(cases);
  // A number that is no truth value is not its square.
  EXPECT_FALSE(ProofOfBodies("f = Floor(x) y = Mul(f, f)", "y = Floor(x)").proved);
}

// Whatever they are made of, it is one function of few.
TEST(Identities, OfTruthValuesThatSeveralTermsShare) {
  const std::string end = " y = Cast<to = 1>(c)";
  const std::string made =
      "x1 = Sin(x) x2 = Cos(x) p = Greater(x, x1) q = Less(x1, x2) r = Greater(x, x2) "
      "n = LessOrEqual(x, x1) ";
  const ProofCase cases[] = {
      {made + "a = Or(q, r) c = And(p, a)" + end,
       made + "a = And(p, q) b = And(p, r) c = Or(a, b)" + end,
       made + "a = And(p, q) b = And(p, r) c = Xor(a, b)" + end},
      {made + "a = And(q, r) c = Or(p, a)" + end,
       made + "a = Or(p, q) b = Or(r, p) c = And(a, b)" + end,
       made + "a = Or(p, q) b = Or(r, q) c = And(a, b)" + end},
      {made + "a = Or(p, q) c = And(a, p)" + end, made + "c = Identity(p)" + end,
       made + "c = Identity(q)" + end},
      {made + "c = Xor(p, q)" + end,
       made + "a = Not(q) b = And(n, q) d = And(a, p) c = Or(b, d)" + end,
       made + "a = Not(q) b = And(p, q) d = And(a, p) c = Or(b, d)" + end},
      {made + "c = Equal(p, r)" + end, made + "a = Xor(r, p) c = Not(a)" + end,
       made + "a = Xor(r, p) c = And(a, p)" + end},
      {made + "a = Xor(p, q) c = Xor(a, r)" + end, made + "a = Equal(q, r) c = Equal(p, a)" + end,
       made + "a = Equal(q, r) c = Xor(p, a)" + end},
      // A comparison that may be turned where its sides are equal is another one.
      {made + "a = And(p, q) c = Or(a, p)" + end, made + "c = Not(n)" + end,
       made + "m = Less(x, x1) c = Not(m)" + end},
  };
  ExpectProofs(cases);
}

TEST(Identities, OfTheGreaterOverTheLesser) {
  const std::string made = "z = Sin(x) w = Cos(x) ";
  const ProofCase cases[] = {
      {made + "a = Min(z, w) y = Max(x, a)", made + "a = Max(z, x) b = Max(x, w) y = Min(a, b)",
       made + "a = Max(z, x) b = Max(z, w) y = Min(a, b)"},
      {made + "a = Max(z, w) y = Min(x, a)", made + "a = Min(x, z) b = Min(x, w) y = Max(b, a)",
       made + "a = Min(x, z) b = Min(x, w) y = Min(b, a)"},
      {made + "a = Min(x, z) y = Max(x, a)", "y = Identity(x)", "y = Sin(x)"},
      {made + "a = Max(x, z) y = Min(a, x)", "y = Identity(x)", "y = Relu(x)"},
      // The number in the middle.
      {made + "a = Max(x, z) b = Min(a, w) c = Min(x, z) y = Max(b, c)",
       made + "a = Min(x, z) b = Min(z, w) c = Min(w, x) d = Max(a, b) y = Max(c, d)",
       made + "a = Min(x, z) b = Min(z, w) d = Max(a, b) y = Max(w, d)"},
      {made + "a = Min(z, w) b = Max(x, a) c = Max(b, z) y = Max(c, w)",
       made + "a = Max(w, z) y = Max(a, x)", made + "y = Max(z, x)"},
      {made + "a = Min(z, w) y = Max(x, a)",
       made + "k = Neg(x) l = Neg(z) m = Neg(w) a = Max(l, m) b = Min(a, k) y = Neg(b)",
       made + "k = Neg(x) l = Neg(z) m = Neg(w) a = Min(l, m) b = Min(a, k) y = Neg(b)"},
  };
  ExpectProofs(cases);
}

TEST(Identities, OfGeluWithItsFactorsInOne) {
  const auto by_sigmoid = [](const std::string& cubic, const std::string& linear) {
    return absl::StrCat(Constant("k", cubic), Constant("r", linear),
                        "c = Mul(x, x) d = Mul(c, k) e = Add(d, r) f = Mul(x, e) s = Sigmoid(f) "
                        "y = Mul(x, s)");
  };
  const std::string gelu =
      Constant("half", "0.5") + Constant("one", "1.0") + Constant("k", "0.044715") +
      Constant("r", "0.7978845608") +
      "c = Mul(x, x) d = Mul(c, x) e = Mul(d, k) f = Add(e, x) g = Mul(f, r) t = Tanh(g) "
      "u = Add(t, one) v = Mul(u, half) y = Mul(x, v)";
  const ProofCase cases[] = {
      {gelu, by_sigmoid("0.071354814", "1.5957692"), by_sigmoid("0.071354821", "1.5957692")},
      {gelu, by_sigmoid("0.071354814", "1.5957692"), by_sigmoid("0.071354814", "1.5957693")},
  };
  ExpectProofs(cases);
}

}  // namespace
}  // namespace onnxcmp
