#include "prove/folding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/outcome/proof_report.h"
#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::ProofOfBodies;
using testing::ProofOfModels;

std::string Numbers(const std::vector<float>& numbers) {
  return absl::StrJoin(numbers, ", ", [](std::string* out, float number) {
    absl::StrAppendFormat(out, "%.9e", number);
  });
}

std::string Held(const std::string& name, const std::string& shape,
                 const std::vector<float>& numbers) {
  return absl::StrCat(name, " = Constant<value = float[", shape, "] {", Numbers(numbers), "}>() ");
}

struct NormalizedLayer {
  std::vector<float> weights, scale, bias, mean, variance;
};

NormalizedLayer MadeUp() {
  NormalizedLayer layer;
  for (int i = 0; i < 16; ++i) layer.weights.push_back(std::sin(0.7F * static_cast<float>(i) + 1));
  for (int c = 0; c < 4; ++c) {
    const auto x = static_cast<float>(c);
    layer.scale.push_back(1.1F + 0.3F * std::cos(x));
    layer.bias.push_back(0.2F * std::sin(x + 2));
    layer.mean.push_back(0.3F * std::cos(x + 1));
    layer.variance.push_back(0.8F + 0.21F * x);
  }
  return layer;
}

std::string Plain(const NormalizedLayer& layer, float epsilon = 1e-5F) {
  return Held("w", "4,4", layer.weights) + Held("s", "4", layer.scale) +
         Held("b", "4", layer.bias) + Held("m", "4", layer.mean) + Held("v", "4", layer.variance) +
         absl::StrFormat("p = MatMul(x, w) y = BatchNormalization<epsilon = %.9e>(p, s, b, m, v)",
                         epsilon);
}

// As optimizers fold it, in floats. `nudged`: how many channels have the next
// float for a factor.
NormalizedLayer Folded(const NormalizedLayer& layer, size_t nudged = 0) {
  NormalizedLayer folded = layer;
  for (size_t c = 0; c < 4; ++c) {
    float factor = layer.scale[c] / std::sqrt(layer.variance[c] + 1e-5F);
    if (c < nudged) factor = std::nextafter(factor, 10.0F);
    for (size_t i = 0; i < 4; ++i) folded.weights[i * 4 + c] *= factor;
    folded.bias[c] = (0 - layer.mean[c]) * factor + layer.bias[c];
  }
  return folded;
}

std::string WithBias(const NormalizedLayer& layer) {
  return Held("w", "4,4", layer.weights) + Held("b", "4", layer.bias) +
         "p = MatMul(x, w) y = Add(p, b)";
}

TEST(Folding, ANormalizationInTheWeightsBeforeItIsProved) {
  const NormalizedLayer layer = MadeUp();
  const ProofReport report = ProofOfBodies(Plain(layer), WithBias(Folded(layer)));
  EXPECT_TRUE(report.proved);
  EXPECT_EQ(report.folds.size(), 2U);
  // And from the other side.
  EXPECT_TRUE(ProofOfBodies(WithBias(Folded(layer)), Plain(layer)).proved);
}

TEST(Folding, AFaultOfOneLastPlaceIsNot) {
  const NormalizedLayer layer = MadeUp();
  for (size_t i = 0; i < 16; ++i) {
    NormalizedLayer faulty = Folded(layer);
    faulty.weights[i] = std::nextafter(faulty.weights[i], 10.0F);
    EXPECT_FALSE(ProofOfBodies(Plain(layer), WithBias(faulty)).proved) << i;
  }
  for (size_t c = 0; c < 4; ++c) {
    NormalizedLayer faulty = Folded(layer);
    faulty.bias[c] = std::nextafter(faulty.bias[c], 10.0F);
    EXPECT_FALSE(ProofOfBodies(Plain(layer), WithBias(faulty)).proved) << c;
  }
  EXPECT_FALSE(ProofOfBodies(Plain(layer, 2e-5F), WithBias(Folded(layer))).proved);
  NormalizedLayer other = layer;
  other.mean[2] += 0.001F;
  EXPECT_FALSE(ProofOfBodies(Plain(other), WithBias(Folded(layer))).proved);
}

// Weights that folding has hardly changed are paired with what they were folded from.
TEST(Folding, WeightsNearWhatTheyWereFoldedFromAreNoOtherTable) {
  NormalizedLayer layer = MadeUp();
  layer.scale = {1.001F, 0.9993F, 1.0007F, 0.9999F};
  layer.bias = {0, 0, 0, 0};
  layer.mean = {1e-4F, 2e-4F, -1e-4F, 3e-4F};
  layer.variance = {0.9999F, 1.0001F, 1.0002F, 0.9998F};
  const ProofReport report = ProofOfBodies(Plain(layer), WithBias(Folded(layer)));
  EXPECT_TRUE(report.proved);
  EXPECT_EQ(report.folds.size(), 2U);
  // The product before the normalization is another one on each side.
  for (const ProofRow& row : report.parted) EXPECT_EQ(row.left, "p") << row.right;
  for (size_t i = 0; i < 16; ++i) {
    NormalizedLayer faulty = Folded(layer);
    faulty.weights[i] = std::nextafter(faulty.weights[i], 10.0F);
    EXPECT_FALSE(ProofOfBodies(Plain(layer), WithBias(faulty)).proved) << i;
  }
}

