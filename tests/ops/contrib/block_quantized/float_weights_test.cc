// Products with weights that are stored as small floats: MatMulBnb4, MatMulFpQ4,
// MatMulBlockQuantized* and GemmFloat8. Expected values are the formulas', rounded by hand.
#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

Tensor Half(const Tensor& x) { return Convert(x, DType::kFloat16); }
Tensor Row(float x, float y) { return Tensor::Of<float>({1, 2}, {x, y}); }

// 3 x 6 weights in blocks of 16: row 0 begins with codes 3 and 4, the last block has two elements.
OpTest Bnb4(int type) {
  OpTest test = Contrib("MatMulBnb4");
  return test.Attr("N", 3).Attr("K", 6).Attr("block_size", 16).Attr("quant_type", type);
}
Tensor Codes() { return Tensor::Of<uint8_t>({9}, {0x34, 0, 0, 0, 0, 0, 0, 0, 0xF7}); }

TEST(MatMulBnb4, TheFirstCodeIsInTheHighBits) {
  const auto run = [](int type, std::vector<float> a) {
    return Bnb4(type).Input(Floats(a)).Input(Codes()).Input(Floats({2, 3})).Run();
  };
  ExpectTensor(run(0, {1, 0, 0, 0, 0, 0}), Floats({2, 0, 0}));
  ExpectTensor(run(0, {0, 1, 0, 0, 0, 0}), Floats({2.0f / 3, 0, 0}), 1e-6);
  // The last two elements are of the second block.
  ExpectTensor(run(0, {0, 0, 0, 0, 1, 4}), Floats({0, 0, -0.75f + 3}), 1e-6);
  ExpectTensor(run(1, {1, 0, 0, 0, 0, 0}), Floats({-0.789834976f, -2, -2}), 1e-6);
  ExpectTensor(run(1, {0, 0, 0, 0, 1, 4}), Floats({-10, -10, 3}), 1e-6);
}

TEST(MatMulBnb4, MultipliesUntransposedAndInOtherTypes) {
  ExpectTensor(
      Bnb4(0).Attr("transB", 0).Input(Floats({1, 0, 4})).Input(Codes()).Input(Floats({2, 3})).Run(),
      Floats({2, 2.0f / 3, 0, 0, -3, 3}), 1e-6);
  ExpectTensor(Bnb4(0)
                   .Input(Half(Floats({1, 0, 0, 0, 0, 0})))
                   .Input(Codes())
                   .Input(Half(Floats({2, 3})))
                   .Run(),
               Half(Floats({2, 0, 0})));
}

TEST(MatMulBnb4, RefusesWhatDoesNotFit) {
  const auto status = [](OpTest test) {
    return test.Input(Iota({6})).Input(Codes()).Input(Floats({2, 3})).Run().status();
  };
  ExpectError(status(Bnb4(2)), kInvalid, "quant_type is 2");
  ExpectError(status(Bnb4(0).Attr("block_size", 8)), kInvalid, "block_size is 8");
  ExpectError(status(Bnb4(0).Attr("N", 0)), kInvalid, "N is 0");
  ExpectError(status(Bnb4(0).Attr("N", INT64_MAX)), kInvalid, "N is 9223372036854775807");
  ExpectError(status(Bnb4(0).Attr("N", 5)), kInvalid, "need 15");
  ExpectError(status(Bnb4(0).Attr("block_size", int64_t{1} << 62)), kInvalid, "need 1");
}

// A column of 34 elements in two blocks: scale, zero point if there is one, 16 bytes.
std::vector<uint8_t> Blob(bool zero_points) {
  std::vector<uint8_t> blob;
  const float scales[] = {0.5f, 2};
  for (int block = 0; block < 2; ++block) {
    uint8_t bytes[4];
    std::memcpy(bytes, &scales[block], 4);
    blob.insert(blob.end(), bytes, bytes + 4);
    if (zero_points) blob.push_back(static_cast<uint8_t>(block + 1));
    blob.push_back(0x5A);
    blob.insert(blob.end(), 15, 0x88);
  }
  return blob;
}

