// Recurrences, interpolation and transforms beside what they are made of, and operators of several
// versions.
#include <gtest/gtest.h>

#include <string>

#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::ExpectProofs;
using testing::ProofCase;

TEST(Signals, RecurrencesAreTheirSteps) {
  // Two steps of one entry of four numbers, two hidden ones.
  const std::string weights =
      "axis = Constant<value_ints = [1]>() zero = Constant<value_ints = [0]>() "
      "seq = Unsqueeze(x, axis) "
      "w = Constant<value = float[1,2,4] {0.1, 0.2, 0.3, -0.4, 0.5, -0.6, 0.7, 0.8}>() "
      "r = Constant<value = float[1,2,2] {0.3, -0.2, 0.6, 0.9}>() ";
  const auto rnn = [&](const std::string& attributes) {
    return weights + "s = RNN<hidden_size = 2" + attributes +
           ">(seq, w, r) flat = Squeeze(s, axis) t = Squeeze(flat, axis) "
           "y = Concat<axis = 1>(t, t)";
  };
  const std::string unrolled =
      weights +
      "w0 = Squeeze(w, zero) r0 = Squeeze(r, zero) wt = Transpose(w0) rt = Transpose(r0) "
      "p = MatMul(x, wt) a, b = Split<axis = 0, num_outputs = 2>(p) h = Tanh(a) "
      "q = MatMul(h, rt) sum = Add(b, q) g = Tanh(sum) t = Concat<axis = 0>(h, g) "
      "y = Concat<axis = 1>(t, t)";
  const ProofCase cases[] = {
      {unrolled, rnn(""), rnn(", direction = \"reverse\"")},
      {unrolled, rnn(", activations = [\"Tanh\"]"), rnn(", activations = [\"Relu\"]")},
  };
  ExpectProofs(cases);
}

TEST(Signals, LstmAndGruHaveTheirGates) {
  // One step from zeros: of the LSTM, h = o tanh(i c); of the GRU, h = (1 - z) tanh(...).
  const std::string begin =
      "zero = Constant<value_ints = [0]>() one = Constant<value_float = 1.0>() "
      "seq = Unsqueeze(x, zero) ";
  const std::string fill = "half = Constant<value = float[1] {0.5}>() ";
  const auto filled = [](const std::string& name, const std::string& shape) {
    return "shape_" + name + " = Constant<value_ints = " + shape + ">() " + name +
           " = Expand(half, shape_" + name + ") ";
  };
  const std::string lstm = begin + fill + filled("w", "[1, 16, 4]") + filled("r", "[1, 16, 4]") +
                           "all, h, c = LSTM<hidden_size = 4>(seq, w, r) y = Squeeze(h, zero)";
  const std::string gru = begin + fill + filled("w", "[1, 12, 4]") + filled("r", "[1, 12, 4]") +
                          "all, h = GRU<hidden_size = 4>(seq, w, r) y = Squeeze(h, zero)";
  const std::string gate = begin + fill + filled("v", "[4, 4]") + "g = MatMul(x, v) ";
  const std::string cell = gate + "i = Sigmoid(g) f = Tanh(g) c = Mul(i, f) t = Tanh(c) ";
  const std::string update = gate + "z = Sigmoid(g) n = Sub(one, z) f = Tanh(g) ";
  const ProofCase cases[] = {
      {lstm, cell + "y = Mul(i, t)", cell + "y = Mul(f, t)"},
      {gru, update + "y = Mul(n, f)", update + "y = Mul(z, f)"},
  };
  ExpectProofs(cases);
}

TEST(Signals, InterpolationIsAProductWithAMatrix) {
  // A row of four to two by the middles of neighbours.
  const std::string begin =
      "axes = Constant<value_ints = [0, 1]>() x4 = Unsqueeze(x, axes) none = Constant<value = "
      "float[0] {}>() ";
  const auto resize = [&](const std::string& attributes) {
    return begin +
           "scales = Constant<value = float[4] {1.0, 1.0, 1.0, 0.5}>() z = Resize<mode = "
           "\"linear\"" +
           attributes + ">(x4, none, scales) s = Squeeze(z, axes) y = Concat<axis = 1>(s, s)";
  };
  const std::string sizes =
      begin +
      "sizes = Constant<value_ints = [1, 1, 2, 2]>() z = Resize<mode = \"linear\">(x4, "
      "none, , sizes) s = Squeeze(z, axes) y = Concat<axis = 1>(s, s)";
  const std::string product =
      "m = Constant<value = float[4,2] {0.5, 0.0, 0.5, 0.0, 0.0, 0.5, 0.0, 0.5}>() "
      "s = MatMul(x, m) y = Concat<axis = 1>(s, s)";
  const std::string asymmetric = ", coordinate_transformation_mode = \"asymmetric\"";
  const ProofCase cases[] = {
      {product, resize(""), resize(asymmetric)},
      {product, sizes, resize(", coordinate_transformation_mode = \"align_corners\"")},
  };
  ExpectProofs(cases);
}

TEST(Signals, SumsUpToEachElement) {
  const std::string axis = "axis = Constant<value_int = 1>() ";
  // With itself they are one more than without; both ways they are all and itself.
  const std::string sum = axis + "s = CumSum(x, axis) y = Sub(s, x)";
  const std::string all = "one = Constant<value_ints = [1]>() s = ReduceSum(x, one) y = Add(s, x)";
  const auto both = [&](const std::string& attributes) {
    return axis + "a = CumSum(x, axis) b = CumSum<" + attributes + ">(x, axis) y = Add(a, b)";
  };
  const ProofCase cases[] = {
      {sum, axis + "y = CumSum<exclusive = 1>(x, axis)", axis + "y = CumSum<reverse = 1>(x, axis)"},
      {all, both("reverse = 1"), both("reverse = 1, exclusive = 1")},
  };
  ExpectProofs(cases);
}

TEST(Signals, TransformsAreSumsOfWaves) {
  // Two numbers: their sum and their difference, which are real.
  const std::string begin =
      "last = Constant<value_ints = [-1]>() t = Transpose(x) z = Unsqueeze(t, last) "
      "axis = Constant<value_int = 1>() ";
  const auto dft = [&](const std::string& attributes) {
    return begin + "f = DFT<" + attributes +
           ">(z, , axis) r, i = Split<axis = 2, num_outputs = 2>(f) s = Squeeze(r, last) "
           "y = Transpose(s)";
  };
  const std::string sums =
      "a, b = Split<axis = 0, num_outputs = 2>(x) s = Add(a, b) d = Sub(a, b) "
      "y = Concat<axis = 0>(s, d)";
  const ProofCase cases[] = {
      {sums, dft("onesided = 0"), dft("inverse = 1")},
      {sums, dft("onesided = 1"),
       "a, b = Split<axis = 0, num_outputs = 2>(x) s = Add(a, b) "
       "y = Concat<axis = 0>(s, a)"},
  };
  ExpectProofs(cases);
}

}  // namespace
}  // namespace onnxcmp
