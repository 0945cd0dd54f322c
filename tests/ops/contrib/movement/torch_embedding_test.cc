#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Embedding(const Tensor& weight, const Tensor& indices) {
  OpTest test("TorchEmbedding", 1, "com.microsoft");
  test.Input(weight).Input(indices);
  return test;
}

TEST(ContribTorchEmbeddingTest, RowsOfTheTable) {
  OpTest test = Embedding(Iota({3, 2}), Tensor::Of<int64_t>({2, 1}, {2, 0}));
  test.Input(Tensor::Scalar<int64_t>(0)).Input(Tensor::Scalar<bool>(true));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 1, 2}, {4, 5, 0, 1}));
  ExpectTensor(Embedding(Iota({3, 2}), Ints({})).Run(), Iota({0, 2}));
}

TEST(ContribTorchEmbeddingTest, WrongInputs) {
  ExpectError(Embedding(Iota({3, 2}), Ints({3})).Run().status(), kInvalid, "index 3");
  ExpectError(Embedding(Iota({3, 2}), Ints({-1})).Run().status(), kInvalid, "index -1");
  ExpectError(Embedding(Iota({3}), Ints({0})).Run().status(), kInvalid, "matrix");
}

}  // namespace
}  // namespace onnxcmp::testing
