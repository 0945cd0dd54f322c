#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Embedding(const Tensor& words) {
  OpTest test("WordConvEmbedding", 1, "com.microsoft");
  test.Input(words).Input(Tensor::Of<float>({2, 1, 2, 2}, {1, 0, 0, 1, 0.5f, -1, 0.25f, 2}));
  test.Input(Floats({0.1f, -0.2f}));
  test.Input(Tensor::Of<float>({4, 2}, {0, 0, 0.1f, 0.2f, 0.3f, -0.4f, -0.5f, 0.6f}));
  return test;
}

// Values: onnxruntime 1.31. Numbers above 0 count, wherever they stand.
TEST(ContribWordConvEmbeddingTest, LongAndShortWords) {
  ExpectTensor(Embedding(Tensor::Of<int32_t>({3, 3}, {1, 2, 3, 2, 0, 0, 1, 0, 3})).Run(),
               Tensor::Of<float>(
                   {3, 2}, {0.7615941762924194f, 0.8906372785568237f, 0.37994900345802307f,
                            0.33637553453445435f, 0.19737528264522552f, -0.33637553453445435f}),
               1e-6);
}

TEST(ContribWordConvEmbeddingTest, NoWord) {
  ExpectTensor(Embedding(Tensor::Of<int32_t>({1, 2}, {0, 3})).Run(),
               Tensor::Of<float>({1, 2}, {0, 0}));
  ExpectTensor(Embedding(Tensor::Of<int32_t>({0, 2}, {})).Run(), Tensor::Of<float>({0, 2}, {}));
}

TEST(ContribWordConvEmbeddingTest, WrongInputs) {
  ExpectError(Embedding(Tensor::Of<int32_t>({1, 2}, {1, 4})).Run().status(), kInvalid,
              "character 4");
  ExpectError(Embedding(Tensor::Of<int32_t>({1, 2}, {1, -4})).Run().status(), kInvalid,
              "character -4");
  ExpectError(Embedding(Tensor::Of<int32_t>({1, 1}, {1})).Run().status(), kInvalid, "window of 2");
  const Tensor word = Tensor::Of<int32_t>({1, 2}, {1, 2});
  ExpectError(Embedding(word).Attr("embedding_size", 3).Run().status(), kInvalid, "embedding_size");
  ExpectError(Embedding(word).Attr("conv_window_size", 3).Run().status(), kInvalid,
              "conv_window_size");
}

}  // namespace
}  // namespace onnxcmp::testing
