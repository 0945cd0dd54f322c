#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Quantize(const Tensor& x, const Tensor& scale, int opset = 25) {
  OpTest test("QuantizeLinear", opset);
  test.Input(x).Input(scale);
  return test;
}
OpTest Dequantize(const Tensor& x, const Tensor& scale, int opset = 25) {
  OpTest test("DequantizeLinear", opset);
  test.Input(x).Input(scale);
  return test;
}

TEST(QuantizeLinear, RoundsToEvenAddsTheZeroPointAndSaturates) {
  const Tensor x = Tensor::Of<float>({8}, {0, 1, 3, 5, -1, 1e9f, -1e9f, INFINITY});
  const Tensor two = Tensor::Scalar(2.0f);
  ExpectTensor(Quantize(x, two, 10).Run(), Tensor::Of<uint8_t>({8}, {0, 0, 2, 2, 0, 255, 0, 255}));
  ExpectTensor(Quantize(AsStridedView(x), two, 13).Input(Tensor::Scalar<int8_t>(-3)).Run(),
               Tensor::Of<int8_t>({8}, {-3, -3, -1, -1, -3, 127, -128, 127}));
  ExpectTensor(Quantize(x, two, 21).Input(Tensor::Scalar<uint16_t>(65534)).Run(),
               Tensor::Of<uint16_t>({8}, {65534, 65534, 65535, 65535, 65534, 65535, 0, 65535}));
  const Tensor nan = Tensor::Of<float>({1}, {NAN});
  ExpectTensor(Quantize(nan, two).Run(), Tensor::Of<uint8_t>({1}, {0}));
}

// One scale and zero point for many strips, and back.
TEST(QuantizeLinear, LongTensors) {
  constexpr int64_t kCount = 1300;
  std::vector<float> x, whole;
  std::vector<uint8_t> codes;
  for (int64_t i = 0; i < kCount; ++i) {
    const int64_t code = i * 7 % 256;
    codes.push_back(static_cast<uint8_t>(code));
    whole.push_back(static_cast<float>(code - 100) * 0.25f);
    x.push_back(whole.back() + (i % 3 == 0 ? 0.05f : -0.05f));  // a fifth of a step
  }
  for (const DType dtype : {DType::kFloat, DType::kFloat16}) {
    const Tensor scale = Convert(Tensor::Scalar(0.25f), dtype);
    const Tensor zero = Tensor::Scalar<uint8_t>(100);
    const Tensor quantized = Tensor::Of<uint8_t>({kCount}, codes);
    ExpectTensor(Quantize(Convert(Tensor::Of<float>({kCount}, x), dtype), scale).Input(zero).Run(),
                 quantized);
    ExpectTensor(Dequantize(quantized, scale).Input(zero).Run(),
                 Convert(Tensor::Of<float>({kCount}, whole), dtype));
  }
}

TEST(QuantizeLinear, PackedTypes) {
  const Tensor x = Tensor::Of<float>({3}, {-20, 5, 20});
  const Tensor one = Tensor::Scalar(1.0f);
  for (DType dtype : {DType::kInt4, DType::kUint4, DType::kInt2, DType::kUint2}) {
    const auto low = static_cast<float>(IntegerMin(dtype));
    const auto high = static_cast<float>(IntegerMax(dtype));
    ExpectTensor(Quantize(x, one).Attr("output_dtype", static_cast<int>(dtype)).Run(),
                 Convert(Tensor::Of<float>({3}, {low, std::min(high, 5.0f), high}), dtype));
  }
}

TEST(QuantizeLinear, SmallFloats) {
  const Tensor x = Tensor::Of<float>({4}, {-0.0f, 2.2f, 900, -INFINITY});
  const auto to = [&](DType dtype, int saturate) {
    return Quantize(x, Tensor::Scalar(2.0f), 19)
        .Attr("saturate", saturate)
        .Input(Convert(Tensor::Scalar(0.0f), dtype))
        .Run();
  };
  ExpectSameBits(to(DType::kFloat8E4M3FN, 1),
                 Convert(Tensor::Of<float>({4}, {-0.0f, 1.125f, 448, -448}), DType::kFloat8E4M3FN));
  // Without saturation the infinity stays, and E4M3FN, which has none, says NaN.
  const auto e5m2 = to(DType::kFloat8E5M2, 0);
  ASSERT_TRUE(e5m2.ok());
  EXPECT_EQ(e5m2->data<uint8_t>()[3], 0xFC);
  const auto e4m3 = to(DType::kFloat8E4M3FN, 0);
  ASSERT_TRUE(e4m3.ok());
  EXPECT_EQ(e4m3->data<uint8_t>()[3] & 0x7F, 0x7F);
  ExpectTensor(Quantize(x, Tensor::Scalar(2.0f)).Attr("output_dtype", int{23}).Run(),
               Convert(Tensor::Of<float>({4}, {0, 1, 6, -6}), DType::kFloat4E2M1));
}

