// MoE, QMoE and ShardedMoE. Expected values are the definition's, with the exponentials of NumPy.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The softmax of the router's 1, 2, 0.
constexpr float kFirst = 0.244728471f, kSecond = 0.665240956f;

// One token (1, -2), three experts with one inner element: fc1 takes element e % 2 of the token
// times e + 1, fc2 gives it to both outputs, the second doubled.
OpTest Experts(const char* name, bool inputs_first = false) {
  OpTest test(name, 1, "com.microsoft");
  test.Input(Tensor::Of<float>({1, 2}, {1, -2})).Input(Tensor::Of<float>({1, 3}, {1, 2, 0}));
  const Shape first = inputs_first ? Shape{3, 2, 1} : Shape{3, 1, 2};
  const Shape second = inputs_first ? Shape{3, 1, 2} : Shape{3, 2, 1};
  test.Input(Tensor::Of<float>(first, {1, 0, 0, 2, 3, 0})).NoInput();
  return test.Input(Tensor::Of<float>(second, {1, 2, 1, 2, 1, 2}));
}
Tensor Row(float x, float y) { return Tensor::Of<float>({1, 2}, {x, y}); }

TEST(MoE, SumsTheBestExperts) {
  // Expert 0 makes 1 of the token, expert 1 -4.
  ExpectTensor(Experts("MoE").Attr("activation_type", "identity").Attr("k", 2).Run(),
               Row(kFirst - 4 * kSecond, 2 * (kFirst - 4 * kSecond)), 1e-6);
  ExpectTensor(Experts("MoE").Attr("k", 2).Run(), Row(kFirst, 2 * kFirst), 1e-6);
  ExpectTensor(Experts("MoE").Attr("k", 2).Attr("normalize_routing_weights", 1).Run(),
               Row(0.268941421f, 2 * 0.268941421f), 1e-6);
}

TEST(MoE, ChoosesTheLastOfEqualExperts) {
  OpTest test("MoE", 1, "com.microsoft");
  test.Input(Row(1, 1)).Input(Tensor::Of<float>({1, 2}, {5, 5}));
  test.Input(Tensor::Of<float>({2, 1, 2}, {1, 0, 3, 0})).NoInput();
  ExpectTensor(test.Input(Tensor::Of<float>({2, 2, 1}, {1, 1, 1, 1})).Run(), Row(1.5f, 1.5f));
}

// One expert, g = 1.5 and l = -1 for the first inner element, g = -2 and l = 0.75 for the second.
TEST(MoE, SwiGluHasItsHalvesWhereFusionSays) {
  const auto run = [](int fusion, const std::vector<float>& rows) {
    OpTest test("MoE", 1, "com.microsoft");
    test.Attr("activation_type", "swiglu").Attr("swiglu_fusion", fusion);
    test.Attr("activation_alpha", 2.0f).Attr("activation_beta", 0.5f).Attr("swiglu_limit", 1.0f);
    test.Input(Tensor::Of<float>({1, 1, 2}, {1, 0})).Input(Tensor::Of<float>({1, 1}, {7}));
    std::vector<float> weights;
    for (const float row : rows) weights.insert(weights.end(), {row, 0});
    const auto layer = [&](size_t begin, size_t count) {
      const auto first = weights.begin() + static_cast<std::ptrdiff_t>(2 * begin);
      return Tensor::Of<float>(
          {1, static_cast<int64_t>(count), 2},
          std::vector<float>(first, first + static_cast<std::ptrdiff_t>(2 * count)));
    };
    test.Input(layer(0, fusion == 0 ? 2 : 4)).NoInput();
    test.Input(Tensor::Of<float>({1, 2, 2}, {1, 0, 0, 1})).NoInput();
    if (fusion == 0) test.Input(layer(2, 2));
    return test.Run();
  };
  const Tensor want = Tensor::Of<float>({1, 1, 2}, {-0.440398539f, -0.044965525f});
  ExpectTensor(run(1, {1.5f, -1, -2, 0.75f}), want, 1e-6);
  ExpectTensor(run(2, {1.5f, -2, -1, 0.75f}), want, 1e-6);
  ExpectTensor(run(0, {1.5f, -2, -1, 0.75f}), want, 1e-6);
}

