// Fused operators as what they are made of; their plain forms are in testdata/fusions.
#include "prove/definition.h"

#include <gtest/gtest.h>

#include <string>

#include "evaluator/model/model.h"
#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::ExpectProofs;
using testing::ProofCase;

TEST(Definition, IsFoundByDomainAndName) {
  EXPECT_NE(FindDefinition(kMicrosoftDomain, "GroupQueryAttention"), nullptr);
  EXPECT_EQ(FindDefinition(kOnnxDomain, "GroupQueryAttention"), nullptr);
  EXPECT_EQ(FindDefinition(kMicrosoftDomain, "BeamSearch"), nullptr);
}

TEST(Definition, ActivationsHaveTheirNumbers) {
  const std::string w =
      "w = Constant<value = float[4,4] {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2, "
      "1.3, "
      "1.4, 1.5, 1.6, 1.7}>() ";
  const ProofCase cases[] = {
      {w + "p = MatMul(x, w) y = LeakyRelu<alpha = 0.3>(p)",
       w + "y = com.microsoft.FusedGemm<activation = \"LeakyRelu\", activation_alpha = 0.3>(x, w)",
       w + "y = com.microsoft.FusedGemm<activation = \"LeakyRelu\", activation_alpha = "
           "0.30000004>(x, w)"},
  };
  ExpectProofs(cases);
}

TEST(Definition, AttentionHasItsHeadsScaleAndMask) {
  // One entry of two tokens of four channels; Q, K and V are x itself.
  const std::string begin =
      "axis = Constant<value_ints = [0]>() x3 = Unsqueeze(x, axis) "
      "mask = Constant<value = int32[1,2] {1, 0}>() ";
  const std::string end = " y = Squeeze(z, axis)";
  const auto attention = [&](const std::string& attributes, const std::string& inputs) {
    return begin + "z = com.microsoft.MultiHeadAttention<" + attributes + ">(" + inputs + ")" + end;
  };
  const std::string plain =
      begin +
      "shape = Constant<value_ints = [1, 2, 2, 2]>() flat = Constant<value_ints = [1, 2, 4]>() "
      "h = Reshape(x3, shape) q = Transpose<perm = [0, 2, 1, 3]>(h) "
      "k = Transpose<perm = [0, 2, 3, 1]>(h) s = MatMul(q, k) "
      "f = Constant<value_float = 0.70710677>() t = Mul(s, f) ";
  const std::string rest =
      "p = Softmax(u) v = MatMul(p, q) r = Transpose<perm = [0, 2, 1, 3]>(v) "
      "z = Reshape(r, flat)" +
      end;
  const std::string masked =
      "m = Constant<value = float[1,1,1,2] {0.0, -10000.0}>() u = Add(t, m) ";
  const std::string lowest = "m = Constant<value = float[1,1,1,2] {0.0, -3.4e38}>() u = Add(t, m) ";
  const std::string causal =
      "c = Constant<value = float[2,2] {0.0, -1e9, 0.0, 0.0}>() u = Add(t, c) ";
  const ProofCase cases[] = {
      {plain + "u = Identity(t) " + rest, attention("num_heads = 2", "x3, x3, x3"),
       attention("num_heads = 1", "x3, x3, x3")},
      {plain + "u = Identity(t) " + rest,
       attention("num_heads = 2, scale = 0.70710677", "x3, x3, x3"),
       attention("num_heads = 2, scale = 0.7071068", "x3, x3, x3")},
      {plain + masked + rest, attention("num_heads = 2", "x3, x3, x3, , mask"),
       attention("num_heads = 2", "x3, x3, x3")},
      // Whichever large number it is.
      {plain + lowest + rest, attention("num_heads = 2", "x3, x3, x3, , mask"),
       attention("num_heads = 2, unidirectional = 1", "x3, x3, x3")},
      {plain + causal + rest, attention("num_heads = 2, unidirectional = 1", "x3, x3, x3"),
       attention("num_heads = 2, unidirectional = 0", "x3, x3, x3")},
  };
  ExpectProofs(cases);
}

TEST(Definition, EinsumSumsProducts) {
  const std::string two = "two = Constant<value_float = 2.0>() z = Mul(x, two) ";
  const std::string last = "last = Constant<value_ints = [-1]>() ";
  const std::string outer = two + "t = Transpose(z) p = MatMul(x, t) s = Transpose(p) ";
  const std::string square = "t = Transpose(x) q = MatMul(x, t) ";
  const std::string end = "e = Expand(r, shape) y = Mul(x, e)";
  const std::string shape = "shape = Constant<value_ints = [2, 4]>() ";
  const ProofCase cases[] = {
      {outer + "y = MatMul(s, x)", two + "y = Einsum<equation = \"ki,ji,kl->jl\">(x, z, x)",
       two + "y = Einsum<equation = \"ki,ji,jl->jl\">(x, z, x)"},
      {two + "y = Mul(x, z)", two + "y = Einsum<equation = \"...,...\">(x, z)",
       two + "y = Einsum<equation = \"...,...\">(z, z)"},
      {last + shape + "r = ReduceSum(x, last) " + end,
       last + shape + "v = Einsum<equation = \"ij->i\">(x) r = Unsqueeze(v, last) " + end,
       last + shape +
           "v = Einsum<equation = \"...j->...\">(x) w = Abs(v) "
           "r = Unsqueeze(w, last) " +
           end},
      {square + shape +
           "o = Constant<value = float[2,2] {1.0, 0.0, 0.0, 1.0}>() d = Mul(q, o) "
           "r = ReduceSum(d) " +
           end,
       square + shape + "r = Einsum<equation = \"ii\">(q) " + end,
       square + shape + "r = Einsum<equation = \"ij->\">(q) " + end},
  };
  ExpectProofs(cases);
}

}  // namespace
}  // namespace onnxcmp