// As ONNX's evaluator.
TEST(QuantizeLinear, Float6ThereAndBack) {
  ONNXCMP_NEEDS_OPSET(28);
  const Tensor x = Tensor::Of<float>({4}, {0.3f, -15, 100, 3});
  const Tensor scale = Tensor::Scalar(2.0f);
  const Tensor want =
      Convert(Tensor::Of<float>({4}, {0.15f, -7.5f, 7.5f, 1.5f}), DType::kFloat6E2M3);
  ExpectSameBits(
      Quantize(x, scale, 28).Attr("output_dtype", static_cast<int>(DType::kFloat6E2M3)).Run(),
      want);
  ExpectTensor(Dequantize(want, scale, 28).Run(), Tensor::Of<float>({4}, {0.25f, -15, 15, 3}));
}

TEST(QuantizeLinear, AlongAnAxis) {
  const Tensor x = Tensor::Of<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor scale = Tensor::Of<float>({2}, {1, 2});
  ExpectTensor(Quantize(x, scale, 13).Input(Tensor::Of<uint8_t>({2}, {0, 100})).Run(),
               Tensor::Of<uint8_t>({2, 2, 2}, {1, 2, 102, 102, 5, 6, 104, 104}));
  ExpectTensor(Quantize(x, scale, 13).Attr("axis", -1).Run(),
               Tensor::Of<uint8_t>({2, 2, 2}, {1, 1, 3, 2, 5, 3, 7, 4}));
  // A vector has one axis.
  ExpectTensor(Quantize(Tensor::Of<float>({2}, {4, 4}), scale, 13).Run(),
               Tensor::Of<uint8_t>({2}, {4, 2}));
}

TEST(QuantizeLinear, InBlocks) {
  const Tensor x = Tensor::Of<float>({2, 3}, {4, 4, 4, 8, 8, 8});
  ExpectTensor(Quantize(x, Tensor::Of<float>({2, 2}, {1, 2, 4, 8}), 21).Attr("block_size", 2).Run(),
               Tensor::Of<uint8_t>({2, 3}, {4, 4, 2, 2, 2, 1}));
  ExpectTensor(Quantize(x, Tensor::Of<float>({1, 3}, {1, 2, 4}), 21)
                   .Attr("axis", 0)
                   .Attr("block_size", 2)
                   .Input(Tensor::Of<int8_t>({1, 3}, {1, 2, 3}))
                   .Run(),
               Tensor::Of<int8_t>({2, 3}, {5, 4, 4, 9, 6, 5}));
}

TEST(QuantizeLinear, ThePrecisionOfTheDivision) {
  const Tensor x = Convert(Tensor::Of<float>({1}, {1035}), DType::kFloat16);
  const Tensor scale = Convert(Tensor::Scalar(2.0f / 3), DType::kFloat16);  // 0.66650390625
  // 1552.88 in float; the nearest float16 is 1553.
  ExpectTensor(Quantize(x, scale).Attr("output_dtype", int{4}).Run(),
               Tensor::Of<uint16_t>({1}, {1553}));
  // 2049 / 1 in float16 is 2048.
  const Tensor odd = Tensor::Of<float>({1}, {2049});
  OpTest test = Quantize(odd, Tensor::Scalar(1.0f));
  test.Attr("output_dtype", int{4});
  ExpectTensor(test.Run(), Tensor::Of<uint16_t>({1}, {2049}));
  ExpectTensor(test.Attr("precision", int{10}).Run(), Tensor::Of<uint16_t>({1}, {2048}));
}

