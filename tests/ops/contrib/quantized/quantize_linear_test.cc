#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

// QuantizeLinear, DequantizeLinear and QEmbedLayerNormalization of com.microsoft.
namespace onnxcmp::testing {
namespace {

TEST(ContribQuantizeLinearTest, Float16DividesInFloat) {
  const Tensor x = Convert(Floats({205.625f}), DType::kFloat16);
  const Tensor scale = Convert(Tensor::Scalar(0.1f), DType::kFloat16);
  const Tensor zero = Tensor::Scalar<int16_t>(0);
  // 205.625 / 0.0999755859375 = 2056.75; the nearest float16 is 2056.
  ExpectTensor(Contrib("QuantizeLinear").Input(x).Input(scale).Input(zero).Run(),
               Tensor::Of<int16_t>({1}, {2057}));
  OpTest rounded("QuantizeLinear", 21);
  ExpectTensor(rounded.Input(x).Input(scale).Input(zero).Run(), Tensor::Of<int16_t>({1}, {2056}));
}

TEST(ContribQuantizeLinearTest, AxisIsOneByDefault) {
  OpTest test = Contrib("QuantizeLinear");
  test.Input(Tensor::Of<float>({2, 2}, {1, 1, 2, -20})).Input(Floats({1, 0.5f}));
  ExpectTensor(test.Run(), Tensor::Of<uint8_t>({2, 2}, {1, 2, 2, 0}));
  ExpectTensor(test.Attr("axis", -2).Run(), Tensor::Of<uint8_t>({2, 2}, {1, 1, 4, 0}));
  ExpectError(test.Attr("axis", 2).Run().status(), kInvalid, "axis 2 is out of range");
}

TEST(ContribDequantizeLinearTest, FourBits) {
  OpTest test = Contrib("DequantizeLinear");
  test.Input(Convert(Floats({-8, 7, 1}), DType::kInt4)).Input(Tensor::Scalar(0.5f));
  ExpectTensor(test.Input(Convert(Tensor::Scalar(-1.0f), DType::kInt4)).Run(),
               Floats({-3.5f, 4, 1}));
}

TEST(QEmbedLayerNormalizationTest, Scales) {
  const auto run = [](const Tensor& word_scale, const Tensor& segments) {
    OpTest test = Contrib("QEmbedLayerNormalization");
    const Tensor ids = Tensor::Of<int32_t>({1, 1}, {0});
    const Tensor table = Tensor::Of<uint8_t>({1, 2}, {0, 2});
    const Tensor row = Tensor::Of<uint8_t>({2}, {1, 1});
    test.Outputs(2).Input(ids).NoInput().Input(table).Input(table);
    test.Input(segments.defined() ? Value(segments) : Value()).Input(row).Input(row).NoInput();
    test.Input(word_scale).Input(Tensor::Scalar(1.0f)).NoInput();
    test.Input(Tensor::Scalar(2.0f)).Input(Tensor::Scalar(0.5f));
    const Tensor zero = Tensor::Scalar<uint8_t>(0);
    test.Input(zero).Input(zero).NoInput().Input(zero).Input(zero);
    return test.Run();
  };
  // (0, 8) standardized is (-1, 1): times 2, plus 0.5.
  ExpectTensor(run(Tensor::Scalar(3.0f), {}), Tensor::Of<float>({1, 1, 2}, {-1.5f, 2.5f}), 1e-6);
  EXPECT_EQ(run(Floats({1, 2}), {}).status().code(), kInvalid);
  ExpectError(run(Tensor::Scalar(3.0f), Tensor::Of<uint8_t>({1, 2}, {0, 2})).status(), kInvalid,
              "segment_embedding needs a scale and a zero point");
}

}  // namespace
}  // namespace onnxcmp::testing
