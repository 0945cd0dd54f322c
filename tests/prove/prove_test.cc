#include "prove/prove.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "compare/outcome/proof_report.h"
#include "evaluator/tensor/tensor.h"
#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::ExpectProofs;
using testing::ProofCase;
using testing::ProofOfBodies;
using testing::ProofOfModels;

TEST(Prove, EveryPairThatIsNotProvedHasAReason) {
  const auto why = [](const std::string& left, const std::string& right) {
    const ProofReport report = ProofOfBodies(left, right);
    return report.parted.empty() ? "" : report.parted.front().why;
  };
  EXPECT_EQ(why("s = Sin(x) y = Mul(s, s)", "t = Tan(x) y = Mul(t, t)"),
            "no rule makes Sin and Tan the same");
  EXPECT_EQ(why("s = Sin(x) y = Tanh(s)",
                "two = Constant<value_float = 1.00001>() s = Mul(x, two) "
                "t = Sin(s) y = Tanh(t)"),
            "no rule makes the arguments of Sin the same");
}

TEST(Prove, RewritesAreProvedAndTheirFaultyTwinsAreNot) {
  const ProofCase cases[] = {
      {"y = Mul(x, x)", "two = Constant<value_float = 2.0>() y = Pow(x, two)",
       "three = Constant<value_float = 3.0>() y = Pow(x, three)"},
      {"y = Relu(x)", "zero = Constant<value_float = 0.0>() y = Max(zero, x)",
       "zero = Constant<value_float = 0.0>() y = Min(zero, x)"},
      {"three = Constant<value_float = 3.0>() y = Div(x, three)",
       "third = Constant<value_float = 0.33333334>() y = Mul(x, third)",
       "third = Constant<value_float = 0.33333337>() y = Mul(x, third)"},
      {"s = Sigmoid(x) y = Mul(x, s)",
       "n = Neg(x) e = Exp(n) one = Constant<value_float = 1.0>() d = Add(one, e) y = Div(x, d)",
       "e = Exp(x) one = Constant<value_float = 1.0>() d = Add(one, e) y = Div(x, d)"},
      {"y = Softmax(x)",
       "one = Constant<value_ints = [-1]>() "
       "mm = ReduceMax(x, one) c = Sub(x, mm) e = Exp(c) s = ReduceSum(e, one) y = Div(e, s)",
       "one = Constant<value_ints = [0]>() mm = ReduceMax(x, one) c = Sub(x, mm) e = Exp(c) "
       "s = ReduceSum(e, one) y = Div(e, s)"},
      {"t = Transpose(x) y = Transpose(t)", "y = Identity(x)", "y = Neg(x)"},
      // A folded constant, and one that is far from it.
      {"a = Constant<value_float = 0.7123457>() b = Constant<value_float = 0.3123459>() "
       "c = Mul(a, b) y = Mul(x, c)",
       "c = Constant<value_float = 0.222498253>() y = Mul(x, c)",
       "c = Constant<value_float = 0.2225>() y = Mul(x, c)"},
      // Moving rounds nothing.
      {"a = Constant<value_float = 0.7123457>() c = Identity(a) y = Mul(x, c)",
       "c = Constant<value_float = 0.7123457>() y = Mul(x, c)",
       "c = Constant<value_float = 0.712345779>() y = Mul(x, c)"},
  };
  ExpectProofs(cases);
}

