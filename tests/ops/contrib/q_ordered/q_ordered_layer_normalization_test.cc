// onnxruntime has the operator for CUDA only. Expected values: NumPy, from the definition.
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(QOrderedLayerNormalizationTest, Values) {
  for (const DType dtype : {DType::kFloat, DType::kFloat16}) {
    OpTest test("QOrderedLayerNormalization", 1, "com.microsoft");
    test.Input(Int8s({2, 4}, {10, 20, -30, 40, 1, 1, 1, 1})).Input(Tensor::Scalar(0.1f));
    test.Input(Convert(Floats({1, 0.5f, 2, -1}), dtype));
    test.Input(Convert(Floats({0, 0.25f, -0.5f, 1}), dtype)).Input(Tensor::Scalar(0.05f));
    ExpectTensor(test.Run(), Int8s({2, 4}, {0, 9, -73, -4, 0, 5, -10, 20}));
  }
}

TEST(QOrderedLayerNormalizationTest, WithoutBias) {
  OpTest test("QOrderedLayerNormalization", 1, "com.microsoft");
  test.Attr("axis", 1).Input(Int8s({2, 4}, {10, 20, -30, 40, 1, 1, 1, 1}));
  test.Input(Tensor::Scalar(0.1f)).Input(Floats({1, 0.5f, 2, -1})).NoInput();
  test.Input(Tensor::Scalar(0.05f));
  ExpectTensor(test.Run(), Int8s({2, 4}, {0, 4, -63, -24, 0, 0, 0, 0}));
  test.Attr("axis", 0);
  ExpectError(test.Run().status(), kInvalid, "8 elements are normalized");
  test.Attr("order_X", 2);
  ExpectError(test.Run().status(), kUnimplemented, "order_X 2 is not supported");
}

}  // namespace
}  // namespace onnxcmp::testing
