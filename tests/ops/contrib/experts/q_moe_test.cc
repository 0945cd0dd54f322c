// Expected values are the definition's, with the exponentials of NumPy.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// One token of 32 ones, two experts, one inner element.
struct QuantizedExperts {
  Tensor first;
  Tensor first_scales;
  Tensor second;
  Tensor second_scales;
  Tensor first_zeros;
  Tensor second_zeros;
};

OpTest QMoe(const QuantizedExperts& x, const char* activation = "identity") {
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
  QuantizedExperts x;
  x.first = Tensor::Of<uint8_t>({2, 2, 1}, {0x9A, 0x9A, 0x7B, 0x9A});
  x.first_scales = Tensor::Of<float>({2, 2}, {1, 1, 0.5f, 2});
  x.second = Tensor::Of<uint8_t>({2, 2, 1}, {0x88, 0x88, 0xB5, 0xCC});
  x.second_scales = Tensor::Of<float>({2, 2}, {1, 1, 1, 10});
  // Expert 1: fc1 (1, 6); fc2: -3 + 18, 10 * (4 + 24).
  ExpectTensor(QMoe(x).Run(), OneRow(15, 280));
  ExpectTensor(QMoe(x).Attr("block_size", 16).Run(), OneRow(15, 280));
  x.first_scales = x.first_scales.Reshaped({2, 2, 1});
  ExpectTensor(QMoe(x).Run(), OneRow(15, 280));
  // Zero points of rows 0 and 1 in one byte: 6 and 10 for fc1, 7 and 7 for fc2.
  x.first_zeros = Tensor::Of<uint8_t>({2, 1}, {0x88, 0xA6});
  x.second_zeros = Tensor::Of<uint8_t>({2, 1}, {0x88, 0x77});
  x.first_scales = Tensor::Of<float>({2, 2}, {1, 1, 0.5f, 1});
  // fc1: (5 + 1) / 2 and 0 - 1; fc2: -2 * 3 - 4, 10 * (5 * 3 - 5).
  ExpectTensor(QMoe(x).Run(), OneRow(-10, 100));
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
  QuantizedExperts x;
  x.first = Tensor::Of<uint8_t>({2, 1, 2}, {129, 128, 128, 130});
  x.first_scales = Tensor::Of<float>({2, 1}, {1, 1});
  x.second = Tensor::Of<uint8_t>({2, 2, 1}, {129, 130, 129, 130});
  x.second_scales = Tensor::Of<float>({2, 2}, {1, 1, 1, 1});
  const auto run = [&](bool weights, int64_t normalize) {
    OpTest test = QMoe(x).Attr("expert_weight_bits", 8).Attr("k", 2);
    test.Attr("normalize_routing_weights", normalize);
    for (int i = 0; i < 3; ++i) test.NoInput();
    if (weights) test.Input(OneRow(2, 6));
    return test.Run();
  };
  // The experts make (1, 2) and (2, 4).
  ExpectTensor(run(true, 0), OneRow(14, 28));
  ExpectTensor(run(true, 1), OneRow(1.75f, 3.5f));
  ExpectTensor(run(false, 0), OneRow(1.731058579f, 2 * 1.731058579f), 1e-6);
}

TEST(QMoE, UnpacksFloats) {
  OpTest test("QMoE", 1, "com.microsoft");
  test.Attr("activation_type", "identity").Attr("quant_type", "fp8").Attr("block_size", 1);
  test.Input(OneRow(1, 2)).Input(Tensor::Of<float>({1, 1}, {0}));
  const auto fp8 = [](const Tensor& x) { return Convert(x, DType::kFloat8E4M3FN); };
  test.Input(fp8(Tensor::Of<float>({1, 1, 2}, {1.5f, -2})));
  test.Input(Tensor::Of<float>({1, 1, 2}, {2, 1})).NoInput();
  test.Input(fp8(Tensor::Of<float>({1, 2, 1}, {1, 4}))).Input(Tensor::Of<float>({1, 2, 1}, {1, 3}));
  ExpectTensor(test.Run(), OneRow(-1, -12));
}

// nvfp4 weights in bytes along their rows (weights_prepacked 1) or their columns. Codes 1 to 7 are
// 0.5, 1, 1.5, 2, 3, 4, 6.
TEST(QMoE, UnpacksFloat4) {
  const auto run = [](int prepacked, const std::vector<uint8_t>& first,
                      const std::vector<uint8_t>& second) {
    OpTest test("QMoE", 1, "com.microsoft");
    test.Attr("activation_type", "identity").Attr("quant_type", "nvfp4");
    test.Attr("weights_prepacked", prepacked);
    test.Input(OneRow(1, 2)).Input(Tensor::Of<float>({1, 1}, {0}));
    const auto fp8 = [](const Tensor& x) { return Convert(x, DType::kFloat8E4M3FN); };
    test.Input(Tensor::Of<uint8_t>({1, 2, 1}, first));
    test.Input(fp8(Tensor::Of<float>({1, 2, 1}, {2, 1}))).NoInput();
    test.Input(Tensor::Of<uint8_t>({1, 2, 1}, second));
    test.Input(fp8(Tensor::Of<float>({1, 2, 1}, {1, 0.5f})));
    for (int i = 0; i < 8; ++i) test.NoInput();
    return test.Input(Floats({3})).Input(Floats({10})).Run();
  };
  // fc1: 3 * 2 * (1 + 1), 3 * (6 - 2); fc2: 10 * 12, 10 * 0.5 * 12.
  ExpectTensor(run(1, {0x12, 0xA7}, {0x02, 0x20}), OneRow(120, 60));
  // The same weights, the first of each pair that of the first row.
  ExpectTensor(run(-1, {0x72, 0xA1}, {0x02, 0x20}), OneRow(120, 60));
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
  QuantizedExperts x;
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
