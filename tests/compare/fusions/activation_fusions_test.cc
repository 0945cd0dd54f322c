#include <cstddef>
#include <ctime>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/compare/fusions/fusion_test_support.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kConstants[] =
    "(float[2,4] x) => (float[2,4] y) <float half = {0.5}, float one = {1}, float two = {2}, "
    "float three = {3}, float root = {1.4142135}, float cubic = {0.044715}, float scale = "
    "{0.7978845}, "
    "float six = {6}, float zero = {0}, float quick = {1.702}, float s = {0.1}, uint8 z = {0}> ";

std::string Gelu(const char* body) { return absl::StrCat(kConstants, "{", body, "}"); }

constexpr char kErf[] =
    "[d] d = Div (x, root) [e] e = Erf (d) [a] a = Add (e, one) [m] m = Mul (x, a) "
    "[h] y = Mul (m, half)";

std::string Changed(const char* from, const char* to) {
  return Gelu(absl::StrReplaceAll(kErf, {{from, to}}).c_str());
}

TEST(ActivationFusions, GeluByErfInAnyOrder) {
  EXPECT_THAT(FusionLines(Gelu(kErf)), ElementsAre("Gelu (erf): d e a m h"));
  EXPECT_THAT(FusionLines(Gelu("[h] h = Mul (half, x) [d] d = Div (x, root) [e] e = Erf (d) "
                               "[a] a = Add (one, e) [m] y = Mul (a, h)")),
              ElementsAre("Gelu (erf): h d e a m"));
}

// Gelus one after the other.
std::string ChainOf(int layers) {
  std::string body;
  for (int i = 0; i < layers; ++i) {
    const std::string x = i == 0 ? "x" : absl::StrCat("y", i - 1);
    const std::string y = i + 1 == layers ? "y" : absl::StrCat("y", i);
    absl::StrAppend(&body, "d", i, " = Div (", x, ", root) e", i, " = Erf (d", i, ") a", i,
                    " = Add (e", i, ", one) m", i, " = Mul (", x, ", a", i, ") ", y, " = Mul (m", i,
                    ", half) ");
  }
  return Gelu(body.c_str());
}

// Each is a factor of the next: a search that goes back through all of them takes the cube of their
// number, here 64 times as long.
TEST(ActivationFusions, TheTimeOfChainsIsThatOfTheirLayers) {
  const auto seconds = [](int layers) {
    const std::string chain = ChainOf(layers);
    const std::clock_t start = std::clock();
    EXPECT_EQ(FusionLines(chain, "Gelu (erf)").size(), static_cast<size_t>(layers));
    return static_cast<double>(std::clock() - start);
  };
  const double of_few = seconds(25);
  EXPECT_LT(seconds(100), 16 * of_few);
}

TEST(ActivationFusions, GeluByTanhInItsForms) {
  EXPECT_THAT(FusionLines(Gelu("[p] p = Pow (x, three) [c] c = Mul (cubic, p) [s] s1 = Add (x, c) "
                               "[t] t = Mul (s1, scale) [h] th = Tanh (t) [a] a = Add (th, one) "
                               "[m] m = Mul (x, a) [o] y = Mul (half, m)")),
              ElementsAre("Gelu (tanh): p c s t h a m o"));
  EXPECT_THAT(FusionLines(Gelu("[q] q = Mul (x, x) [c] c = Mul (q, cubic) [b] b = Add (c, one) "
                               "[w] w = Mul (x, scale) [t] t = Mul (w, b) [h] th = Tanh (t) "
                               "[a] a = Add (th, one) [g] g1 = Mul (x, half) [o] y = Mul (g1, a)")),
              ElementsAre("Gelu (tanh): q c b w t h a g o"));
}

TEST(ActivationFusions, SigmoidsAndTheirKin) {
  EXPECT_THAT(FusionLines(Gelu("[s] s1 = Sigmoid (x) [m] y = Mul (x, s1)")),
              ElementsAre("SiLU: s m"));
  EXPECT_THAT(FusionLines(Gelu("[q] q = Mul (x, quick) [s] s1 = Sigmoid (q) [m] y = Mul (s1, x)")),
              ElementsAre("QuickGelu: q s m"));
  EXPECT_THAT(FusionLines(Gelu("[a] a = Add (x, three) [c] c = Clip (a, zero, six) "
                               "[m] m = Mul (x, c) [d] y = Div (m, six)")),
              ElementsAre("HardSwish: a c m d"));
  EXPECT_THAT(FusionLines(Gelu("[s] s1 = Softplus (x) [t] t = Tanh (s1) [m] y = Mul (x, t)")),
              ElementsAre("Mish: s t m"));
}

TEST(ActivationFusions, GatesAreProductsWithAProjection) {
  constexpr char kGate[] =
      "(float[2,4] x) => (float[2,4] y) <float[4,4] w = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, "
      "0, 1}> { [g] g1 = MatMul (x, w) [u] u = MatMul (x, w) [s] s = Sigmoid (g1) "
      "[m] m = Mul (g1, s) [o] y = Mul (m, u) }";
  EXPECT_THAT(FusionLines(kGate, "SwiGLU"), ElementsAre("SwiGLU: s m o"));
  // A squeezed channel's weight is no gate's projection.
  EXPECT_THAT(
      FusionLines(absl::StrReplaceAll(kGate, {{"MatMul (x, w) [s]", "Sigmoid (x) [s]"}}), "SwiGLU"),
      IsEmpty());
}

