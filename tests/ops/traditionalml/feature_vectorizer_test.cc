#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are onnxruntime 1.31's, unless a test says otherwise.
OpTest Vectorizer(const std::vector<Tensor>& inputs, const std::vector<int64_t>& dimensions) {
  OpTest test("FeatureVectorizer", 1, "ai.onnx.ml");
  for (const Tensor& input : inputs) test.Input(input);
  if (!dimensions.empty()) test.Attr("inputdimensions", dimensions);
  return test;
}

TEST(FeatureVectorizerTest, ColumnsSideBySide) {
  const std::vector<Tensor> inputs = {Iota({2, 2}), Tensor::Of<float>({2, 1}, {8, 9})};
  ExpectTensor(Vectorizer(inputs, {2, 1}).Run(), Tensor::Of<float>({2, 3}, {0, 1, 8, 2, 3, 9}));
  ExpectTensor(Vectorizer(inputs, {1, 3}).Run(),
               Tensor::Of<float>({2, 4}, {0, 8, 0, 0, 2, 9, 0, 0}));
  // The text: the inputs as they are.
  ExpectTensor(Vectorizer(inputs, {}).Run(), Tensor::Of<float>({2, 3}, {0, 1, 8, 2, 3, 9}));
}

TEST(FeatureVectorizerTest, VectorsAreRows) {
  ExpectTensor(Vectorizer({Ints({1, 2}), Ints({3})}, {2, 1}).Run(),
               Tensor::Of<float>({1, 3}, {1, 2, 3}));
}

TEST(FeatureVectorizerTest, Errors) {
  ExpectError(Vectorizer({Iota({2, 2}), Iota({1, 2})}, {2, 2}).Run().status(), kInvalid,
              "input 1 has 1 rows, input 0 has 2");
  ExpectError(Vectorizer({Iota({2, 2})}, {2, 2}).Run().status(), kInvalid,
              "2 inputdimensions for 1 inputs");
  ExpectError(Vectorizer({Iota({2, 2})}, {-1}).Run().status(), kInvalid, "negative");
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  ExpectError(Vectorizer({Iota({1, 2}), Iota({1, 2})}, {kMax, kMax}).Run().status(), kInvalid,
              "too many");
}

}  // namespace
}  // namespace onnxcmp::testing
