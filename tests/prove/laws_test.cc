// Laws that rules of the field rest on: each is proved, and multiplied out in floats, on random
// numbers and on the corners of its condition.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "evaluator/tensor/tensor.h"
#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::ProofOfModels;

// The arguments for which both sides are numbers.
enum class Where { kAll, kAbove, kNotZero };

struct Law {
  const char* name;
  const char* left;
  const char* right;
  Where holds = Where::kAll;
};

constexpr Law kLaws[] = {
    {"exp of sums", "e = Exp(x) y = Mul(e, e)", "t = Add(x, x) y = Exp(t)"},
    {"exp of opposites", "n = Neg(x) y = Exp(n)", "e = Exp(x) y = Reciprocal(e)"},
    {"log of exp", "e = Exp(x) y = Log(e)", "y = Identity(x)"},
    {"square of roots", "r = Sqrt(x) y = Mul(r, r)", "y = Identity(x)", Where::kAbove},
    {"root of squares", "s = Mul(x, x) y = Sqrt(s)", "y = Abs(x)"},
    {"size by sign", "s = Sign(x) y = Mul(x, s)", "y = Abs(x)"},
    {"size as the greater", "n = Neg(x) y = Max(x, n)", "y = Abs(x)"},
    {"square of sizes", "a = Abs(x) y = Mul(a, a)", "y = Mul(x, x)"},
    {"sine is odd", "n = Neg(x) y = Sin(n)", "s = Sin(x) y = Neg(s)"},
    {"cosine is even", "n = Neg(x) y = Cos(n)", "y = Cos(x)"},
    {"sigmoid of opposites",
     "n = Neg(x) s = Sigmoid(n) o = Constant<value_float = 1.0>() "
     "y = Sub(o, s)",
     "y = Sigmoid(x)"},
    {"tanh by sigmoid",
     "t = Add(x, x) s = Sigmoid(t) u = Add(s, s) "
     "o = Constant<value_float = 1.0>() y = Sub(u, o)",
     "y = Tanh(x)"},
    {"ceil by floor", "n = Neg(x) f = Floor(n) y = Neg(f)", "y = Ceil(x)"},
    {"relu by where", "o = Constant<value_float = 0.0>() g = Greater(x, o) y = Where(g, x, o)",
     "y = Relu(x)"},
    {"relu of multiples", "k = Constant<value_float = 3.0>() m = Mul(x, k) y = Relu(m)",
     "k = Constant<value_float = 3.0>() r = Relu(x) y = Mul(r, k)"},
    {"relu of positive factors", "s = Mul(x, x) m = Mul(x, s) y = Relu(m)",
     "s = Mul(x, x) r = Relu(x) y = Mul(r, s)"},
    {"sign of multiples", "k = Constant<value_float = 3.0>() m = Mul(x, k) y = Sign(m)",
     "y = Sign(x)"},
    {"leaky by the greater", "k = Constant<value_float = 0.25>() m = Mul(x, k) y = Max(x, m)",
     "y = LeakyRelu<alpha = 0.25>(x)"},
    {"elu by where",
     "o = Constant<value_float = 1.0>() z = Constant<value_float = 0.0>() "
     "e = Exp(x) f = Sub(e, o) g = Greater(x, z) y = Where(g, x, f)",
     "y = Elu(x)"},
    {"celu by elu", "k = Constant<value_float = 2.0>() d = Div(x, k) e = Elu(d) y = Mul(e, k)",
     "y = Celu<alpha = 2.0>(x)"},
    {"greatest is associative", "z = Sin(x) w = Cos(x) a = Max(x, z) y = Max(a, w)",
     "z = Sin(x) w = Cos(x) a = Max(z, w) y = Max(w, x, a)"},
    {"sum of greater and less", "z = Sin(x) a = Max(x, z) b = Min(x, z) y = Add(a, b)",
     "z = Sin(x) y = Add(x, z)"},
    {"softmax of shifts", "k = Constant<value_float = 3.0>() a = Add(x, k) y = Softmax(a)",
     "y = Softmax(x)"},
    {"quotients", "z = Cos(x) q = Div(z, x) y = Div(z, q)", "y = Identity(x)", Where::kNotZero},
    {"softplus in a stable form",
     "o = Constant<value_float = 1.0>() a = Abs(x) n = Neg(a) e = Exp(n) s = Add(e, o) "
     "l = Log(s) r = Relu(x) y = Add(l, r)",
     "y = Softplus(x)"},
    {"softplus of opposites", "a = Softplus(x) n = Neg(x) b = Softplus(n) y = Sub(a, b)",
     "y = Identity(x)"},
    {"elu by the lesser",
     "z = Constant<value_float = 0.0>() o = Constant<value_float = 1.0>() r = Relu(x) "
     "m = Min(x, z) e = Exp(m) d = Sub(e, o) y = Add(r, d)",
     "y = Elu(x)"},
    {"sinh by exp",
     "h = Constant<value_float = 0.5>() e = Exp(x) n = Neg(x) f = Exp(n) d = Sub(e, f) "
     "y = Mul(d, h)",
     "y = Sinh(x)"},
    {"squares of sine and cosine",
     "s = Sin(x) c = Cos(x) a = Mul(s, s) b = Mul(c, c) y = Add(a, b)",
     "o = Constant<value_float = 1.0>() d = Sub(x, x) y = Add(d, o)"},
    {"tangent", "s = Sin(x) c = Cos(x) y = Div(s, c)", "y = Tan(x)"},
    {"log of roots", "r = Sqrt(x) y = Log(r)",
     "h = Constant<value_float = 0.5>() l = Log(x) y = Mul(l, h)", Where::kAbove},
    {"powers by log", "k = Constant<value_float = 0.3>() y = Pow(x, k)",
     "k = Constant<value_float = 0.3>() l = Log(x) m = Mul(l, k) y = Exp(m)", Where::kAbove},
    {"root of inverses", "i = Reciprocal(x) y = Sqrt(i)", "r = Sqrt(x) y = Reciprocal(r)",
     Where::kAbove},
    {"signs of signs", "s = Sign(x) y = Sign(s)", "y = Sign(x)"},
    {"sign times size", "s = Sign(x) a = Abs(x) y = Mul(s, a)", "y = Identity(x)"},
    {"whole numbers", "r = Round(x) y = Floor(r)", "y = Round(x)"},
    {"greatest of shifts",
     "z = Sin(x) w = Cos(x) k = Constant<value_float = 0.5>() a = Add(x, k) b = Add(z, k) "
     "c = Add(w, k) y = Max(a, b, c)",
     "z = Sin(x) w = Cos(x) k = Constant<value_float = 0.5>() m = Max(x, z, w) y = Add(m, k)"},
    {"greatest of the greatest",
     "i = Constant<value_ints = [1]>() j = Constant<value_ints = [0]>() m = ReduceMax(x, i) "
     "n = ReduceMax(m, j) y = Add(x, n)",
     "i = Constant<value_ints = [0, 1]>() n = ReduceMax(x, i) y = Add(x, n)"},
    {"greatest of bounds",
     "i = Constant<value_ints = [1]>() r = Relu(x) m = ReduceMax(r, i) y = Add(x, m)",
     "i = Constant<value_ints = [1]>() m = ReduceMax(x, i) r = Relu(m) y = Add(x, r)"},
    {"place of the greatest",
     "e = Exp(x) i = ArgMax<axis = 1>(e) f = Cast<to = 1>(i) y = Add(x, f)",
     "i = ArgMax<axis = 1>(x) f = Cast<to = 1>(i) y = Add(x, f)"},
    {"truth values", "z = Sin(x) g = Greater(x, z) c = Cast<to = 1>(g) y = Mul(c, c)",
     "z = Sin(x) g = Greater(x, z) y = Cast<to = 1>(g)"},
    {"de Morgan",
     "z = Sin(x) g = Greater(x, z) w = Cos(x) h = Less(x, w) a = And(g, h) "
     "c = Not(a) y = Cast<to = 1>(c)",
     "z = Sin(x) g = Greater(x, z) w = Cos(x) h = Less(x, w) "
     "n = Not(g) m = Not(h) c = Or(n, m) y = Cast<to = 1>(c)"},
    {"sine of sums", "z = Cos(x) t = Add(x, z) y = Sin(t)",
     "z = Cos(x) a = Sin(x) b = Cos(z) c = Cos(x) d = Sin(z) e = Mul(a, b) f = Mul(c, d) "
     "y = Add(e, f)"},
    {"cosine of differences", "z = Cos(x) t = Sub(x, z) y = Cos(t)",
     "z = Cos(x) a = Sin(x) b = Cos(z) c = Cos(x) d = Sin(z) e = Mul(c, b) f = Mul(a, d) "
     "y = Add(e, f)"},
    {"hyperbolic sine of doubles", "t = Add(x, x) y = Sinh(t)",
     "a = Sinh(x) b = Cosh(x) c = Mul(a, b) y = Add(c, c)"},
    {"tanh by sinh and cosh", "a = Sinh(x) b = Cosh(x) y = Div(a, b)", "y = Tanh(x)"},
    {"sizes of products", "z = Cos(x) p = Mul(x, z) y = Abs(p)",
     "z = Cos(x) a = Abs(x) b = Abs(z) y = Mul(a, b)"},
    {"signs of products", "z = Cos(x) p = Mul(x, z) y = Sign(p)",
     "z = Cos(x) a = Sign(x) b = Sign(z) y = Mul(a, b)"},
    {"greater times less", "z = Cos(x) a = Max(x, z) b = Min(x, z) y = Mul(a, b)",
     "z = Cos(x) y = Mul(x, z)"},
    {"greatest of powers", "z = Cos(x) a = Exp(x) b = Exp(z) y = Max(a, b)",
     "z = Cos(x) m = Max(x, z) y = Exp(m)"},
    {"floor of shifts", "k = Constant<value_float = 2.0>() t = Sub(x, k) y = Floor(t)",
     "k = Constant<value_float = 2.0>() f = Floor(x) y = Sub(f, k)"},
    {"ceil of shifts", "k = Constant<value_float = 1.0>() t = Add(x, k) y = Ceil(t)",
     "k = Constant<value_float = 1.0>() f = Ceil(x) y = Add(f, k)"},
};

