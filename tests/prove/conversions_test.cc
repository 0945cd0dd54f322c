#include "prove/conversions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "evaluator/tensor/eigen.h"
#include "tests/prove/proof_of_pair.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using testing::ProofOfBodies;
using testing::ProofOfModels;
using testing::Replaced;

constexpr float kWeightScale = 0.0078740157F;  // of weights from -1 to 1

std::vector<float> SineWeights() {
  std::vector<float> weights;
  for (int i = 0; i < 16; ++i) weights.push_back(std::sin(0.7F * static_cast<float>(i) + 1));
  return weights;
}

std::string HeldTensor(const std::string& name, const std::string& type,
                       const std::string& numbers) {
  return absl::StrCat(name, " = Constant<value = ", type, " {", numbers, "}>() ");
}

std::string HeldFloats(const std::string& name, const std::string& shape,
                       const std::vector<float>& numbers) {
  return HeldTensor(name, absl::StrCat("float[", shape, "]"),
                    absl::StrJoin(numbers, ", ", [](std::string* out, float number) {
                      absl::StrAppendFormat(out, "%.9e", number);
                    }));
}

std::vector<int64_t> BitsOfHalves(const std::vector<float>& numbers) {
  std::vector<int64_t> bits;
  for (const float number : numbers) bits.push_back(Eigen::half(number).x);
  return bits;
}

std::string HeldHalves(const std::string& name, const std::string& shape,
                       const std::vector<int64_t>& bits) {
  return HeldTensor(name, absl::StrCat("float16[", shape, "]"), absl::StrJoin(bits, ", "));
}

std::vector<int64_t> CodesOf(const std::vector<float>& numbers, float scale) {
  std::vector<int64_t> codes;
  for (const float number : numbers) {
    codes.push_back(static_cast<int64_t>(std::nearbyint(number / scale)));
  }
  return codes;
}

std::string HeldCodes(const std::string& name, const std::string& type,
                      const std::vector<int64_t>& codes) {
  return HeldTensor(name, type, absl::StrJoin(codes, ", "));
}

std::string HeldScale(const std::string& name, float scale) {
  return HeldTensor(name, "float", absl::StrFormat("%.9e", scale));
}

std::string PlainProduct() { return HeldFloats("w", "4,4", SineWeights()) + "y = MatMul(x, w)"; }

TEST(Conversions, WeightsInFloat16StandForTheOtherSides) {
  const std::string product = "f = Cast<to = 1>(h) y = MatMul(x, f)";
  const std::vector<int64_t> bits = BitsOfHalves(SineWeights());
  const ProofReport report = ProofOfBodies(PlainProduct(), HeldHalves("h", "4,4", bits) + product);
  EXPECT_FALSE(report.proved);
  EXPECT_TRUE(report.conversions.proved);
  EXPECT_EQ(report.conversions.side, "right");
  ASSERT_EQ(report.conversions.constants.size(), 1U);
  EXPECT_EQ(report.conversions.constants[0].constant, "w");
  EXPECT_EQ(report.conversions.constants[0].type, "float16");
  EXPECT_EQ(report.conversions.constants[0].elements, 16);
  EXPECT_EQ(report.outputs[0].proof, RowProof::kProvedOn);
  // And from the other side.
  const ProofReport turned = ProofOfBodies(HeldHalves("h", "4,4", bits) + product, PlainProduct());
  EXPECT_TRUE(turned.conversions.proved);
  EXPECT_EQ(turned.conversions.side, "left");
  for (size_t i = 0; i < bits.size(); ++i) {
    for (const int64_t step : {1, -1}) {
      std::vector<int64_t> faulty = bits;
      faulty[i] += step;
      const ProofReport other =
          ProofOfBodies(PlainProduct(), HeldHalves("h", "4,4", faulty) + product);
      EXPECT_FALSE(other.proved || other.conversions.proved) << i;
    }
  }
}

TEST(Conversions, OutputsOfAnotherTypeAreTold) {
  const std::string left =
      absl::StrCat("g (float[2,4] x) => (float[2,4] y) { ", PlainProduct(), " }");
  const std::string right = absl::StrCat("g (float[2,4] x) => (float16[2,4] y) { ",
                                         HeldHalves("h", "4,4", BitsOfHalves(SineWeights())),
                                         "t = Cast<to = 10>(x) y = MatMul(t, h) }");
  const ProofReport report = ProofOfModels(left, right);
  EXPECT_TRUE(report.conversions.proved);
  EXPECT_EQ(report.conversions.outputs, std::vector<std::string>{"y: float16"});
}

