#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Inverse(const Tensor& x) {
  OpTest test("Inverse", 1, "com.microsoft");
  test.Input(x);
  return test;
}

// The second matrix needs a pivot.
TEST(ContribInverseTest, BatchOfMatrices) {
  const Tensor x = Tensor::Of<float>({2, 2, 2}, {2, 1, 1, 1, 0, 2, 4, 0});
  const Tensor want = Tensor::Of<float>({2, 2, 2}, {1, -1, -1, 2, 0, 0.25f, 0.5f, 0});
  ExpectTensor(Inverse(x).Run(), want);
  ExpectTensor(Inverse(Convert(x, DType::kDouble)).Run(), Convert(want, DType::kDouble));
  ExpectTensor(Inverse(Convert(x, DType::kFloat16)).Run(), Convert(want, DType::kFloat16));
}

TEST(ContribInverseTest, SingularAndEmpty) {
  ExpectTensor(Inverse(Tensor::Of<float>({1, 1}, {0})).Run(), Tensor::Of<float>({1, 1}, {kInf}));
  ExpectTensor(Inverse(Tensor::Of<float>({3, 0, 0}, {})).Run(), Tensor::Of<float>({3, 0, 0}, {}));
}

TEST(ContribInverseTest, OnlySquareMatrices) {
  ExpectError(Inverse(Tensor::Of<float>({1, 2}, {1, 2})).Run().status(), kInvalid, "square");
  ExpectError(Inverse(Floats({1})).Run().status(), kInvalid, "square");
}

}  // namespace
}  // namespace onnxcmp::testing
