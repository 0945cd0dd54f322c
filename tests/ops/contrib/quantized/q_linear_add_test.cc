#include <cstdint>

#include "gtest/gtest.h"
#include "tests/ops/contrib/quantized/quantized_inputs.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(QLinearAddTest, TiesGoToEvenAndResultsSaturate) {
  OpTest test = Contrib("QLinearAdd");
  AddQuantized(test, Int8s({4}, {1, 3, 127, -128}), 0.5f, Tensor::Scalar<int8_t>(0));
  AddQuantized(test, Int8s({1}, {2}), 1.0f, Tensor::Scalar<int8_t>(2));
  test.Input(Tensor::Scalar(1.0f)).Input(Tensor::Scalar<int8_t>(-70));
  // 0.5, 1.5, 63.5, -64
  ExpectTensor(test.Run(), Int8s({4}, {-70, -68, -6, -128}));
}

TEST(QLinearAddTest, ScalarsEmptyAndStrided) {
  OpTest scalars = Contrib("QLinearAdd");
  AddQuantized(scalars, Tensor::Scalar<uint8_t>(5), 1, Tensor::Scalar<uint8_t>(3));
  AddQuantized(scalars, Tensor::Scalar<uint8_t>(9), 2, Tensor::Scalar<uint8_t>(8));
  scalars.Input(Tensor::Scalar(1.0f));  // C's zero point is 0
  ExpectTensor(scalars.Run(), Tensor::Scalar<uint8_t>(4));

  OpTest empty = Contrib("QLinearAdd");
  AddQuantized(empty, Uint8s({0, 2}, {}), 1, Tensor::Scalar<uint8_t>(3));
  AddQuantized(empty, Uint8s({2}, {1, 2}), 2, Tensor::Scalar<uint8_t>(8));
  ExpectTensor(empty.Input(Tensor::Scalar(1.0f)).Run(), Uint8s({0, 2}, {}));

  OpTest strided = Contrib("QLinearAdd");
  AddQuantized(strided, AsStridedView(Uint8s({2, 2}, {1, 2, 3, 4})), 1, Tensor::Scalar<uint8_t>(0));
  AddQuantized(strided, Uint8s({2}, {10, 20}), 1, Tensor::Scalar<uint8_t>(0));
  ExpectTensor(strided.Input(Tensor::Scalar(1.0f)).Run(), Uint8s({2, 2}, {11, 22, 13, 24}));
}

TEST(QLinearAddTest, BadInputs) {
  OpTest vector_scale = Contrib("QLinearAdd");
  vector_scale.Input(Uint8s({2}, {1, 2})).Input(Floats({1, 2})).NoInput();
  AddQuantized(vector_scale, Uint8s({2}, {1, 2}), 1, Tensor::Scalar<uint8_t>(0));
  EXPECT_EQ(vector_scale.Input(Tensor::Scalar(1.0f)).Run().status().code(), kInvalid);

  OpTest shapes = Contrib("QLinearAdd");
  AddQuantized(shapes, Uint8s({2}, {1, 2}), 1, Tensor::Scalar<uint8_t>(0));
  AddQuantized(shapes, Uint8s({3}, {1, 2, 3}), 1, Tensor::Scalar<uint8_t>(0));
  EXPECT_EQ(shapes.Input(Tensor::Scalar(1.0f)).Run().status().code(), kInvalid);
}

}  // namespace
}  // namespace onnxcmp::testing