TEST(Prove, PowersOfESum) {
  const std::string last = "last = Constant<value_ints = [-1]>() ";
  const ProofCase cases[] = {
      {"y = Softmax(x)", last + "e = Exp(x) s = ReduceSum(e, last) y = Div(e, s)",
       last + "n = Neg(x) e = Exp(n) s = ReduceSum(e, last) y = Div(e, s)"},
      {"y = Softmax(x)", last + "e = Exp(x) s = ReduceSum(e, last) r = Reciprocal(s) y = Mul(e, r)",
       last + "e = Exp(x) s = ReduceSum(e, last) r = Reciprocal(s) y = Mul(x, r)"},
      {"y = LogSoftmax(x)", last + "l = ReduceLogSumExp(x, last) y = Sub(x, l)",
       last + "l = ReduceLogSum(x, last) y = Sub(x, l)"},
      {"y = LogSoftmax(x)", "s = Softmax(x) y = Log(s)", "s = Softmax<axis = 0>(x) y = Log(s)"},
      {"e = Exp(x) y = Log(e)", "y = Identity(x)", "y = Neg(x)"},
      {"t = Add(x, x) y = Exp(t)", "e = Exp(x) y = Mul(e, e)", "e = Exp(x) y = Add(e, e)"},
      // What the scores of a row have in common does not matter, what those of a column have does.
      {"y = Softmax(x)", "c = Constant<value_float = 0.7>() z = Add(x, c) y = Softmax(z)",
       "c = Constant<value_floats = [0.7, 0.0, 0.0, 0.0]>() z = Add(x, c) y = Softmax(z)"},
  };
  ExpectProofs(cases);
}

TEST(Prove, FunctionsMadeOfOthersAreThese) {
  const std::string one = "one = Constant<value_float = 1.0>() ";
  const ProofCase cases[] = {
      {"y = Mish(x)", "p = Softplus(x) t = Tanh(p) y = Mul(x, t)",
       "p = Softplus(x) t = Sigmoid(p) y = Mul(x, t)"},
      {"y = Softsign(x)", one + "a = Abs(x) b = Add(one, a) y = Div(x, b)",
       one + "b = Add(one, x) y = Div(x, b)"},
      {"y = Elu<alpha = 0.7>(x)", "y = Celu<alpha = 0.7>(x)", "y = Elu<alpha = 0.70000005>(x)"},
  };
  const absl::Span<const ProofCase> all(cases);
  // Celu divides in exp(); both are alike at alpha 1 alone.
  EXPECT_FALSE(ProofOfBodies(all[2].left, all[2].right).proved);
  EXPECT_FALSE(ProofOfBodies(all[2].left, all[2].faulty).proved);
  EXPECT_TRUE(ProofOfBodies("y = Elu(x)", "y = Celu(x)").proved);
  ExpectProofs(all.first(2));
}

// A float that is 1 modulo 2^44 - 3320777, behind a bound that no number of the run reaches.
TEST(Prove, NoConstantIsAnotherModuloAllPrimes) {
  const std::string gate = "h = Constant<value_float = 100.0>() d = Sub(x, h) q = Relu(d) ";
  EXPECT_FALSE(ProofOfBodies(gate + "y = Add(x, q)",
                             gate + "c = Constant<value_float = 1.8876431795433746e-07>() "
                                    "m = Mul(q, c) y = Add(x, m)")
                   .proved);
}

TEST(Prove, OtherRandomNumbersGiveTheSameAnswer) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_TRUE(
        ProofOfBodies("y = Relu(x)", "z = Constant<value_float = 0.0>() y = Max(z, x)", seed)
            .proved);
    EXPECT_FALSE(ProofOfBodies("y = Relu(x)", "y = Abs(x)", seed).proved);
  }
}

TEST(Prove, ElementsOfSequencesAreMoved) {
  const std::string split = "s = SplitToSequence<axis = 1, keepdims = 1>(x) ";
  const std::string both =
      "a = SequenceAt(s, i) b = SequenceAt(s, j) y = Concat<axis = 1>(a, b, a, b)";
  const ProofCase cases[] = {
      {split + "i = Constant<value_int = 1>() j = Constant<value_int = 2>() " + both,
       "a0, a, b, a3 = Split<axis = 1, num_outputs = 4>(x) y = Concat<axis = 1>(a, b, a, b)",
       "a0, a, b, a3 = Split<axis = 1, num_outputs = 4>(x) y = Concat<axis = 1>(a, b, a, a3)"}};
  ExpectProofs(cases);
}