TEST(MatMulFpQ4, HalvesOfABlockShareBytes) {
  const auto run = [](int type, int64_t at) {
    std::vector<float> a(34);
    a[static_cast<size_t>(at)] = 1;
    const std::vector<uint8_t> blob = Blob(type == 1);
    OpTest test = Contrib("MatMulFpQ4").Attr("blk_quant_type", type).Input(Floats(a));
    test.Input(Tensor::Of<uint8_t>({static_cast<int64_t>(blob.size())}, blob));
    return test.Input(Ints({34, 1})).Run();
  };
  ExpectTensor(run(0, 0), Floats({1}));       // (10 - 8) / 2
  ExpectTensor(run(0, 16), Floats({-1.5f}));  // (5 - 8) / 2
  ExpectTensor(run(0, 32), Floats({4}));
  ExpectTensor(run(1, 0), Floats({4.5f}));
  ExpectTensor(run(1, 33), Floats({12}));  // (8 - 2) * 2
  ExpectError(run(2, 0).status(), kUnimplemented, "blk_quant_type is 2");
  ExpectError(Contrib("MatMulFpQ4")
                  .Input(Iota({34}))
                  .Input(Tensor::Of<uint8_t>({3}, {1, 2, 3}))
                  .Input(Ints({34, 1}))
                  .Run()
                  .status(),
              kInvalid, "weights take 42");
}

TEST(MatMulBlockQuantizedFp4Weight, ScalesBlocksAndAll) {
  // Codes 2, 3 and 15 are 1, 1.5 and -6; bytes 0x38 and 0x40 are 1 and 2 in e4m3.
  const auto run = [](const Tensor& codes, const Tensor& scales) {
    OpTest test = Contrib("MatMulBlockQuantizedFp4Weight").Attr("block_size", 2);
    test.Input(Half(Tensor::Of<float>({1, 4}, {1, 2, 4, 8}))).Input(codes).Input(scales);
    test.Input(Floats({3})).Input(Floats({100}));
    return test.Input(Half(Floats({0.5f}))).Run();
  };
  const Tensor codes = Tensor::Of<uint8_t>({1, 2}, {0x32, 0xF2});
  // 3 * 1 * (1 + 3) + 3 * 2 * (4 - 48) + 0.5
  ExpectTensor(run(codes, Tensor::Of<uint8_t>({1, 2}, {0x38, 0x40})),
               Half(Tensor::Of<float>({1, 1}, {-251.5f})));
  ExpectError(run(codes, Tensor::Of<uint8_t>({1, 1}, {0x38})).status(), kInvalid,
              "weight_scale is uint8[1,1]");
}

TEST(MatMulBlockQuantizedFp8Weight, QuantizesActivationsWithAScale) {
  const auto run = [](bool quantize) {
    OpTest test = Contrib("MatMulBlockQuantizedFp8Weight").Attr("block_size", 2);
    test.Input(Half(Tensor::Of<float>({1, 3}, {1000, 2, 4.125f})));
    test.Input(Convert(Tensor::Of<float>({1, 3}, {1, 2, 3}), DType::kFloat8E4M3FN));
    test.Input(Row(1, 2));
    if (quantize) {
      test.Input(Floats({0.5f}));
    } else {
      test.NoInput();
    }
    return test.Input(Half(Floats({1}))).Run();
  };
  ExpectTensor(run(false),
               Half(Tensor::Of<float>({1, 1}, {1030})));  // 1000 + 4 + 24.75 + 1, rounded
  // 2000 saturates to 448, 8.25 becomes 8: 224 + 4 + 24 + 1.
  ExpectTensor(run(true), Half(Tensor::Of<float>({1, 1}, {253})));
}

TEST(GemmFloat8, ScalesActivatesAndSaturates) {
  const auto fp8 = [](const Tensor& x) { return Convert(x, DType::kFloat8E4M3FN); };
  const auto run = [&](const char* activation, DType dtype, float alpha) {
    OpTest test = Contrib("GemmFloat8").Attr("activation", activation).Attr("alpha", alpha);
    test.Attr("transB", 1).Attr("beta", 2.0f).Attr("dtype", static_cast<int64_t>(dtype));
    test.Input(fp8(Row(1, 2))).Input(fp8(Tensor::Of<float>({2, 2}, {1, 1, -4, 1})));
    test.Input(Row(1, 0.5f)).Input(Floats({2})).Input(Floats({0.5f})).Input(Floats({10}));
    return test.Run();
  };
  // 3 + 2 and -2 + 1, times 10.
  ExpectTensor(run("NONE", DType::kFloat, 1), Row(50, -10));
  ExpectTensor(run("RELU", DType::kFloat16, 1), Half(Row(50, 0)));
  ExpectTensor(run("NONE", DType::kFloat8E4M3FN, 100), fp8(Row(448, -448)));
  ExpectTensor(run("GELU", DType::kFloat, 1), Row(50, -1.5880801f), 1e-5);
  ExpectError(run("TANH", DType::kFloat, 1).status(), kInvalid, "\"TANH\"");
  ExpectError(run("NONE", DType::kInt8, 1).status(), kInvalid, "dtype is int8");
}

}  // namespace
}  // namespace onnxcmp::testing
