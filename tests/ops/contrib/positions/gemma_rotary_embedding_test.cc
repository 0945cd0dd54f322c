#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are those of the formula, computed in double by NumPy.

TEST(ContribGemmaRotaryEmbeddingTest, TurnsBoth) {
  OpTest test("GemmaRotaryEmbedding", 1, "com.microsoft");
  test.Input(Pattern({1, 2, 2}, 3, 7, 3.0f))
      .Input(Convert(Pattern({1, 2, 2, 2}, 7, 23, 3.0f), DType::kFloat16))
      .Input(Convert(Pattern({1, 2, 2, 2}, 5, 19, 2.0f), DType::kFloat16))
      .Input(Convert(Pattern({1, 1, 2, 2}, 3, 17, 2.0f), DType::kFloat16))
      .Input(Convert(Pattern({1, 1, 2, 2}, 11, 29, 2.0f), DType::kFloat16));
  test.Outputs(2);
  ExpectOutputs(
      test,
      {Convert(Tensor::Of<float>({1, 2, 2, 2}, {0.5054026f, -0.5219727f, 0.211088f, 0.9244902f,
                                                0.588011f, 0.1304932f, 0.495647f, -1.255811f}),
               DType::kFloat16),
       Convert(Tensor::Of<float>({1, 1, 2, 2}, {0.6614392f, -0.5883789f, 0.4632039f, 0.3935325f}),
               DType::kFloat16)},
      1e-3, 1e-4);
}

TEST(ContribGemmaRotaryEmbeddingTest, RefusesSizesThatDoNotFit) {
  OpTest test("GemmaRotaryEmbedding", 1, "com.microsoft");
  const Tensor x = Convert(Iota({1, 2, 3, 2}), DType::kFloat16);
  test.Input(Iota({1, 2, 2})).Input(x).Input(x).Input(x).Input(x).Outputs(2);
  ExpectError(test.Run().status(), kInvalid, "q or q_rot has shape [1x2x3x2]");
}

}  // namespace
}  // namespace onnxcmp::testing