TEST(QuantizeLinear, RefusesWhatDoesNotFit) {
  const Tensor x = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor two = Tensor::Of<float>({2}, {1, 1});
  ExpectError(Quantize(x, two).Run().status(), kInvalid, "needs [3]");
  ExpectError(Quantize(x, two).Attr("axis", INT64_MIN).Run().status(), kInvalid, "out of range");
  ExpectError(Quantize(x, two).Attr("axis", 0).Input(Tensor::Scalar<uint8_t>(0)).Run().status(),
              kInvalid, "the zero point is");
  ExpectError(Quantize(x, two).Attr("block_size", -1).Run().status(), kInvalid, "block_size is -1");
  ExpectError(Quantize(x, two).Attr("block_size", 2).Run().status(), kInvalid, "block size 2");
  ExpectError(Quantize(x, two).Attr("output_dtype", 99).Run().status(), kInvalid,
              "99 is no element type");
  ExpectError(Quantize(x, two)
                  .Attr("output_dtype", 3)
                  .Input(Tensor::Of<uint8_t>({2}, {0, 0}))
                  .Run()
                  .status(),
              kInvalid, "output_dtype is int8");
}

TEST(DequantizeLinear, SubtractsAndScales) {
  const Tensor x = Tensor::Of<uint8_t>({3}, {0, 128, 255});
  ExpectTensor(Dequantize(x, Tensor::Scalar(2.0f), 10).Input(Tensor::Scalar<uint8_t>(128)).Run(),
               Tensor::Of<float>({3}, {-256, 0, 254}));
  ExpectTensor(Dequantize(Tensor::Of<int32_t>({2}, {-7, 1 << 24}), Tensor::Scalar(0.5f), 10).Run(),
               Tensor::Of<float>({2}, {-3.5f, 1 << 23}));
  ExpectTensor(Dequantize(Convert(Tensor::Of<float>({3}, {-8, 7, 1}), DType::kInt4),
                          Tensor::Scalar(2.0f), 21)
                   .Run(),
               Tensor::Of<float>({3}, {-16, 14, 2}));
  ExpectTensor(Dequantize(Convert(Tensor::Of<float>({2}, {1.5f, -6}), DType::kFloat4E2M1),
                          Convert(Tensor::Scalar(2.0f), DType::kFloat16), 23)
                   .Run(),
               Convert(Tensor::Of<float>({2}, {3, -12}), DType::kFloat16));
  ExpectTensor(
      Dequantize(Tensor::Of<int8_t>({1}, {3}), Convert(Tensor::Scalar(0.5f), DType::kFloat16))
          .Attr("output_dtype", 1)
          .Run(),
      Tensor::Of<float>({1}, {1.5f}));
}

TEST(DequantizeLinear, AlongAnAxisAndInBlocks) {
  const Tensor x = Tensor::Of<int8_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectTensor(Dequantize(x, Tensor::Of<float>({3}, {1, 10, 100}), 13)
                   .Input(Tensor::Of<int8_t>({3}, {1, 0, 3}))
                   .Run(),
               Tensor::Of<float>({2, 3}, {0, 20, 0, 3, 50, 300}));
  ExpectTensor(
      Dequantize(x, Tensor::Of<float>({2, 2}, {1, 2, 3, 4}), 21).Attr("block_size", 2).Run(),
      Tensor::Of<float>({2, 3}, {1, 2, 6, 12, 15, 24}));
}

TEST(DynamicQuantizeLinear, TheRangeContainsZero) {
  const auto run = [](const std::vector<float>& x, int output) {
    return OpTest("DynamicQuantizeLinear", 11)
        .Outputs(3)
        .Input(Tensor::Of<float>({static_cast<int64_t>(x.size())}, x))
        .Run(output);
  };
  ExpectTensor(run({0, 255, 51}, 0), Tensor::Of<uint8_t>({3}, {0, 255, 51}));
  ExpectTensor(run({0, 255, 51}, 1), Tensor::Scalar(1.0f));
  ExpectTensor(run({-51, 204}, 0), Tensor::Of<uint8_t>({2}, {0, 255}));
  ExpectTensor(run({-51, 204}, 2), Tensor::Scalar<uint8_t>(51));
  ExpectTensor(run({-255, -51}, 0), Tensor::Of<uint8_t>({2}, {0, 204}));
  ExpectTensor(run({-255, -51}, 2), Tensor::Scalar<uint8_t>(255));
  ExpectTensor(run({0, 0}, 0), Tensor::Of<uint8_t>({2}, {0, 0}));
  ExpectTensor(run({0, 0}, 1), Tensor::Scalar(0.0f));
  ExpectTensor(run({}, 0), Tensor::Of<uint8_t>({0}, {}));
}

}  // namespace
}  // namespace onnxcmp::testing