// Some libraries' roots are not the nearest floats. Then all weights of a channel and its bias are
// made with the same other factor.
TEST(Folding, AChannelMayHaveAnotherFactorInAllItsNumbers) {
  const NormalizedLayer layer = MadeUp();
  // One alone may be a fault in the scale.
  EXPECT_FALSE(ProofOfBodies(Plain(layer), WithBias(Folded(layer, 1))).proved);
  const NormalizedLayer nudged = Folded(layer, 2);
  EXPECT_TRUE(ProofOfBodies(Plain(layer), WithBias(nudged)).proved);
  for (size_t i = 0; i < 16; ++i) {
    NormalizedLayer faulty = nudged;
    faulty.weights[i] = std::nextafter(faulty.weights[i], 10.0F);
    EXPECT_FALSE(ProofOfBodies(Plain(layer), WithBias(faulty)).proved) << i;
  }
  for (size_t c = 0; c < 4; ++c) {
    NormalizedLayer faulty = nudged;
    faulty.bias[c] = std::nextafter(faulty.bias[c], 10.0F);
    EXPECT_FALSE(ProofOfBodies(Plain(layer), WithBias(faulty)).proved) << c;
  }
}

// Two factors of which an optimizer has made one, in floats.
TEST(Folding, AFactorThatIsTheProductOfTwo) {
  const float a = 0.594603557F;  // 1 / sqrt(sqrt(8))
  const auto fused = [](float alpha) {
    return absl::StrFormat(
        "t = Transpose(x) z = com.microsoft.FusedMatMul<alpha = %.9e>(x, t) y = MatMul(z, x)",
        alpha);
  };
  const std::string plain = absl::StrFormat(
      "f = Constant<value_float = %.9e>() q = Mul(x, f) t = Transpose(x) k = Mul(t, f) "
      "z = MatMul(q, k) y = MatMul(z, x)",
      a);
  EXPECT_TRUE(ProofOfBodies(plain, fused(a * a)).proved);
  // The next float is the nearest one to 1 / sqrt(8).
  const float nearest = std::nextafter(a * a, 1.0F);
  EXPECT_TRUE(ProofOfBodies(plain, fused(nearest)).proved);
  EXPECT_FALSE(ProofOfBodies(plain, fused(std::nextafter(nearest, 1.0F))).proved);
  EXPECT_FALSE(ProofOfBodies(plain, fused(std::nextafter(a * a, 0.0F))).proved);
  // A quotient, by the divisor or times its reciprocal.
  const float root = 0.353553385F;  // 1 / sqrt(8)
  for (const float divisor : {50.0F, 30.0F, 47.0F}) {
    const std::string divided = absl::StrFormat(
        "f = Constant<value_float = %.9e>() d = Constant<value_float = %.9e>() t = Transpose(x) "
        "z = MatMul(x, t) q = Mul(z, f) k = Div(q, d) y = MatMul(k, x)",
        root, divisor);
    EXPECT_TRUE(ProofOfBodies(divided, fused(root / divisor)).proved);
    EXPECT_TRUE(ProofOfBodies(divided, fused(root * (1 / divisor))).proved);
    const float next = std::nextafter(std::max(root / divisor, root * (1 / divisor)), 1.0F);
    EXPECT_FALSE(ProofOfBodies(divided, fused(next)).proved);
  }
}

TEST(Folding, AConstantThatIsNotWhatIsComputedIsTheReason) {
  const ProofReport report = ProofOfModels(
      "g (float[2,4] x) => (float[2,4] y) <float[4] c = {1, 2, 3, 4}> "
      "{ s = Softmax(c) y = Add(x, s) }",
      "g (float[2,4] x) => (float[2,4] y) <float[4] s = {0.03, 0.09, 0.24, 0.64}> "
      "{ y = Add(x, s) }");
  ASSERT_FALSE(report.parted.empty());
  EXPECT_EQ(report.parted.front().why, "no rule makes Softmax and a constant the same");
}

// A row less its mean: what is left of a sum that cancels is as near as the row's numbers are.
TEST(Folding, ASumThatCancelsIsAsNearAsItsRow) {
  const std::vector<float> row = {0.1F, 0.7F, 1.3F, 0.69F};
  const float mean = (row[0] + row[1] + row[2] + row[3]) / 4;
  const auto held = [&](float off) {
    std::vector<float> left;
    for (int i = 0; i < 8; ++i) left.push_back(row[static_cast<size_t>(i % 4)] - mean);
    left[7] += off;
    return Held("d", "2,4", left) + "y = Add(x, d)";
  };
  const std::string plain = Held("r", "4", row) +
                            "a = Constant<value_ints = [0]>() m = ReduceMean(r, a) s = Sub(r, m) "
                            "e = Constant<value_ints = [2, 4]>() d = Expand(s, e) y = Add(x, d)";
  EXPECT_TRUE(ProofOfBodies(plain, held(0)).proved);
  EXPECT_TRUE(ProofOfBodies(plain, held(0x1p-24F)).proved);
  EXPECT_FALSE(ProofOfBodies(plain, held(0x1p-20F)).proved);
}

}  // namespace
}  // namespace onnxcmp
