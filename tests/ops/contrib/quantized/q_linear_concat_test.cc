#include <cstdint>

#include "gtest/gtest.h"
#include "tests/ops/contrib/quantized/quantized_inputs.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(QLinearConcatTest, PartsOfOtherScales) {
  OpTest test = Contrib("QLinearConcat");
  test.Attr("axis", -1).Input(Tensor::Scalar(0.5f)).Input(Tensor::Scalar<uint8_t>(10));
  AddQuantized(test, Uint8s({2, 1}, {0, 255}), 0.5f, Tensor::Scalar<uint8_t>(10));
  AddQuantized(test, Uint8s({2, 0}, {}), 0.5f, Tensor::Scalar<uint8_t>(10));
  AddQuantized(test, Uint8s({2, 2}, {0, 1, 2, 200}), 1.0f, Tensor::Scalar<uint8_t>(1));
  ExpectTensor(test.Run(), Uint8s({2, 3}, {0, 8, 10, 255, 12, 255}));
}

TEST(QLinearConcatTest, BadParts) {
  OpTest test = Contrib("QLinearConcat");
  test.Attr("axis", 0).Input(Tensor::Scalar(0.5f)).Input(Tensor::Scalar<uint8_t>(10));
  OpTest half = test;
  ExpectError(half.Input(Uint8s({1}, {1})).Run().status(), kInvalid, "3 inputs are not");
  OpTest type = test;
  AddQuantized(type, Int8s({1}, {1}), 0.5f, Tensor::Scalar<int8_t>(0));
  ExpectError(type.Run().status(), kInvalid, "not uint8 with a float scale");
  OpTest zero = test;
  AddQuantized(zero, Uint8s({1}, {1}), 0.5f, Tensor::Scalar<int8_t>(0));
  ExpectError(zero.Run().status(), kInvalid, "the zero point, input 4, is int8");
  OpTest axis = test;
  axis.Attr("axis", 1);
  AddQuantized(axis, Uint8s({1}, {1}), 0.5f, Tensor::Scalar<uint8_t>(0));
  ExpectError(axis.Run().status(), kInvalid, "axis 1 is out of range");
}

}  // namespace
}  // namespace onnxcmp::testing