// As above, g = 3 and 1, l = -4 and 1.5. Expected: NumPy's.
TEST(MoE, GatesOfOtherKinds) {
  const auto run = [](const char* activation, const std::vector<float>& rows, int after) {
    OpTest test("MoE", 1, "com.microsoft");
    test.Attr("activation_type", activation).Attr("swiglu_fusion", 1).Attr("swiglu_limit", 2.0f);
    test.Attr("swiglu_limit_after_activation", after);
    test.Input(Row(1, 0)).Input(Tensor::Of<float>({1, 1}, {7}));
    std::vector<float> weights;
    for (const float row : rows) weights.insert(weights.end(), {row, 0});
    test.Input(Tensor::Of<float>({1, 4, 2}, weights)).NoInput();
    return test.Input(Tensor::Of<float>({1, 2, 2}, {1, 0, 0, 1})).Run();
  };
  ExpectTensor(run("swiglu", {3, -4, 1, 1.5f}, 1), Row(-4, 1.09658787f), 1e-6);
  ExpectTensor(run("swiglu", {3, -4, 1, 1.5f}, 0), Row(-2 * 1.76159416f, 1.09658787f), 1e-6);
  ExpectTensor(run("geglu", {1.5f, -1, -2, 0.75f}, 0), Row(-1.39957158f, -0.0340517294f), 1e-5);
  ExpectTensor(Experts("MoE").Attr("activation_type", "relu2").Attr("k", 2).Run(),
               Row(kFirst, 2 * kFirst), 1e-6);
  ExpectError(run("geglu", {3, -4, 1, 1.5f}, 1).status(), kInvalid, "activation_type is \"geglu\"");
  ExpectError(Experts("MoE").Attr("activation_type", "geglu").Run().status(), kInvalid,
              "geglu needs swiglu_fusion 1 or 2");
}

TEST(MoE, AThirdLayerMultiplies) {
  OpTest test("MoE", 1, "com.microsoft");
  test.Input(Row(1, 2)).Input(Tensor::Of<float>({1, 1}, {0}));
  test.Input(Tensor::Of<float>({1, 1, 2}, {1, 1})).Input(Tensor::Of<float>({1, 1}, {1}));
  test.Input(Tensor::Of<float>({1, 2, 1}, {1, -1})).Input(Row(0.5f, 0));
  test.Input(Tensor::Of<float>({1, 1, 2}, {0, 1})).Input(Tensor::Of<float>({1, 1}, {3}));
  ExpectTensor(test.Run(), Row(20.5f, -20));  // (1 + 2 + 1) * (2 + 3)
}

TEST(MoE, NarrowFloatsAndNoTokens) {
  OpTest test("MoE", 1, "com.microsoft");
  const auto half = [](const Tensor& x) { return Convert(x, DType::kFloat16); };
  // 2049 is not a float16, but 2049 - 2047 is.
  test.Input(half(Row(2048, 1))).Input(half(Tensor::Of<float>({1, 1}, {0})));
  test.Input(half(Tensor::Of<float>({1, 1, 2}, {1, 1}))).NoInput();
  test.Input(half(Tensor::Of<float>({1, 2, 1}, {1, 0}))).Input(half(Row(-2047, 0)));
  ExpectTensor(test.Run(), half(Row(2, 0)));

  OpTest none("MoE", 1, "com.microsoft");
  none.Input(Iota({0, 2})).Input(Iota({0, 1})).Input(Iota({1, 1, 2})).NoInput();
  ExpectTensor(none.Input(Iota({1, 2, 1})).Run(), Iota({0, 2}));
}

TEST(MoE, RefusesWhatDoesNotFit) {
  const auto status = [](OpTest test) { return test.Run().status(); };
  ExpectError(status(Experts("MoE").Attr("activation_type", "mish")), kInvalid, "\"mish\"");
  ExpectError(status(Experts("MoE").Attr("k", 4)), kInvalid, "there are 3 experts");
  ExpectError(status(Experts("MoE").Attr("k", 0)), kInvalid, "k is 0");
  ExpectError(status(Experts("MoE").Attr("swiglu_fusion", 3)), kInvalid, "swiglu_fusion is 3");
  ExpectError(status(Experts("MoE").Attr("use_sparse_mixer", 1)), kInvalid, "needs k = 2");
  ExpectError(status(Experts("MoE").Attr("activation_type", "swiglu")), kInvalid, "needs fc3");
  ExpectError(status(Experts("MoE").Input(Iota({3, 4}))), kInvalid, "input 5");
  ExpectError(status(Experts("MoE").NoInput().Input(Iota({3, 1, 3}))), kInvalid, "input 6");
}

