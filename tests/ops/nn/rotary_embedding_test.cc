#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const std::vector<float> kX = {1, 2, 3, 4};

TEST(RotaryEmbeddingTest, RotatesHalvesAndNeighbours) {
  // Cosine and sine are 0 and 1 (a quarter turn) for the first pair, 1 and 0 for the second.
  const Tensor cosines = Tensor::Of<float>({2, 2}, {9, 9, 0, 1});
  const Tensor sines = Tensor::Of<float>({2, 2}, {9, 9, 1, 0});
  for (const auto& [interleaved, want] :
       {std::pair<int, std::vector<float>>{0, {-3, 2, 1, 4}}, {1, {-2, 1, 3, 4}}}) {
    OpTest test("RotaryEmbedding", 23);
    test.Attr("interleaved", interleaved).Input(Tensor::Of<float>({1, 1, 1, 4}, kX));
    test.Input(cosines).Input(sines).Input(Tensor::Of<int64_t>({1, 1}, {1}));
    ExpectTensor(test.Run(), Tensor::Of<float>({1, 1, 1, 4}, want));
  }
}

TEST(RotaryEmbeddingTest, TakesJoinedHeadsAPartAndCachesInOrder) {
  OpTest test("RotaryEmbedding", 23);
  test.Attr("num_heads", 1).Attr("rotary_embedding_dim", 2);
  test.Input(Convert(Tensor::Of<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6}), DType::kFloat16));
  test.Input(Convert(Tensor::Of<float>({1, 2, 1}, {0, -1}), DType::kFloat16));
  test.Input(Convert(Tensor::Of<float>({1, 2, 1}, {1, 0}), DType::kFloat16));
  ExpectTensor(test.Run(),
               Convert(Tensor::Of<float>({1, 2, 3}, {-2, 1, 3, -4, -5, 6}), DType::kFloat16));
}

TEST(RotaryEmbeddingTest, RefusesWhatDoesNotFit) {
  for (int64_t position : {int64_t{1}, int64_t{-1}, INT64_MAX, INT64_MIN}) {
    OpTest test("RotaryEmbedding", 23);
    test.Input(Iota({1, 1, 1, 2})).Input(Iota({1, 1})).Input(Iota({1, 1}));
    ExpectError(test.Input(Tensor::Of<int64_t>({1, 1}, {position})).Run().status(), kInvalid,
                "is outside of the caches' 1 rows");
  }
  OpTest heads("RotaryEmbedding", 23);
  heads.Input(Iota({1, 1, 2})).Input(Iota({1, 1, 1})).Input(Iota({1, 1, 1}));
  ExpectError(heads.Run().status(), kInvalid, "2 elements do not make 0 heads");
  OpTest caches("RotaryEmbedding", 23);
  caches.Input(Iota({1, 1, 1, 4})).Input(Iota({1, 1, 1})).Input(Iota({1, 1, 2}));
  ExpectError(caches.Run().status(), kInvalid, "must be (1, 1, 2)");
  OpTest odd("RotaryEmbedding", 23);
  odd.Input(Iota({1, 1, 1, 3})).Input(Iota({1, 1, 1})).Input(Iota({1, 1, 1}));
  ExpectError(odd.Run().status(), kInvalid, "cannot rotate 3 elements");
}

}  // namespace
}  // namespace onnxcmp::testing
