#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are onnxruntime 1.31's.
OpTest SkipLayerNormalization(DType dtype = DType::kFloat) {
  OpTest test("SkipLayerNormalization", 1, "com.microsoft");
  test.Attr("epsilon", 0.25f).Input(Convert(Pattern({2, 2, 3}, 3, 7), dtype));
  return test;
}

Tensor Gamma() { return Tensor::Of<float>({3}, {0.6f, 1, 1.4f}); }

OpTest All(DType dtype) {
  OpTest test = SkipLayerNormalization(dtype);
  test.Input(Convert(Pattern({2, 2, 3}, 5, 7), dtype)).Input(Convert(Gamma(), dtype));
  test.Input(Convert(Pattern({3}, 3, 5), dtype)).Input(Convert(Pattern({3}, 4, 5), dtype));
  test.Outputs(4);
  return test;
}

const Tensor& Output() {
  static const auto& want = *new Tensor(Tensor::Of<float>(
      {2, 2, 3}, {-1.142023f, 0.8460399f, 0.6269311f, -1.002797f, 1.265551f, -0.285244f,
                  -0.6508797f, -0.304643f, 1.091886f, -0.6508796f, -0.304643f, 1.091886f}));
  return want;
}

TEST(ContribSkipLayerNormalizationTest, AllInputsAndOutputs) {
  const OpTest test = All(DType::kFloat);
  ExpectTensor(test.Run(0), Output(), 2e-6);
  ExpectTensor(test.Run(1),
               Tensor::Of<float>({2, 2, 1}, {0.01904765f, 0.1142857f, -0.1238095f, 0.3047619f}),
               1e-5);
  ExpectTensor(test.Run(2),
               Tensor::Of<float>({2, 2, 1}, {0.9690599f, 1.065551f, 1.513929f, 1.513929f}), 1e-6);
  ExpectTensor(test.Run(3),
               Tensor::Of<float>({2, 2, 3}, {-1.257143f, 0.6857143f, 0.6285715f, -0.8285714f,
                                             1.114286f, 0.05714285f, -0.4f, -0.4571429f, 0.4857143f,
                                             0.02857143f, -0.02857146f, 0.9142857f}),
               1e-6, 1e-7);
}

TEST(ContribSkipLayerNormalizationTest, OtherTypes) {
  ExpectTensor(All(DType::kDouble).Run(), Convert(Output(), DType::kDouble), 1e-6);
  ExpectTensor(All(DType::kFloat16).Run(), Convert(Output(), DType::kFloat16), 4e-3);
  ExpectTensor(All(DType::kBfloat16).Run(), Convert(Output(), DType::kBfloat16), 3e-2);
}

// The sum is rounded for output 3 only: 2049 is not a float16, and its deviation from the mean is
// that of 2049.
TEST(ContribSkipLayerNormalizationTest, SumIsNormalizedUnrounded) {
  OpTest test("SkipLayerNormalization", 1, "com.microsoft");
  test.Attr("epsilon", 0.0f).Outputs(4);
  test.Input(Convert(Tensor::Of<float>({1, 2}, {2048, 2048}), DType::kFloat16));
  test.Input(Convert(Tensor::Of<float>({1, 2}, {1, 3}), DType::kFloat16));
  test.Input(Convert(Tensor::Of<float>({2}, {1, 1}), DType::kFloat16));
  ExpectTensor(test.Run(0), Convert(Tensor::Of<float>({1, 2}, {-1, 1}), DType::kFloat16));
  ExpectTensor(test.Run(1), Tensor::Of<float>({1, 1}, {2050}));
  ExpectTensor(test.Run(3), Convert(Tensor::Of<float>({1, 2}, {2048, 2052}), DType::kFloat16));
}

TEST(ContribSkipLayerNormalizationTest, SkipRepeatsOverTheBatch) {
  for (const Shape& shape : {Shape{2, 3}, Shape{1, 2, 3}}) {
    OpTest test = SkipLayerNormalization();
    test.Input(AsStridedView(Pattern(shape, 5, 7))).Input(Gamma());
    ExpectTensor(test.Run(),
                 Tensor::Of<float>({2, 2, 3}, {-0.637189f, 0.4372865f, 0.874573f, -0.4099123f,
                                               0.9564618f, -0.3825847f, -0.166946f, 0, 0.3895406f,
                                               -0.166946f, -5.804608e-08f, 0.3895407f}),
                 2e-6, 1e-6);
  }
}

TEST(ContribSkipLayerNormalizationTest, Empty) {
  OpTest test("SkipLayerNormalization", 1, "com.microsoft");
  test.Input(Tensor::Of<float>({0, 2, 3}, {})).Input(Tensor::Of<float>({0, 2, 3}, {}));
  ExpectTensor(test.Input(Gamma()).Run(), Tensor::Of<float>({0, 2, 3}, {}));
}

TEST(ContribSkipLayerNormalizationTest, BadInputs) {
  OpTest skip = SkipLayerNormalization();
  skip.Input(Pattern({2, 1, 3}, 5, 7)).Input(Gamma());
  ExpectError(skip.Run().status(), kInvalid, "does not fit");
  OpTest gamma = SkipLayerNormalization();
  gamma.Input(Pattern({2, 2, 3}, 5, 7)).Input(Pattern({2}, 1, 3));
  ExpectError(gamma.Run().status(), kInvalid, "input 2 has shape [2]");
  OpTest rank("SkipLayerNormalization", 1, "com.microsoft");
  rank.Input(Pattern({3}, 5, 7)).Input(Pattern({3}, 5, 7)).Input(Gamma());
  ExpectError(rank.Run().status(), kInvalid, "rank 1");
}

}  // namespace
}  // namespace onnxcmp::testing
