#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest CDist(const Tensor& a, const Tensor& b) {
  OpTest test("CDist", 1, "com.microsoft");
  test.Input(a).Input(b);
  return test;
}

const std::vector<float> kA = {0, 0, 3, 4};
const std::vector<float> kB = {0, 0, 0, 4, 6, 8};

TEST(ContribCDistTest, SquaredByDefault) {
  ExpectTensor(CDist(Tensor::Of<float>({2, 2}, kA), Tensor::Of<float>({3, 2}, kB)).Run(),
               Tensor::Of<float>({2, 3}, {0, 16, 100, 25, 9, 25}));
}

TEST(ContribCDistTest, EuclideanInDouble) {
  const Tensor a = Convert(Tensor::Of<float>({2, 2}, kA), DType::kDouble);
  const Tensor b = Convert(Tensor::Of<float>({3, 2}, kB), DType::kDouble);
  ExpectTensor(CDist(a, b).Attr("metric", "euclidean").Run(),
               Tensor::Of<double>({2, 3}, {0, 4, 10, 5, 3, 5}));
}

TEST(ContribCDistTest, EmptyMatrices) {
  ExpectTensor(CDist(Tensor::Of<float>({0, 2}, {}), Tensor::Of<float>({3, 2}, kB)).Run(),
               Tensor::Of<float>({0, 3}, {}));
  ExpectTensor(CDist(Tensor::Of<float>({1, 0}, {}), Tensor::Of<float>({2, 0}, {})).Run(),
               Tensor::Of<float>({1, 2}, {0, 0}));
}

TEST(ContribCDistTest, OtherMetricsAndShapesAreRefused) {
  const Tensor a = Tensor::Of<float>({2, 2}, kA);
  ExpectError(CDist(a, a).Attr("metric", "cosine").Run().status(), kUnimplemented, "metric");
  ExpectError(CDist(a, Tensor::Of<float>({4, 1}, kA)).Run().status(), kInvalid,
              "rows of one length");
}

}  // namespace
}  // namespace onnxcmp::testing
