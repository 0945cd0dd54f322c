// Functions of one number: each identity beside a fault that it must not take.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::Constant;
using testing::ExpectProofs;
using testing::ProofCase;
using testing::ProofOfModels;

std::string Numbers() {
  return absl::StrCat(Constant("zero", "0.0"), Constant("half", "0.5"), Constant("one", "1.0"),
                      Constant("two", "2.0"));
}

// A body of @, which is above 0.
std::string OfPositive(const std::string& body) {
  return absl::StrCat(Numbers(), "size = Abs(x) p = Add(size, half) ", body);
}

TEST(Functions, OfAnglesAndTheirHyperbolicKin) {
  const std::string one = Numbers() + "d = Sub(x, x) y = Add(d, one)";
  const std::string squares = Numbers() + "a = Sin(x) b = Cos(x) c = Mul(a, a) d = Mul(b, b) ";
  const std::string sizes = Numbers() + "a = Sinh(x) b = Cosh(x) c = Mul(a, a) d = Mul(b, b) ";
  const std::string powers = Numbers() + "a = Exp(x) n = Neg(x) b = Exp(n) ";
  const ProofCase cases[] = {
      {squares + "y = Add(c, d)", one, squares + "y = Sub(d, c)"},
      {sizes + "y = Sub(d, c)", one, sizes + "y = Add(c, d)"},
      {"a = Sin(x) b = Cos(x) y = Div(a, b)", "y = Tan(x)", "a = Tan(x) y = Neg(a)"},
      {powers + "c = Sub(a, b) y = Mul(c, half)", "y = Sinh(x)", "y = Cosh(x)"},
      {powers + "c = Add(a, b) y = Mul(c, half)", "y = Cosh(x)", "y = Sinh(x)"},
      {Numbers() + "t = Tanh(x) a = Add(one, t) b = Sub(one, t) c = Div(a, b) d = Log(c) "
                   "y = Mul(d, half)",
       "t = Tanh(x) y = Atanh(t)", "t = Tanh(x) y = Tan(t)"},
      {Numbers() + "t = Tanh(x) a = Asin(t) b = Acos(t) y = Add(a, b)",
       Numbers() + Constant("k", "1.5707964") + "d = Sub(x, x) y = Add(d, k)", one},
  };
  ExpectProofs(cases);
}

TEST(Functions, OfLogarithmsAndPowers) {
  const std::string e = Constant("e", "0.3") + Constant("f", "0.4") + Constant("g", "0.7");
  const ProofCase cases[] = {
      {OfPositive("a = Sqrt(p) y = Log(a)"), OfPositive("a = Log(p) y = Mul(a, half)"),
       OfPositive("y = Log(p)")},
      {e + OfPositive("a = Log(p) b = Mul(a, e) y = Exp(b)"), e + OfPositive("y = Pow(p, e)"),
       e + OfPositive("y = Pow(p, f)")},
      {e + OfPositive("a = Pow(p, e) b = Pow(p, f) y = Mul(a, b)"), e + OfPositive("y = Pow(p, g)"),
       e + OfPositive("a = Pow(p, e) b = Pow(p, e) y = Mul(a, b)")},
      {e + OfPositive("a = Pow(p, e) y = Log(a)"), e + OfPositive("a = Log(p) y = Mul(a, e)"),
       e + OfPositive("a = Log(p) y = Mul(a, f)")},
      {OfPositive("a = Sqrt(p) y = Div(one, a)"), OfPositive("a = Reciprocal(p) y = Sqrt(a)"),
       OfPositive("y = Sqrt(p)")},
  };
  ExpectProofs(cases);
}

// log(1 + exp(x)) does not overflow as max(x, 0) + log(1 + exp(-|x|)).
TEST(Functions, OfStableForms) {
  const std::string size = Numbers() + "a = Abs(x) n = Neg(a) ";
  const std::string tail = size + "e = Exp(n) d = Add(e, one) l = Log(d) ";
  const ProofCase cases[] = {
      {tail + "r = Relu(x) y = Add(l, r)", "y = Softplus(x)", tail + "y = Add(l, x)"},
      {tail + "m = Min(x, zero) y = Sub(m, l)", "s = Sigmoid(x) y = Log(s)",
       tail + "m = Max(x, zero) y = Sub(m, l)"},
      {size + "s = Softplus(n) r = Relu(x) y = Add(s, r)", "y = Softplus(x)",
       size + "s = Softplus(a) r = Relu(x) y = Add(s, r)"},
      {"a = Softplus(x) n = Neg(x) b = Softplus(n) y = Sub(a, b)", "y = Identity(x)",
       "y = Softplus(x)"},
      {Numbers() + "e = Exp(x) d = Add(one, e) i = Div(one, d) l = Log(i) y = Neg(l)",
       "y = Softplus(x)", "s = Softplus(x) y = Neg(s)"},
      {Numbers() + "r = Relu(x) m = Min(x, zero) e = Exp(m) d = Sub(e, one) y = Add(r, d)",
       "y = Elu(x)", Numbers() + "r = Relu(x) m = Min(x, zero) e = Exp(m) y = Add(r, e)"},
  };
  ExpectProofs(cases);
}

TEST(Functions, OfSignsAndWholeNumbers) {
  const ProofCase cases[] = {
      {"s = Sign(x) y = Sign(s)", "y = Sign(x)", "s = Abs(x) y = Sign(s)"},
      {"s = Sign(x) a = Abs(x) y = Mul(s, a)", "y = Identity(x)",
       "s = Sign(x) a = Abs(x) n = Neg(a) y = Mul(s, n)"},
      {"f = Floor(x) y = Ceil(f)", "y = Floor(x)", "f = Ceil(x) y = Floor(f)"},
      {"f = Round(x) y = Round(f)", "y = Round(x)",
       Numbers() + "f = Round(x) h = Mul(f, half) y = Round(h)"},
      {"i = Cast<to = 7>(x) f = Cast<to = 1>(i) y = Floor(f)",
       "i = Cast<to = 7>(x) "
       "y = Cast<to = 1>(i)",
       "y = Floor(x)"},
  };
  ExpectProofs(cases);
}

TEST(Functions, OfBits) {
  const auto is_proved = [](const std::string& left, const std::string& right) {
    const std::string head =
        "g (uint8[4] x) => (uint8[4] y) <uint8 one = {1}, uint8 two = {2}, uint8 all = {255}> { ";
    return ProofOfModels(absl::StrCat(head, left, " }"), absl::StrCat(head, right, " }"),
                         Tensor::Of<uint8_t>({4}, {1, 2, 3, 4}))
        .proved;
  };
  const std::string up = "BitShift<direction = \"LEFT\">";
  const std::string down = "BitShift<direction = \"RIGHT\">";
  EXPECT_TRUE(is_proved("y = " + up + "(x, one)", "y = Mul(x, two)"));
  EXPECT_TRUE(is_proved("y = " + down + "(x, one)", "y = Div(x, two)"));
  EXPECT_FALSE(is_proved("y = " + down + "(x, two)", "y = Div(x, two)"));
  EXPECT_TRUE(is_proved("y = BitwiseNot(x)", "y = Sub(all, x)"));
  // The last bits are lost.
  EXPECT_FALSE(is_proved("a = " + up + "(x, one) y = " + down + "(a, one)", "y = Identity(x)"));
  EXPECT_FALSE(is_proved("a = " + down + "(x, one) y = " + up + "(a, one)", "y = Identity(x)"));
}

}  // namespace
}  // namespace onnxcmp
