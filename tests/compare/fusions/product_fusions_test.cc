// Products, convolutions, normalizations, embeddings.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/compare/fusions/fusion_test_support.h"
#include "tests/support/model_pair.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kProduct[] =
    "(float[2,2] x, float[2,2] other) => (float[2,2] y) <float[2,2] w = {1, 0, 0, 1}, float[2] b = "
    "{1, 2}, float s = {0.1}, uint8 z = {0}> { [m] m = MatMul (x, w) [a] a = Add (b, m) "
    "[r] y = Relu (a) }";

TEST(ProductFusions, BiasAndActivation) {
  EXPECT_THAT(FusionLines(kProduct), ElementsAre("MatMul + bias + Relu: m a r"));
  EXPECT_THAT(FusionLines(Replaced(kProduct, "Relu", "Abs")), ElementsAre("MatMul + bias: m a"));
  EXPECT_THAT(
      FusionLines(Replaced(kProduct, "[a] a = Add (b, m) [r] y = Relu (a)", "[r] y = Sigmoid (m)")),
      ElementsAre("MatMul + Sigmoid: m r"));
  EXPECT_THAT(FusionLines(Replaced(kProduct, "[m] m = MatMul (x, w) [a] a = Add (b, m)",
                                   "[a] a = Gemm (x, w, b)")),
              ElementsAre("MatMul + bias + Relu: a r"));
}

TEST(ProductFusions, NearMisses) {
  // Weights and biases are constants.
  EXPECT_THAT(FusionLines(Replaced(kProduct, "MatMul (x, w)", "MatMul (x, other)")), IsEmpty());
  EXPECT_THAT(FusionLines(Replaced(kProduct, "Add (b, m)", "Add (other, m)")), IsEmpty());
  EXPECT_THAT(FusionLines(Replaced(kProduct, "Add (b, m)", "Mul (b, m)")), IsEmpty());
}

TEST(ProductFusions, Broken) {
  const std::string quantized =
      Replaced(kProduct, "[a] a = Add (b, m)",
               "[q] q8 = QuantizeLinear (m, s, z) [k] n = DequantizeLinear (q8, s, z) "
               "[a] a = Add (b, n)");
  EXPECT_THAT(FusionLines(quantized), ElementsAre("MatMul + bias + Relu: m a r | Q/DQ q k"));
  EXPECT_THAT(
      FusionLines(Replaced(kProduct, "[r] y = Relu (a)", "[t] t = Transpose (a) [r] y = Relu (t)")),
      ElementsAre("MatMul + bias + Relu: m a r | Transpose t"));
  // Weights after a DequantizeLinear are constants.
  EXPECT_THAT(FusionLines(Replaced(kProduct, "[m] m = MatMul (x, w)",
                                   "[v] q8 = QuantizeLinear (w, s, z) "
                                   "[k] v = DequantizeLinear (q8, s, z) [m] m = MatMul (x, v)")),
              ElementsAre("MatMul + bias + Relu: m a r"));
}

TEST(ProductFusions, QuantizedOperatorsRoundInBetween) {
  EXPECT_THAT(
      FusionLines(
          "(uint8[2,2] x) => (uint8[2,2] y) <uint8[2,2] w = {1, 0, 0, 1}, uint8[2] b = {1, 2}, "
          "float s = {0.1}, uint8 z = {0}> "
          "{ [m] m = QLinearMatMul (x, s, z, w, s, z, s, z) "
          "[a] y = com.microsoft.QLinearAdd (m, s, z, b, s, z, s, z) }"),
      ElementsAre("MatMul + bias: m a | Q/DQ m"));
}

TEST(ProductFusions, FusedOperators) {
  EXPECT_THAT(FusionLines(Replaced(kProduct, "[a] a = Add (b, m) [r] y = Relu (a)",
                                   "[g] y = com.microsoft.BiasGelu (m, b)")),
              ElementsAre("MatMul + bias + Gelu: m g", "BiasGelu: g"));
}

constexpr char kConvolution[] =
    "(float[1,1,2,2] x) => (float[1,1,2,2] y) <float[1,1,1,1] w = {2}, float[1] one = {1}, "
    "float[1] zero = {0}> { [c] c = Conv (x, w) "
    "[b] b = BatchNormalization (c, one, zero, zero, one) [r] y = Relu (b) }";

TEST(ConvolutionFusions, NormalizedAndActivated) {
  EXPECT_THAT(FusionLines(kConvolution), ElementsAre("Conv + BatchNormalization + Relu: c b r"));
  EXPECT_THAT(
      FusionLines(Replaced(kConvolution, "[r] y = Relu (b)",
                           "[s] s = HardSigmoid <alpha = 0.16666667> (b) [r] y = Mul (b, s)")),
      ElementsAre("Conv + BatchNormalization + HardSwish: c b s r", "HardSwish: s r"));
  EXPECT_THAT(FusionLines(Replaced(kConvolution, "[r] y = Relu (b)",
                                   "[a] a = Add (x, b) [r] y = Relu (a)")),
              ElementsAre("Conv + sum + Relu: c b a r"));
}