TEST(Conversions, WhatIsLostInFloat16IsTold) {
  std::vector<float> weights = SineWeights();
  weights[3] = 1e-9F;
  weights[5] = -1e30F;
  std::vector<int64_t> bits = BitsOfHalves(weights);
  bits[5] = 0xfbff;  // -65504
  const ProofReport report =
      ProofOfBodies(HeldFloats("w", "4,4", weights) + "y = MatMul(x, w)",
                    HeldHalves("h", "4,4", bits) + "f = Cast<to = 1>(h) y = MatMul(x, f)");
  ASSERT_TRUE(report.conversions.proved);
  EXPECT_EQ(report.conversions.constants[0].zeros, 1);
  EXPECT_EQ(report.conversions.constants[0].out_of_range, 1);
}

TEST(Conversions, WhatIsProvedWithoutThemIsProved) {
  const std::string half = HeldHalves("h", "4,4", BitsOfHalves(SineWeights()));
  const ProofReport report =
      ProofOfBodies(half + "f = Cast<to = 1>(h) y = MatMul(x, f)",
                    half + "f = Cast<to = 1>(h) t = MatMul(x, f) y = Identity(t)");
  EXPECT_TRUE(report.proved);
  EXPECT_TRUE(report.conversions.side.empty());
}

TEST(Conversions, WeightsSideBySide) {
  std::vector<float> weights = SineWeights();
  std::vector<int64_t> joined;
  const std::vector<int64_t> bits = BitsOfHalves(weights);
  std::vector<float> first, second;
  for (size_t row = 0; row < 4; ++row) {
    for (size_t column = 0; column < 4; ++column) {
      joined.push_back(bits[row * 4 + column]);
      (column < 2 ? first : second).push_back(weights[row * 4 + column]);
    }
  }
  const std::string left = HeldFloats("a", "4,2", first) + HeldFloats("b", "4,2", second) +
                           "p = MatMul(x, a) q = MatMul(x, b) y = Concat<axis = 1>(p, q)";
  const std::string product = "f = Cast<to = 1>(h) y = MatMul(x, f)";
  EXPECT_TRUE(ProofOfBodies(left, HeldHalves("h", "4,4", joined) + product).conversions.proved);
  joined[9] += 1;
  EXPECT_FALSE(ProofOfBodies(left, HeldHalves("h", "4,4", joined) + product).conversions.proved);
}

// Results in codes from `zero` on, and weights in int8.
std::string QuantizedProduct(const std::vector<int64_t>& codes) {
  return HeldCodes("c", "int8[4,4]", codes) + HeldScale("s", kWeightScale) +
         HeldScale("sx", 0.03F) + HeldScale("sy", 0.05F) + HeldTensor("zx", "uint8", "128") +
         HeldTensor("zy", "uint8", "0") +
         "qx = QuantizeLinear(x, sx, zx) dx = DequantizeLinear(qx, sx, zx) "
         "w = DequantizeLinear(c, s) t = MatMul(dx, w) "
         "qy = QuantizeLinear(t, sy, zy) y = DequantizeLinear(qy, sy, zy)";
}

TEST(Conversions, QuantizedWeightsAndResults) {
  const std::string left = HeldFloats("w", "4,4", SineWeights()) + "t = MatMul(x, w) y = Relu(t)";
  const std::vector<int64_t> codes = CodesOf(SineWeights(), kWeightScale);
  const std::string right = QuantizedProduct(codes);
  const ProofReport report = ProofOfBodies(left, right);
  ASSERT_TRUE(report.conversions.proved);
  EXPECT_EQ(report.conversions.constants.at(0).type, "int8");
  ASSERT_EQ(report.conversions.results.size(), 1U);
  EXPECT_EQ(report.conversions.results[0].nodes, (std::vector<std::string>{"qx", "qy"}));
  // Codes that go below 0 do not cut there.
  EXPECT_FALSE(ProofOfBodies(left, Replaced(right, "zy = Constant<value = uint8 {0}",
                                            "zy = Constant<value = uint8 {9}"))
                   .conversions.proved);
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"DequantizeLinear(qx, sx, zx)", "DequantizeLinear(qx, sy, zx)"},
      {"DequantizeLinear(qx, sx, zx)", "DequantizeLinear(qx, sx, zy)"},
      {"w = DequantizeLinear(c, s)", "w = DequantizeLinear(c, sx)"},
      {"y = DequantizeLinear(qy, sy, zy)", "u = DequantizeLinear(qy, sy, zy) y = Abs(u)"}};
  for (const auto& [from, to] : faults) {
    EXPECT_FALSE(ProofOfBodies(left, Replaced(right, from, to)).conversions.proved) << to;
  }
  for (size_t i = 0; i < codes.size(); ++i) {
    for (const int64_t step : {1, -1, 2}) {
      std::vector<int64_t> faulty = codes;
      faulty[i] += faulty[i] > 100 ? -step : step;
      EXPECT_FALSE(ProofOfBodies(left, QuantizedProduct(faulty)).conversions.proved) << i;
    }
  }
}

