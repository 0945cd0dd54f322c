#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Extractor(const Tensor& x, const Tensor& indices) {
  OpTest test("ArrayFeatureExtractor", 1, "ai.onnx.ml");
  test.Input(x).Input(indices);
  return test;
}

TEST(ArrayFeatureExtractorTest, ColumnsOfAMatrix) {
  ExpectTensor(Extractor(Iota({2, 3}), Tensor::Of<int64_t>({2, 2}, {2, 0, 0, 1})).Run(),
               Tensor::Of<float>({2, 4}, {2, 0, 0, 1, 5, 3, 3, 4}));
  ExpectTensor(Extractor(AsStridedView(Iota({2, 3})), Tensor::Scalar<int64_t>(1)).Run(),
               Tensor::Of<float>({2, 1}, {1, 4}));
}

TEST(ArrayFeatureExtractorTest, AVectorGivesARow) {
  ExpectTensor(Extractor(Tensor::Of<std::string>({2}, {"a", "b"}), Ints({1, 1, 0})).Run(),
               Tensor::Of<std::string>({1, 3}, {"b", "b", "a"}));
}

TEST(ArrayFeatureExtractorTest, NothingToTake) {
  ExpectTensor(Extractor(Iota({2, 3}), Ints({})).Run(), Tensor::Of<float>({2, 0}, {}));
  ExpectTensor(Extractor(Tensor::Of<float>({0, 3}, {}), Ints({1})).Run(),
               Tensor::Of<float>({0, 1}, {}));
}

TEST(ArrayFeatureExtractorTest, BadIndices) {
  for (const int64_t index : {int64_t{3}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    ExpectError(Extractor(Iota({2, 3}), Ints({index})).Run().status(), kInvalid,
                "is out of range for 3 elements");
  }
  ExpectError(Extractor(Tensor::Scalar(1.0f), Ints({0})).Run().status(), kInvalid, "scalar");
}

}  // namespace
}  // namespace onnxcmp::testing
