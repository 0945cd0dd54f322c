// Loop, Scan and If beside what they stand for.
#include "prove/inner_graphs.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::ExpectProofs;
using testing::ProofCase;
using testing::ProofOfBodies;

// Three iterations of a body that makes `next` of `s`, and of `i`, which is a float here.
std::string Loop(const std::string& body) {
  return "three = Constant<value_int = 3>() go = Constant<value = bool {1}>() "
         "y = Loop(three, go, x) <body = b (int64 n, bool c, float[2,4] s) => (bool d, float[2,4] "
         "next) { d = Identity(c) i = Cast<to = 1>(n) " +
         body + " }>";
}

TEST(InnerGraphs, LoopsAreUnrolled) {
  const std::string unrolled =
      "a = Tanh(x) b = Add(a, x) c = Tanh(b) d = Add(c, x) e = Tanh(d) y = Add(e, x)";
  const std::string counted =
      "one = Constant<value_float = 1.0>() two = Constant<value_float = 2.0>() "
      "a = Sub(x, x) b = Add(a, x) c = Add(b, one) d = Add(c, x) e = Add(d, two) y = Add(e, x)";
  const ProofCase cases[] = {
      {unrolled, Loop("e = Tanh(s) next = Add(e, x)"), Loop("e = Tanh(s) next = Add(e, s)")},
      {unrolled, Loop("e = Tanh(s) next = Add(e, x)"), Loop("e = Tanh(x) next = Add(e, s)")},
  };
  ExpectProofs(cases);
  EXPECT_TRUE(
      ProofOfBodies("f = Constant<value_float = 3.0>() y = Add(x, f)", Loop("next = Add(s, i)"))
          .proved);
  EXPECT_FALSE(
      ProofOfBodies("f = Constant<value_float = 2.0>() y = Add(x, f)", Loop("next = Add(s, i)"))
          .proved);
  EXPECT_FALSE(ProofOfBodies(counted, unrolled).proved);
}

TEST(InnerGraphs, ResultsOfIterationsAreStacked) {
  const auto loop = [](const std::string& sum) {
    return "two = Constant<value_int = 2>() go = Constant<value = bool {1}>() zero = "
           "Constant<value_ints = [0]>() s0 = ReduceSum<keepdims = 0>(x, zero) "
           "s, y = Loop(two, go, s0) <body = b (int64 n, bool c, float[4] s) => (bool d, float[4] "
           "next, float[4] seen) { d = Identity(c) " +
           sum + " seen = Tanh(next) }>";
  };
  const std::string plain =
      "zero = Constant<value_ints = [0]>() s0 = ReduceSum<keepdims = 0>(x, zero) a = Add(s0, s0) "
      "b = Add(a, a) both = Tanh(a) other = Tanh(b) u = Unsqueeze(both, zero) "
      "v = Unsqueeze(other, zero) y = Concat<axis = 0>(u, v)";
  const ProofCase cases[] = {
      {plain, loop("next = Add(s, s)"), loop("next = Add(s, s0)")},
  };
  ExpectProofs(cases);
}

TEST(InnerGraphs, ScansTakeElementsInTheirOrder) {
  const std::string begin =
      "zero = Constant<value_ints = [0]>() s0 = ReduceSum<keepdims = 0>(x, zero) ";
  const auto scan = [&](const std::string& attributes) {
    return begin + "s, y = Scan(s0, x) <num_scan_inputs = 1, " + attributes +
           "body = b (float[4] s, float[4] v) => (float[4] next, float[4] seen) { "
           "next = Add(s, v) seen = Tanh(next) }>";
  };
  const std::string plain =
      begin +
      "i = Constant<value_int = 0>() j = Constant<value_int = 1>() a = Gather(x, i) "
      "b = Gather(x, j) c = Add(s0, a) d = Add(c, b) e = Tanh(c) f = Tanh(d) "
      "u = Unsqueeze(e, zero) v = Unsqueeze(f, zero) y = Concat<axis = 0>(u, v)";
  const ProofCase cases[] = {
      {plain, scan(""), scan("scan_input_directions = [1], ")},
      {plain, scan("scan_input_axes = [0], "), scan("scan_output_directions = [1], ")},
  };
  ExpectProofs(cases);
}

TEST(InnerGraphs, BranchesThatDependOnInputsAreChosenAsByWhere) {
  const std::string begin =
      "zero = Constant<value_float = 0.0>() s = ReduceSum<keepdims = 0>(x) c = Greater(s, zero) ";
  const auto branch = [&](const std::string& first, const std::string& second) {
    return begin + "y = If(c) <then_branch = t () => (float[2,4] a) { a = " + first +
           "(x) }, else_branch = e () => (float[2,4] b) { b = " + second + "(x) }>";
  };
  const ProofCase cases[] = {
      {begin + "a = Tanh(x) b = Sigmoid(x) y = Where(c, a, b)", branch("Tanh", "Sigmoid"),
       branch("Sigmoid", "Tanh")},
  };
  ExpectProofs(cases);
}

TEST(InnerGraphs, IterationsThatDependOnInputsAreAFunctionOfTheirGraph) {
  const auto loop = [](const std::string& next) {
    return "zero = Constant<value_float = 0.0>() s0 = ReduceSum<keepdims = 0>(x) "
           "c0 = Greater(s0, zero) most = Constant<value_int = 4>() "
           "y = Loop(most, c0, x) <body = b (int64 n, bool c, float[2,4] s) => (bool d, float[2,4] "
           "next) { next = " +
           next + " t = ReduceSum<keepdims = 0>(next) d = Greater(t, zero) }>";
  };
  const ProofCase cases[] = {{loop("Sub(s, x)"), loop("Sub(s, x)"), loop("Sub(x, s)")}};
  ExpectProofs(cases);
  EXPECT_FALSE(ProofOfBodies(Loop("r = RandomNormalLike<seed = 1.0>(s) next = Add(s, r)"),
                             Loop("r = RandomNormalLike<seed = 1.0>(s) next = Add(s, r)"))
                   .proved);
}

}  // namespace
}  // namespace onnxcmp