std::vector<std::vector<float>> Arguments(Where holds) {
  std::vector<std::vector<float>> sets = {
      {0.0F, -0.0F, 1, -1, 0.5F, -0.5F, 2, -2},
      {1e-6F, -1e-6F, 1e-3F, -1e-3F, 0.25F, -0.25F, 1.5F, -1.5F},
      {8, -8, 7.5F, -7.5F, 3, -3, 6, -6},
      {0, 0, 0, 0, 1, 1, 1, 1},
  };
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 4; ++i) {
    std::vector<float>& set = sets.emplace_back();
    while (set.size() < 8) set.push_back(normal(random));
  }
  for (std::vector<float>& set : sets) {
    for (float& number : set) {
      if (holds == Where::kAbove) number = std::fabs(number);
      if (holds == Where::kNotZero && number == 0) number = 1;
    }
  }
  return sets;
}

TEST(Laws, HoldInTheFieldAndInFloats) {
  for (const Law& law : kLaws) {
    const auto text = [](const std::string& body) {
      return "g (float[2,4] x) => (float[2,4] y) { " + body + " }";
    };
    for (const std::vector<float>& numbers : Arguments(law.holds)) {
      const Tensor x = Tensor::Of<float>({2, 4}, numbers);
      const ProofReport report = ProofOfModels(text(law.left), text(law.right), x);
      // Of models whose numbers differ nothing is proved.
      EXPECT_TRUE(report.proved) << law.name << " at " << ::testing::PrintToString(numbers);
    }
  }
}

}  // namespace
}  // namespace onnxcmp