// A caller may feed them.
TEST(Prove, InputsWithADefaultVary) {
  const auto model = [](const std::string& factor) {
    return "g (float[2,4] x, float s) => (float[2,4] y) <float s = {2.0}, float k = {2.0}> "
           "{ y = Mul(x, " +
           factor + ") }";
  };
  EXPECT_TRUE(ProofOfModels(model("s"), model("s")).proved);
  EXPECT_TRUE(
      ProofOfModels(model("k"), "g (float[2,4] x) => (float[2,4] y) { y = Add(x, x) }").proved);
  EXPECT_FALSE(ProofOfModels(model("s"), model("k")).proved);
}

// Rows of two tables side by side, and of one that has the columns of both.
TEST(Prove, AGatheredElementIsAFunctionOfItsColumn) {
  const auto model = [](const std::string& tables, const std::string& body) {
    return "g (int64[3] x) => (float[3,2] y) <" + tables + "> { " + body + " }";
  };
  const Tensor ids = Tensor::Of<int64_t>({3}, {0, 2, 1});
  const std::string halves = "float[3,1] c = {1, 2, 3}, float[3,1] d = {5, 4, 7}";
  const std::string both = model(halves,
                                 "p = Gather(c, x) q = Gather(d, x) "
                                 "y = Concat<axis = 1>(p, q)");
  const auto whole = [&](const std::string& elements) {
    return model("float[3,2] t = {" + elements + "}", "y = Gather(t, x)");
  };
  EXPECT_TRUE(ProofOfModels(both, whole("1, 5, 2, 4, 3, 7"), ids).proved);
  for (const char* const other : {"1, 5, 2, 4, 3, 7.000001", "1, 5, 2, 7, 3, 4", "5, 1, 4, 2, 7, 3",
                                  "2, 5, 4, 4, 6, 7", "1, 5, 2.0000002, 4, 3, 7"}) {
    EXPECT_FALSE(ProofOfModels(both, whole(other), ids).proved) << other;
  }
  // Scaled and shifted after it or before it.
  EXPECT_TRUE(ProofOfModels(model(halves + ", float k = {2}, float o = {1}",
                                  "p = Gather(c, x) s = Mul(p, k) a = Add(s, o) q = Gather(d, x) "
                                  "y = Concat<axis = 1>(a, q)"),
                            whole("3, 5, 5, 4, 7, 7"), ids)
                  .proved);
}

TEST(Prove, ADifferenceByArithmeticAloneIsOne) {
  const ProofReport report = ProofOfBodies("y = Add(x, x)", "z = Add(x, x) y = Add(z, x)");
  EXPECT_FALSE(report.proved);
  ASSERT_EQ(report.outputs.size(), 1U);
  EXPECT_EQ(report.outputs.front().proof, RowProof::kNotProved);
  ASSERT_FALSE(report.parted.empty());
  EXPECT_EQ(report.parted.back().proof, RowProof::kDiffers);
}

TEST(Prove, AFloatIsNoDoubleOfTheSameDigits) {
  const std::string begin =
      "g (double[2] x) => (double[2] y) <float q = {0.1}, double k = {0.1}, double j = {0.9}, "
      "double r = {0.10000000149011612}> { ";
  const Tensor x = Tensor::Of<double>({2}, {1, -2});
  const auto is_proved = [&](const std::string& left, const std::string& right) {
    return ProofOfModels(begin + left + " }", begin + right + " }", x).proved;
  };
  const std::string plain = "y = Mul(x, k)";
  EXPECT_FALSE(is_proved(plain, "c = Cast<to = 11>(q) y = Mul(x, c)"));
  EXPECT_FALSE(is_proved(plain, "p = Neg(q) c = Cast<to = 11>(p) n = Neg(c) y = Mul(x, n)"));
  EXPECT_FALSE(is_proved(plain, "y = Mul(x, r)"));
  EXPECT_TRUE(is_proved("c = Cast<to = 11>(q) y = Mul(x, c)", "y = Mul(x, r)"));
  // An attribute is a float.
  const std::string small = "m = Mul(x, k) p = Relu(x) s = Mul(p, j) y = Add(m, s)";
  EXPECT_FALSE(is_proved(small, "y = LeakyRelu<alpha = 0.1>(x)"));
}

