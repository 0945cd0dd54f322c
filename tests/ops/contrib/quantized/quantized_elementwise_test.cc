#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

// QLinearAdd, QLinearMul, QLinearSigmoid, QLinearLeakyRelu, QLinearWhere, QLinearConcat,
// MulInteger.
namespace onnxcmp::testing {
namespace {

Tensor Uint8(const Shape& shape, const std::vector<uint8_t>& values) {
  return Tensor::Of<uint8_t>(shape, values);
}
Tensor Int8(const Shape& shape, const std::vector<int8_t>& values) {
  return Tensor::Of<int8_t>(shape, values);
}

// Values with a scale and a zero point.
OpTest& Quantized(OpTest& test, const Tensor& values, float scale, const Tensor& zero_point) {
  return test.Input(values).Input(Tensor::Scalar(scale)).Input(zero_point);
}

TEST(QLinearAddTest, TiesGoToEvenAndResultsSaturate) {
  OpTest test = Contrib("QLinearAdd");
  Quantized(test, Int8({4}, {1, 3, 127, -128}), 0.5f, Tensor::Scalar<int8_t>(0));
  Quantized(test, Int8({1}, {2}), 1.0f, Tensor::Scalar<int8_t>(2));
  test.Input(Tensor::Scalar(1.0f)).Input(Tensor::Scalar<int8_t>(-70));
  // 0.5, 1.5, 63.5, -64
  ExpectTensor(test.Run(), Int8({4}, {-70, -68, -6, -128}));
}

TEST(QLinearAddTest, ScalarsEmptyAndStrided) {
  OpTest scalars = Contrib("QLinearAdd");
  Quantized(scalars, Tensor::Scalar<uint8_t>(5), 1, Tensor::Scalar<uint8_t>(3));
  Quantized(scalars, Tensor::Scalar<uint8_t>(9), 2, Tensor::Scalar<uint8_t>(8));
  scalars.Input(Tensor::Scalar(1.0f));  // C's zero point is 0
  ExpectTensor(scalars.Run(), Tensor::Scalar<uint8_t>(4));

  OpTest empty = Contrib("QLinearAdd");
  Quantized(empty, Uint8({0, 2}, {}), 1, Tensor::Scalar<uint8_t>(3));
  Quantized(empty, Uint8({2}, {1, 2}), 2, Tensor::Scalar<uint8_t>(8));
  ExpectTensor(empty.Input(Tensor::Scalar(1.0f)).Run(), Uint8({0, 2}, {}));

  OpTest strided = Contrib("QLinearAdd");
  Quantized(strided, AsStridedView(Uint8({2, 2}, {1, 2, 3, 4})), 1, Tensor::Scalar<uint8_t>(0));
  Quantized(strided, Uint8({2}, {10, 20}), 1, Tensor::Scalar<uint8_t>(0));
  ExpectTensor(strided.Input(Tensor::Scalar(1.0f)).Run(), Uint8({2, 2}, {11, 22, 13, 24}));
}

TEST(QLinearAddTest, BadInputs) {
  OpTest vector_scale = Contrib("QLinearAdd");
  vector_scale.Input(Uint8({2}, {1, 2})).Input(Floats({1, 2})).NoInput();
  Quantized(vector_scale, Uint8({2}, {1, 2}), 1, Tensor::Scalar<uint8_t>(0));
  EXPECT_EQ(vector_scale.Input(Tensor::Scalar(1.0f)).Run().status().code(), kInvalid);

  OpTest shapes = Contrib("QLinearAdd");
  Quantized(shapes, Uint8({2}, {1, 2}), 1, Tensor::Scalar<uint8_t>(0));
  Quantized(shapes, Uint8({3}, {1, 2, 3}), 1, Tensor::Scalar<uint8_t>(0));
  EXPECT_EQ(shapes.Input(Tensor::Scalar(1.0f)).Run().status().code(), kInvalid);
}

TEST(QLinearMulTest, Broadcast) {
  OpTest test = Contrib("QLinearMul");
  Quantized(test, Uint8({2, 1}, {0, 14}), 0.5f, Tensor::Scalar<uint8_t>(10));
  Quantized(test, Uint8({3}, {100, 103, 255}), 1.0f, Tensor::Scalar<uint8_t>(100));
  test.Input(Tensor::Scalar(2.0f)).Input(Tensor::Scalar<uint8_t>(128));
  // -5 and 2, times 0, 3, 155
  ExpectTensor(test.Run(), Uint8({2, 3}, {128, 120, 0, 128, 131, 255}));
}

TEST(QLinearSigmoidTest, Extremes) {
  OpTest test = Contrib("QLinearSigmoid");
  Quantized(test, Int8({3}, {-128, 0, 127}), 1.0f, Tensor::Scalar<int8_t>(0));
  test.Input(Tensor::Scalar(1.0f / 256)).Input(Tensor::Scalar<int8_t>(-128));
  ExpectTensor(test.Run(), Int8({3}, {-128, 0, 127}));
}

TEST(QLinearLeakyReluTest, WithoutZeroPoints) {
  OpTest test = Contrib("QLinearLeakyRelu");
  test.Attr("alpha", 0.25f).Input(Int8({4}, {-100, -2, 0, 7})).Input(Tensor::Scalar(0.5f));
  test.NoInput().Input(Tensor::Scalar(0.5f));
  // -25, -0.5, 0, 7 steps
  ExpectTensor(test.Run(), Int8({4}, {-25, 0, 0, 7}));
}

TEST(QLinearWhereTest, ConditionDecidesTheShapeToo) {
  OpTest test = Contrib("QLinearWhere");
  test.Input(Bools({2, 1}, {1, 0}));
  Quantized(test, Int8({2}, {10, 20}), 0.5f, Tensor::Scalar<int8_t>(10));
  Quantized(test, Tensor::Scalar<int8_t>(4), 3.0f, Tensor::Scalar<int8_t>(0));
  test.Input(Tensor::Scalar(1.0f)).Input(Tensor::Scalar<int8_t>(1));
  ExpectTensor(test.Run(), Int8({2, 2}, {1, 6, 13, 13}));
}

TEST(QLinearConcatTest, PartsOfOtherScales) {
  OpTest test = Contrib("QLinearConcat");
  test.Attr("axis", -1).Input(Tensor::Scalar(0.5f)).Input(Tensor::Scalar<uint8_t>(10));
  Quantized(test, Uint8({2, 1}, {0, 255}), 0.5f, Tensor::Scalar<uint8_t>(10));
  Quantized(test, Uint8({2, 0}, {}), 0.5f, Tensor::Scalar<uint8_t>(10));
  Quantized(test, Uint8({2, 2}, {0, 1, 2, 200}), 1.0f, Tensor::Scalar<uint8_t>(1));
  ExpectTensor(test.Run(), Uint8({2, 3}, {0, 8, 10, 255, 12, 255}));
}

TEST(QLinearConcatTest, BadParts) {
  OpTest test = Contrib("QLinearConcat");
  test.Attr("axis", 0).Input(Tensor::Scalar(0.5f)).Input(Tensor::Scalar<uint8_t>(10));
  OpTest half = test;
  ExpectError(half.Input(Uint8({1}, {1})).Run().status(), kInvalid, "3 inputs are not");
  OpTest type = test;
  Quantized(type, Int8({1}, {1}), 0.5f, Tensor::Scalar<int8_t>(0));
  ExpectError(type.Run().status(), kInvalid, "not uint8 with a float scale");
  OpTest zero = test;
  Quantized(zero, Uint8({1}, {1}), 0.5f, Tensor::Scalar<int8_t>(0));
  ExpectError(zero.Run().status(), kInvalid, "the zero point, input 4, is int8");
  OpTest axis = test;
  axis.Attr("axis", 1);
  Quantized(axis, Uint8({1}, {1}), 0.5f, Tensor::Scalar<uint8_t>(0));
  ExpectError(axis.Run().status(), kInvalid, "axis 1 is out of range");
}

TEST(MulIntegerTest, Values) {
  OpTest test = Contrib("MulInteger");
  test.Input(Uint8({2, 1}, {10, 200})).Input(Tensor::Scalar<uint8_t>(20));
  test.Input(Uint8({3}, {5, 0, 255})).Input(Tensor::Scalar<uint8_t>(100));
  ExpectTensor(test.Run(), Tensor::Of<int32_t>({2, 3}, {950, 1000, -1550, -17100, -18000, 27900}));
  OpTest plain = Contrib("MulInteger");
  plain.Input(Int8({1}, {-128})).NoInput().Input(Int8({1}, {-128}));
  ExpectTensor(plain.Run(), Tensor::Of<int32_t>({1}, {16384}));
}

}  // namespace
}  // namespace onnxcmp::testing
