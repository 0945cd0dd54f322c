#include <cstdint>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

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