TEST(Prove, AttributesOfFunctionsCount) {
  const std::string back = " y = Cast<to = 1>(c)";
  EXPECT_TRUE(
      ProofOfBodies("c = Cast<to = 17>(x)" + back, "c = Cast<to = 17, saturate = 1>(x)" + back)
          .proved);
  EXPECT_FALSE(
      ProofOfBodies("c = Cast<to = 17>(x)" + back, "c = Cast<to = 17, saturate = 0>(x)" + back)
          .proved);
  const auto quantized = [](const std::string& saturate) {
    return "s = Constant<value_float = 0.5>() z = Constant<value_float = 0.0>() "
           "e = Cast<to = 17>(z) q = QuantizeLinear<saturate = " +
           saturate + ">(x, s, e) y = DequantizeLinear(q, s, e)";
  };
  EXPECT_TRUE(ProofOfBodies(quantized("0"), quantized("0")).proved);
  EXPECT_FALSE(ProofOfBodies(quantized("1"), quantized("0")).proved);
}

TEST(Prove, OldFormsAreOtherFunctions) {
  const auto is_proved = [](const std::string& old_version, const std::string& before,
                            const std::string& version, const std::string& after,
                            const std::string& graph, const Tensor& x) {
    const auto text = [&](const std::string& opset, const std::string& body) {
      return "<ir_version: 4, opset_import: [\"\" : " + opset + "]> g " + graph + " { " + body +
             " }";
    };
    return ProofOfModels(text(old_version, before), text(version, after), x).proved;
  };
  const Tensor square = Tensor::Of<float>({2, 2}, {1, -2, 3, -4});
  const std::string floats = "(float[2,2] x) => (float[2,2] y) <float[2] b = {0.5, 3}>";
  const std::string bools = "(float[2,2] x) => (bool[2,2] y) <float[2] b = {0.5, 3}>";
  for (const std::string op : {"Add", "Mul"}) {
    EXPECT_FALSE(is_proved("6", "y = " + op + "<broadcast = 1, axis = 0>(x, b)", "13",
                           "y = " + op + "(x, b)", floats, square));
    EXPECT_TRUE(is_proved("6", "y = " + op + "<broadcast = 1>(x, b)", "13", "y = " + op + "(x, b)",
                          floats, square));
  }
  EXPECT_FALSE(is_proved("6", "y = Greater<broadcast = 1, axis = 0>(x, b)", "13",
                         "y = Greater(x, b)", bools, square));
  EXPECT_FALSE(is_proved("6", "y = PRelu(x, b)", "13", "y = PRelu(x, b)", floats, square));
  // A negative index counts from the end since version 11.
  EXPECT_FALSE(is_proved("9", "y = OneHot(x, d, v)", "11", "y = OneHot(x, d, v)",
                         "(int64[2] x) => (float[2,4] y) "
                         "<int64 d = {4}, float[2] v = {0, 1}>",
                         Tensor::Of<int64_t>({2}, {1, 2})));
}

TEST(Prove, RandomNumbersEndIt) {
  const ProofReport report = ProofOfBodies("r = RandomNormalLike<seed = 1.0>(x) y = Add(x, r)",
                                           "r = RandomNormalLike<seed = 1.0>(x) y = Add(x, r)");
  EXPECT_FALSE(report.proved);
  EXPECT_FALSE(report.left_ends.empty());
}

}  // namespace
}  // namespace onnxcmp