TEST(ActivationFusions, NearMissesAreNone) {
  EXPECT_THAT(FusionLines(Changed("(m, half)", "(m, scale)")), IsEmpty());
  EXPECT_THAT(FusionLines(Changed("(x, root)", "(x, two)")), IsEmpty());
  EXPECT_THAT(FusionLines(Changed("(e, one)", "(e, two)")), IsEmpty());
  EXPECT_THAT(FusionLines(Changed("Erf", "Tanh")), IsEmpty());
  EXPECT_THAT(FusionLines(Changed("Mul (x, a)", "Mul (e, a)")), IsEmpty());
  EXPECT_THAT(FusionLines(Changed("Add (e, one)", "Sub (e, one)")), IsEmpty());
}

// Each kind of what may stand in the way.
TEST(ActivationFusions, IntrudersAreNamed) {
  const auto with = [](const char* between) {
    return Changed("[a] a = Add (e, one)", absl::StrCat(between, " [a] a = Add (e2, one)").c_str());
  };
  EXPECT_THAT(FusionLines(with("[q] q8 = QuantizeLinear (e, s, z) "
                               "[k] e2 = DequantizeLinear (q8, s, z)")),
              ElementsAre("Gelu (erf): d e a m h | Q/DQ q k"));
  EXPECT_THAT(FusionLines(with("[c] c16 = Cast <to = 10> (e) [k] e2 = Cast <to = 1> (c16)")),
              ElementsAre("Gelu (erf): d e a m h | Cast c | Cast k"));
  EXPECT_THAT(FusionLines(with("[t] t = Transpose (e) [k] e2 = Transpose (t)")),
              ElementsAre("Gelu (erf): d e a m h | Transpose t | Transpose k"));
  EXPECT_THAT(FusionLines(with("[i] e2 = Identity (e)")),
              ElementsAre("Gelu (erf): d e a m h | Identity i"));
  EXPECT_THAT(FusionLines(with("[f] e2 = Flatten (e)")),
              ElementsAre("Gelu (erf): d e a m h | Reshape f"));
}

TEST(ActivationFusions, ReadersAndOutputsAreNamed) {
  EXPECT_THAT(FusionLines(absl::StrReplaceAll(Changed("[m] m", "[r] r1 = Relu (e) [m] m"),
                                              {{"y)", "y, float[2,4] r1)"}})),
              ElementsAre("Gelu (erf): d e a m h | second reader r"));
  EXPECT_THAT(
      FusionLines(absl::StrReplaceAll(Gelu(kErf), {{"[2,4] y)", "[2,4] y, float[2,4] e)"}})),
      ElementsAre("Gelu (erf): d e a m h | graph output e"));
  // Its shape is no element.
  EXPECT_THAT(FusionLines(absl::StrReplaceAll(Changed("[m] m", "[r] r1 = Shape (e) [m] m"),
                                              {{"y)", "y, int64[2] r1)"}})),
              ElementsAre("Gelu (erf): d e a m h"));
}

// What stands before or after breaks nothing; what some of the readers have alone does.
TEST(ActivationFusions, TheBorderIsNoObstacle) {
  EXPECT_THAT(
      FusionLines(Gelu("[q] q8 = QuantizeLinear (x, s, z) [k] v = DequantizeLinear (q8, s, z) "
                       "[d] d = Div (v, root) [e] e = Erf (d) [a] a = Add (e, one) "
                       "[m] m = Mul (v, a) [h] y = Mul (m, half)")),
      ElementsAre("Gelu (erf): d e a m h"));
  EXPECT_THAT(
      FusionLines(Gelu("[q] q8 = QuantizeLinear (x, s, z) [k] v = DequantizeLinear (q8, s, z) "
                       "[d] d = Div (v, root) [e] e = Erf (d) [a] a = Add (e, one) "
                       "[m] m = Mul (x, a) [h] y = Mul (m, half)")),
      ElementsAre("Gelu (erf): d e a m h | Q/DQ q k"));
}

// Constants after a DequantizeLinear, and computed of others.
TEST(ActivationFusions, ConstantsAreKnownByValue) {
  EXPECT_THAT(FusionLines(absl::StrReplaceAll(
                  Gelu("[r] two_root = Sqrt (two) [d] d = Div (x, two_root) [e] e = Erf (d) "
                       "[a] a = Add (e, one) [m] m = Mul (x, a) "
                       "[k] half_q = DequantizeLinear (z5, s, z) [h] y = Mul (m, half_q)"),
                  {{"uint8 z = {0}", "uint8 z = {0}, uint8 z5 = {5}"}})),
              ElementsAre("Gelu (erf): d e a m h"));
}

}  // namespace
}  // namespace onnxcmp::testing