TEST(ShardedMoE, HasItsInputsFirst) {
  OpTest test = Experts("ShardedMoE", /*inputs_first=*/true);
  ExpectTensor(test.Attr("activation_type", "identity").Run(), Row(-4 * kSecond, -8 * kSecond),
               1e-6);
  ExpectError(Experts("ShardedMoE", true).Attr("tensor_shards", 2).Run().status(), kUnimplemented,
              "several devices");
  ExpectError(Experts("ShardedMoE", true).Attr("activation_type", "swiglu").Run().status(),
              kInvalid, "\"swiglu\"");
}

// One token of 32 ones, two experts, one inner element.
struct Quantized {
  Tensor first;
  Tensor first_scales;
  Tensor second;
  Tensor second_scales;
  Tensor first_zeros;
  Tensor second_zeros;
};
OpTest QMoe(const Quantized& x, const char* activation = "identity") {
  OpTest test("QMoE", 1, "com.microsoft");
  test.Attr("activation_type", activation).Input(Tensor::Of<float>({1, 2}, {1, 1}));
  test.Input(Tensor::Of<float>({1, 2}, {0, 1})).Input(x.first).Input(x.first_scales).NoInput();
  test.Input(x.second).Input(x.second_scales);
  for (int i = 0; i < 4; ++i) test.NoInput();
  if (!x.first_zeros.defined()) return test;
  return test.Input(x.first_zeros).Input(x.second_zeros);
}

// fc1: (1, 2) and (3, -1), fc2: (2, -2; 1, -1) and (-3, 3; 4, 4), all to be scaled.
TEST(QMoE, UnpacksWholeNumbers) {
  Quantized x;
  x.first = Tensor::Of<uint8_t>({2, 2, 1}, {0x9A, 0x9A, 0x7B, 0x9A});
  x.first_scales = Tensor::Of<float>({2, 2}, {1, 1, 0.5f, 2});
  x.second = Tensor::Of<uint8_t>({2, 2, 1}, {0x88, 0x88, 0xB5, 0xCC});
  x.second_scales = Tensor::Of<float>({2, 2}, {1, 1, 1, 10});
  // Expert 1: fc1 (1, 6); fc2: -3 + 18, 10 * (4 + 24).
  ExpectTensor(QMoe(x).Run(), Row(15, 280));
  ExpectTensor(QMoe(x).Attr("block_size", 16).Run(), Row(15, 280));
  x.first_scales = x.first_scales.Reshaped({2, 2, 1});
  ExpectTensor(QMoe(x).Run(), Row(15, 280));
  // Zero points of rows 0 and 1 in one byte: 6 and 10 for fc1, 7 and 7 for fc2.
  x.first_zeros = Tensor::Of<uint8_t>({2, 1}, {0x88, 0xA6});
  x.second_zeros = Tensor::Of<uint8_t>({2, 1}, {0x88, 0x77});
  x.first_scales = Tensor::Of<float>({2, 2}, {1, 1, 0.5f, 1});
  // fc1: (5 + 1) / 2 and 0 - 1; fc2: -2 * 3 - 4, 10 * (5 * 3 - 5).
  ExpectTensor(QMoe(x).Run(), Row(-10, 100));
}

// Rows of 18 inputs: a block of 16 and one of two, with scales 1 and 100.
TEST(QMoE, TheLastBlockMayBeShorter) {
  OpTest test("QMoE", 1, "com.microsoft");
  test.Attr("activation_type", "identity").Attr("expert_weight_bits", 8).Attr("block_size", 16);
  test.Input(Tensor::Of<float>({1, 18}, std::vector<float>(18, 1)));
  test.Input(Tensor::Of<float>({1, 1}, {0}));
  test.Input(Tensor::Of<uint8_t>({1, 1, 18}, std::vector<uint8_t>(18, 129)));
  test.Input(Tensor::Of<float>({1, 1, 2}, {1, 100})).NoInput();
  test.Input(Tensor::Of<uint8_t>({1, 18, 1}, std::vector<uint8_t>(18, 130)));
  test.Input(Tensor::Of<float>({1, 18, 1}, std::vector<float>(18, 0.5f)));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 18}, std::vector<float>(18, 216)));
}