TEST(Conversions, AConstantOutsideOfItsCodesIsAnother) {
  const auto quantized = [](float scale) {
    return HeldFloats("w", "4,4", SineWeights()) + HeldScale("s", scale) +
           HeldTensor("z", "int8", "0") +
           "q = QuantizeLinear(w, s, z) d = DequantizeLinear(q, s, z) y = MatMul(x, d)";
  };
  EXPECT_TRUE(ProofOfBodies(PlainProduct(), quantized(kWeightScale)).conversions.proved);
  EXPECT_FALSE(ProofOfBodies(PlainProduct(), quantized(kWeightScale / 8)).conversions.proved);
}

TEST(Conversions, DynamicScales) {
  const std::string right =
      HeldCodes("c", "int8[4,4]", CodesOf(SineWeights(), kWeightScale)) +
      HeldScale("c_scale", kWeightScale) + HeldScale("other", 0.3F) +
      HeldTensor("cz", "int8", "0") +
      "q, s, z = DynamicQuantizeLinear(x) i = MatMulInteger(q, c, z, cz) f = Cast<to = 1>(i) "
      "both = Mul(s, c_scale) y = Mul(f, both)";
  EXPECT_TRUE(ProofOfBodies(PlainProduct(), right).conversions.proved);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"MatMulInteger(q, c, z, cz)", "MatMulInteger(q, c)"},
           {"Mul(s, c_scale)", "Mul(s, other)"},
           {"Mul(s, c_scale)", "Mul(c_scale, c_scale)"}}) {
    EXPECT_FALSE(ProofOfBodies(PlainProduct(), Replaced(right, from, to)).conversions.proved) << to;
  }
}

// Rows of a table by ids that vary, taken from codes before these become numbers.
TEST(Conversions, RowsOfATable) {
  const std::vector<int64_t> codes = CodesOf(SineWeights(), kWeightScale);
  const auto model = [](const std::string& body) {
    return absl::StrCat("g (int64[3] x) => (float[3,4] y) { ", body, " }");
  };
  const std::string left = model(HeldFloats("w", "4,4", SineWeights()) + "y = Gather(w, x)");
  const auto right = [&](const std::vector<int64_t>& of) {
    return model(HeldCodes("c", "int8[4,4]", of) + HeldScale("s", kWeightScale) +
                 "g = Gather(c, x) y = DequantizeLinear(g, s)");
  };
  const Tensor ids = Tensor::Of<int64_t>({3}, {0, 2, 1});
  EXPECT_TRUE(ProofOfModels(left, right(codes), ids).conversions.proved);
  std::vector<int64_t> faulty = codes;
  faulty[13] += 1;  // of a row that these inputs do not take
  EXPECT_FALSE(ProofOfModels(left, right(faulty), ids).conversions.proved);
}

// The greatest of codes is the code of the greatest.
TEST(Conversions, PoolsOfCodes) {
  const std::string shape = "n = Constant<value_ints = [1, 1, 2, 4]>() i = Reshape(x, n) ";
  const std::string back = "k = Constant<value_ints = [2, 4]>() y = Reshape(p, k)";
  const std::string pool = "MaxPool<kernel_shape = [1, 3], pads = [0, 1, 0, 1]>";
  const std::string codes = HeldScale("s", 0.05F) + HeldTensor("z", "uint8", "100") +
                            "q = QuantizeLinear(i, s, z) m = " + pool + "(q) ";
  EXPECT_TRUE(ProofOfBodies(shape + "p = " + pool + "(i) " + back,
                            shape + codes + "p = DequantizeLinear(m, s, z) " + back)
                  .conversions.proved);
  EXPECT_FALSE(ProofOfBodies(shape + "p = " + pool + "(i) " + back,
                             shape + codes + "p = DequantizeLinear(m, s) " + back)
                   .conversions.proved);
}

}  // namespace
}  // namespace onnxcmp
