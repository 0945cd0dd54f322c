// onnxruntime has the operator for CUDA only. Expected values: NumPy, from the definition.
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(QOrderedGeluTest, Values) {
  OpTest test("QOrderedGelu", 1, "com.microsoft");
  test.Input(Int8s({7}, {-128, -40, -10, 0, 1, 30, 127}));
  test.Input(Tensor::Scalar(0.05f)).Input(Tensor::Scalar(0.02f));
  ExpectTensor(test.Run(), Int8s({7}, {0, -2, -8, 0, 1, 70, 127}));
  test.Attr("order_X", 2).Attr("order_Y", 1);
  ExpectError(test.Run().status(), kInvalid, "order_X is 2, but order_Y 1");
}

}  // namespace
}  // namespace onnxcmp::testing