TEST(QMoE, MixesWithRouterWeights) {
  Quantized x;
  x.first = Tensor::Of<uint8_t>({2, 1, 2}, {129, 128, 128, 130});
  x.first_scales = Tensor::Of<float>({2, 1}, {1, 1});
  x.second = Tensor::Of<uint8_t>({2, 2, 1}, {129, 130, 129, 130});
  x.second_scales = Tensor::Of<float>({2, 2}, {1, 1, 1, 1});
  const auto run = [&](bool weights, int64_t normalize) {
    OpTest test = QMoe(x).Attr("expert_weight_bits", 8).Attr("k", 2);
    test.Attr("normalize_routing_weights", normalize);
    for (int i = 0; i < 3; ++i) test.NoInput();
    if (weights) test.Input(Row(2, 6));
    return test.Run();
  };
  // The experts make (1, 2) and (2, 4).
  ExpectTensor(run(true, 0), Row(14, 28));
  ExpectTensor(run(true, 1), Row(1.75f, 3.5f));
  ExpectTensor(run(false, 0), Row(1.731058579f, 2 * 1.731058579f), 1e-6);
}

TEST(QMoE, UnpacksFloats) {
  OpTest test("QMoE", 1, "com.microsoft");
  test.Attr("activation_type", "identity").Attr("quant_type", "fp8").Attr("block_size", 1);
  test.Input(Row(1, 2)).Input(Tensor::Of<float>({1, 1}, {0}));
  const auto fp8 = [](const Tensor& x) { return Convert(x, DType::kFloat8E4M3FN); };
  test.Input(fp8(Tensor::Of<float>({1, 1, 2}, {1.5f, -2})));
  test.Input(Tensor::Of<float>({1, 1, 2}, {2, 1})).NoInput();
  test.Input(fp8(Tensor::Of<float>({1, 2, 1}, {1, 4}))).Input(Tensor::Of<float>({1, 2, 1}, {1, 3}));
  ExpectTensor(test.Run(), Row(-1, -12));
}

// nvfp4 weights in bytes along their rows (weights_prepacked 1) or their columns. Codes 1 to 7 are
// 0.5, 1, 1.5, 2, 3, 4, 6.
TEST(QMoE, UnpacksFloat4) {
  const auto run = [](int prepacked, const std::vector<uint8_t>& first,
                      const std::vector<uint8_t>& second) {
    OpTest test("QMoE", 1, "com.microsoft");
    test.Attr("activation_type", "identity").Attr("quant_type", "nvfp4");
    test.Attr("weights_prepacked", prepacked);
    test.Input(Row(1, 2)).Input(Tensor::Of<float>({1, 1}, {0}));
    const auto fp8 = [](const Tensor& x) { return Convert(x, DType::kFloat8E4M3FN); };
    test.Input(Tensor::Of<uint8_t>({1, 2, 1}, first));
    test.Input(fp8(Tensor::Of<float>({1, 2, 1}, {2, 1}))).NoInput();
    test.Input(Tensor::Of<uint8_t>({1, 2, 1}, second));
    test.Input(fp8(Tensor::Of<float>({1, 2, 1}, {1, 0.5f})));
    for (int i = 0; i < 8; ++i) test.NoInput();
    return test.Input(Floats({3})).Input(Floats({10})).Run();
  };
  // fc1: 3 * 2 * (1 + 1), 3 * (6 - 2); fc2: 10 * 12, 10 * 0.5 * 12.
  ExpectTensor(run(1, {0x12, 0xA7}, {0x02, 0x20}), Row(120, 60));
  // The same weights, the first of each pair that of the first row.
  ExpectTensor(run(-1, {0x72, 0xA1}, {0x02, 0x20}), Row(120, 60));
  ExpectError(run(2, {0, 0}, {0, 0}).status(), kInvalid, "weights_prepacked is 2");
}

// Weights of 4 inputs by 2 outputs that have their own shape: inputs x outputs / 2.
TEST(QMoE, Float4OfOtherShapes) {
  OpTest test("QMoE", 1, "com.microsoft");
  test.Attr("activation_type", "identity").Attr("quant_type", "nvfp4");
  test.Input(Tensor::Of<float>({1, 4}, {1, 1, 1, 1})).Input(Tensor::Of<float>({1, 1}, {0}));
  const auto fp8 = [](const Tensor& x) { return Convert(x, DType::kFloat8E4M3FN); };
  test.Input(Tensor::Of<uint8_t>({1, 4, 1}, {0x12, 0x10, 0x02, 0x20}));
  test.Input(fp8(Tensor::Of<float>({1, 2, 1}, {1, 1}))).NoInput();
  test.Input(Tensor::Of<uint8_t>({1, 2, 2}, {0x12, 0x00, 0x00, 0x24}));
  test.Input(fp8(Tensor::Of<float>({1, 4, 1}, {1, 1, 1, 1})));
  for (int i = 0; i < 8; ++i) test.NoInput();
  // fc1: 1 + 0 + 1 + 0, 0.5 + 0.5 + 0 + 1; fc2 of (2, 2): (1, 0.5, 0, 0) and (0, 0, 2, 1).
  test.Input(Floats({1})).Input(Floats({1}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 4}, {2, 1, 4, 2}));
}

