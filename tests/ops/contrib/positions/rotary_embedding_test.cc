#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are onnxruntime 1.31's.
OpTest Rotary() { return OpTest("RotaryEmbedding", 1, "com.microsoft"); }

const Tensor kPositions = Tensor::Of<int64_t>({1, 2}, {1, 0});

TEST(ContribRotaryEmbeddingTest, HalvesOfHeads) {
  OpTest small = Rotary();
  small.Input(Pattern({1, 2, 4}, 3, 7)).Input(kPositions);
  small.Input(Pattern({2, 1}, 3, 5)).Input(Pattern({2, 1}, 2, 5));
  ExpectTensor(small.Run(),
               Tensor::Of<float>({1, 2, 4}, {-0.08571429f, 0, 0.08571429f, -0.02857143f,
                                             -0.2285714f, 1.277242e-09f, -0.2285714f, 0.1142857f}),
               1e-5, 1e-7);
  for (DType dtype : {DType::kFloat, DType::kDouble, DType::kFloat16}) {
    OpTest test = Rotary();
    test.Attr("num_heads", 7).Attr("scale", 2.0f).Attr("is_packed_batching", 1);  // no effect
    test.Input(Convert(Pattern({1, 2, 4}, 3, 7), dtype)).Input(kPositions);
    test.Input(Convert(Pattern({2, 2}, 3, 5), dtype));
    test.Input(Convert(Pattern({2, 2}, 2, 5), dtype));
    ExpectTensor(test.Run(),
                 Convert(Tensor::Of<float>({1, 2, 4},
                                           {-0.08571429f, -0.02857143f, -0.2571429f, -0.05714286f,
                                            -0.05714286f, -0.05714286f, -0.1714286f, -0.08571429f}),
                         dtype),
                 dtype == DType::kFloat16 ? 2e-3 : 1e-5, dtype == DType::kFloat16 ? 2e-3 : 1e-7);
  }
}

TEST(ContribRotaryEmbeddingTest, InterleavedHeadsFirstFromAnOffset) {
  OpTest test = Rotary();
  test.Attr("interleaved", 1).Input(AsStridedView(Pattern({1, 2, 2, 4}, 3, 11)));
  test.Input(Tensor::Of<int64_t>({1}, {1}));
  test.Input(Pattern({3, 2}, 3, 5)).Input(Pattern({3, 2}, 2, 5));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({1, 2, 2, 4}, {0.1636364f, -0.1454546f, 0.1090909f, 0.1272727f,
                                                0.01818182f, -0.07272728f, 0.1090909f, -0.2545455f,
                                                0.05454546f, -0.1090909f, 0.01818182f, -0.2363636f,
                                                -0.01818182f, -0.03636364f, -0.2909091f, 0}),
               1e-5, 1e-7);
}

TEST(ContribRotaryEmbeddingTest, PartOfAHead) {
  OpTest test = Rotary();
  test.Attr("num_heads", 2).Attr("rotary_embedding_dim", 2);
  test.Input(Pattern({1, 2, 8}, 3, 11)).Input(kPositions);
  test.Input(Pattern({2, 1}, 3, 5)).Input(Pattern({2, 1}, 2, 5));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({1, 2, 8}, {-0.09090909f, -0.03636364f, 0.09090909f, 0.3636364f,
                                             -0.07272728f, -0.01818182f, 0.1818182f, 0.4545455f,
                                             0.1090909f, 0.1090909f, 0.2727273f, -0.4545455f,
                                             0.1090909f, 0.03636364f, 0.3636364f, -0.3636364f}),
               1e-5, 1e-7);
}

TEST(ContribRotaryEmbeddingTest, Empty) {
  OpTest test = Rotary();
  test.Input(Tensor::Of<float>({0, 2, 4}, {})).Input(Tensor::Of<int64_t>({0, 2}, {}));
  test.Input(Pattern({2, 2}, 3, 5)).Input(Pattern({2, 2}, 2, 5));
  ExpectTensor(test.Run(), Tensor::Of<float>({0, 2, 4}, {}));
}

TEST(ContribRotaryEmbeddingTest, BadInputs) {
  auto expect = [](const Tensor& positions, const Tensor& caches, const char* message) {
    OpTest test = Rotary();
    test.Input(Pattern({1, 2, 4}, 3, 7)).Input(positions).Input(caches).Input(caches);
    ExpectError(test.Run().status(), kInvalid, message);
  };
  const Tensor caches = Pattern({2, 2}, 3, 5);
  expect(Tensor::Of<int64_t>({1, 2}, {0, 2}), caches, "position 2 is outside");
  expect(Tensor::Of<int64_t>({1, 2}, {0, -1}), caches, "position -1 is outside");
  expect(Tensor::Of<int64_t>({1}, {1}), caches, "position 1 + 1 is outside");
  expect(Tensor::Of<int64_t>({1}, {INT64_MAX}), caches, "is outside");
  expect(Tensor::Of<int64_t>({3}, {0, 0, 0}), caches, "position_ids has shape");
  expect(kPositions, Pattern({2, 3}, 3, 5), "does not make heads");
  expect(kPositions, Tensor::Of<float>({2, 0}, {}), "does not make heads");
}

}  // namespace
}  // namespace onnxcmp::testing
