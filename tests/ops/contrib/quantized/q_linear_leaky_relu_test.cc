#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(QLinearLeakyReluTest, WithoutZeroPoints) {
  OpTest test = Contrib("QLinearLeakyRelu");
  test.Attr("alpha", 0.25f).Input(Int8s({4}, {-100, -2, 0, 7})).Input(Tensor::Scalar(0.5f));
  test.NoInput().Input(Tensor::Scalar(0.5f));
  // -25, -0.5, 0, 7 steps
  ExpectTensor(test.Run(), Int8s({4}, {-25, 0, 0, 7}));
}

}  // namespace
}  // namespace onnxcmp::testing