// One expert, rows of 32 codes: all 5 (1), or 4 (0) but the last, 7 (3).
TEST(QMoE, ThreeBits) {
  const auto run = [](uint8_t zeros, int block_size, const char* activation) {
    OpTest test("QMoE", 1, "com.microsoft");
    test.Attr("activation_type", activation)
        .Attr("swiglu_fusion", 1)
        .Attr("block_size", block_size);
    test.Attr("expert_weight_bits", 3).Attr("weights_prepacked", 0);
    std::vector<float> x(32, 0);
    x[31] = 1;
    test.Input(Tensor::Of<float>({1, 32}, x)).Input(Tensor::Of<float>({1, 1}, {0}));
    const auto rows = [](int64_t count, uint64_t code, uint64_t last) {
      std::vector<uint8_t> bytes;
      for (int64_t row = 0; row < count; ++row) {
        std::vector<uint8_t> own(12, 0);
        for (size_t i = 0; i < 96; ++i) {
          const uint64_t value = i / 3 == 31 ? last : code;
          own[i / 8] = static_cast<uint8_t>(own[i / 8] | (value >> (i % 3) & 1) << (i % 8));
        }
        bytes.insert(bytes.end(), own.begin(), own.end());
      }
      return Tensor::Of<uint8_t>({1, count, 12}, bytes);
    };
    const auto scales = [](int64_t count) {
      return Tensor::Of<float>({1, count, 1}, std::vector<float>(static_cast<size_t>(count), 0.5f));
    };
    // g = l = 1.5 everywhere; the second layer sums all.
    test.Input(rows(64, 4, 7)).Input(scales(64)).NoInput();
    test.Input(rows(32, 5, 5)).Input(scales(32));
    for (int i = 0; i < 4; ++i) test.NoInput();
    return test.Input(Tensor::Of<uint8_t>({1, 64, 1}, std::vector<uint8_t>(64, zeros))).Run();
  };
  ExpectTensor(run(4, 32, "swiglu"),
               Tensor::Of<float>({1, 32}, std::vector<float>(32, 16 * 1.5f * 1.5f * 0.817574476f)),
               1e-6);
  ExpectError(run(3, 32, "swiglu").status(), kInvalid, "fc1 has a zero point of 3, not 4");
  ExpectError(run(4, 16, "swiglu").status(), kInvalid, "but block_size is 16");
  ExpectError(run(4, 32, "silu").status(), kInvalid,
              "weights of 3 bits need activation_type swiglu");
}

TEST(QMoE, RefusesWhatDoesNotFit) {
  Quantized x;
  x.first = Tensor::Of<uint8_t>({2, 2, 1}, {0, 0, 0, 0});
  x.first_scales = Iota({2, 2});
  x.second = x.first;
  x.second_scales = Iota({2, 2});
  const auto status = [&](OpTest test) { return test.Run().status(); };
  ExpectError(status(QMoe(x).Attr("expert_weight_bits", 3)), kInvalid, "weights of 3 bits need");
  ExpectError(status(QMoe(x).Attr("expert_weight_bits", 5)), kInvalid, "bits is 5");
  ExpectError(status(QMoe(x).Attr("quant_type", "int3")), kInvalid, "\"int3\"");
  ExpectError(status(QMoe(x).Attr("quant_type", "wfp4afp8")), kUnimplemented, "wfp4afp8");
  ExpectError(status(QMoe(x).Attr("weights_prepacked", 1)), kUnimplemented, "weights_prepacked");
  ExpectError(status(QMoe(x).Attr("block_size", 24)), kInvalid, "block_size is 24");
  ExpectError(status(QMoe(x).Attr("expert_weight_bits", 2)), kInvalid, "do not fill bytes");
  x.first_scales = Iota({2, 3});
  ExpectError(status(QMoe(x)), kInvalid, "fc1's scales are float[2,3]");
}

}  // namespace
}  // namespace onnxcmp::testing