TEST(ConvolutionFusions, NearMissesAndReaders) {
  // Another slope is no HardSwish: the sigmoid is one activation, which is not all that reads b.
  EXPECT_THAT(FusionLines(Replaced(kConvolution, "[r] y = Relu (b)",
                                   "[s] s = HardSigmoid (b) [r] y = Mul (b, s)")),
              ElementsAre("Conv + BatchNormalization + HardSigmoid: c b s | second reader r"));
  EXPECT_THAT(FusionLines(Replaced(Replaced(kConvolution, "[r] y", "[n] n = Neg (c) [r] y").c_str(),
                                   "[1,1,2,2] y)", "[1,1,2,2] y, float[1,1,2,2] n)")),
              ElementsAre("Conv + BatchNormalization + Relu: c b r | second reader n"));
}

constexpr char kNorm[] =
    "(float[2,3,4] x, float[2,3,4] skip) => (float[2,3,4] y) <int64[1] last = {-1}, float two = "
    "{2}, "
    "float eps = {0.00001}, float[4] g = {1, 1, 1, 1}, float[4] b = {0, 0, 0, 0}> "
    "{ [s] s = Add (x, skip) [m] m = ReduceMean (s, last) [d] d = Sub (s, m) [p] p = Pow (d, two) "
    "[v] v = ReduceMean (p, last) [e] e = Add (v, eps) [r] r = Sqrt (e) [q] q = Div (d, r) "
    "[w] w = Mul (q, g) [a] y = Add (w, b) }";

TEST(NormalizationFusions, LayerNormalizationOfNodes) {
  EXPECT_THAT(FusionLines(kNorm), ElementsAre("skip + LayerNormalization: s m d p v e r q w a"));
  // The sum may be read, as SkipLayerNormalization gives it.
  EXPECT_THAT(FusionLines(Replaced(Replaced(kNorm, "[m] m", "[n] n = Neg (s) [m] m").c_str(),
                                   "[2,3,4] y)", "[2,3,4] y, float[2,3,4] n)")),
              ElementsAre("skip + LayerNormalization: s m d p v e r q w a"));
  // The square as a product, the deviation computed twice, the inverse multiplied.
  std::string other =
      Replaced(kNorm, "[p] p = Pow (d, two)", "[d2] d2 = Sub (s, m) [p] p = Mul (d2, d2)");
  other =
      Replaced(other.c_str(), "[q] q = Div (d, r)", "[i] i = Reciprocal (r) [q] q = Mul (d, i)");
  EXPECT_THAT(FusionLines(other),
              ElementsAre("skip + LayerNormalization: s m d d2 p v e r i q w a"));
}

TEST(NormalizationFusions, NearMisses) {
  // Along another axis, of another power, without the mean taken away.
  EXPECT_THAT(FusionLines(Replaced(kNorm, "last = {-1}", "last = {1}")), IsEmpty());
  EXPECT_THAT(FusionLines(Replaced(kNorm, "two = {2}", "two = {3}")), IsEmpty());
  EXPECT_THAT(FusionLines(Replaced(kNorm, "Sqrt", "Exp")), IsEmpty());
  EXPECT_THAT(FusionLines(Replaced(kNorm, "Sub (s, m)", "Sub (m, s)"), "skip + LayerNorm"),
              IsEmpty());
}

TEST(NormalizationFusions, RmsNormalization) {
  constexpr char kRms[] =
      "(float[2,3,4] x, float[2,3,4] skip) => (float[2,3,4] y, float[2,3,4] s) <int64[1] last = "
      "{-1}, "
      "float two = {2}, float eps = {0.00001}, float[4] g = {1, 1, 1, 1}> "
      "{ [s] s = Add (x, skip) [p] p = Pow (s, two) [v] v = ReduceMean (p, last) "
      "[e] e = Add (v, eps) [r] r = Sqrt (e) [q] q = Div (s, r) [w] y = Mul (g, q) }";
  EXPECT_THAT(FusionLines(kRms), ElementsAre("skip + RMSNormalization: s p v e r q w"));
  EXPECT_THAT(FusionLines(Replaced(kRms, "[w] y = Mul (g, q)",
                                   "[c] c = Cast <to = 10> (q) [k] k = Cast <to = 1> (c) "
                                   "[w] y = Mul (g, k)")),
              ElementsAre("skip + RMSNormalization: s p v e r q w | Cast c | Cast k"));
}

TEST(EmbeddingFusions, LookedUpAddedAndNormalized) {
  constexpr char kEmbedding[] =
      "(int64[1,2] ids, int64[1,2] types) => (float[1,2,2] y) <float[2,2] words = {1, 2, 3, 4}, "
      "float[2,2] kinds = {1, 2, 3, 4}, float[1,2,2] places = {1, 2, 3, 4}, float[2] g = {1, 1}> "
      "{ [w] w = Gather (words, ids) [t] t = Gather (kinds, types) [a] a = Add (w, t) "
      "[p] p = Add (a, places) [n] y = LayerNormalization (p, g, g) }";
  EXPECT_THAT(FusionLines(kEmbedding), ElementsAre("embedding + LayerNormalization: w t a p n"));
  EXPECT_THAT(FusionLines(Replaced(kEmbedding, "[a] a = Add (w, t)",
                                   "[i] i = Identity (w) [a] a = Add (i, t)")),
              ElementsAre("embedding + LayerNormalization: w t a p n | Identity i"));
}

}  // namespace
}  // namespace onnxcmp::testing
