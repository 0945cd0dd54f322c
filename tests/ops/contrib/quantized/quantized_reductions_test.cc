#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

// QLinearSoftmax, QLinearAveragePool, QLinearGlobalAveragePool, QLinearReduceMean,
// ReduceSumInteger.
namespace onnxcmp::testing {
namespace {

Tensor Uint8(const Shape& shape, const std::vector<uint8_t>& values) {
  return Tensor::Of<uint8_t>(shape, values);
}
Tensor Int8(const Shape& shape, const std::vector<int8_t>& values) {
  return Tensor::Of<int8_t>(shape, values);
}

// X, its scale and zero point, scale and zero point of the result.
OpTest Contrib(const char* name, const Tensor& x, float scale, const Tensor& zero_point,
               float result_scale, const Tensor& result_zero) {
  OpTest test(name, 1, "com.microsoft");
  test.Input(x).Input(Tensor::Scalar(scale)).Input(zero_point);
  test.Input(Tensor::Scalar(result_scale)).Input(result_zero);
  return test;
}

// Values: onnxruntime 1.31, which multiplies with floor(1 / 0.0066) = 151.
TEST(QLinearSoftmaxTest, ScaleIsInvertedAndCut) {
  const Tensor zero = Tensor::Scalar<uint8_t>(100);
  ExpectTensor(Contrib("QLinearSoftmax", Uint8({1, 3}, {5, 100, 250}), 0.02f, zero, 0.0066f, zero)
                   .Attr("opset", 13)
                   .Run(),
               Uint8({1, 3}, {101, 107, 243}));
}

TEST(QLinearSoftmaxTest, BadAttributes) {
  const Tensor zero = Tensor::Scalar<uint8_t>(0);
  OpTest test = Contrib("QLinearSoftmax", Uint8({3}, {5, 100, 250}), 0.02f, zero, 0.5f, zero);
  test.Attr("opset", 0);
  ExpectError(test.Run().status(), kInvalid, "opset is 0");
  test.Attr("opset", 13).Attr("axis", 1);
  ExpectError(test.Run().status(), kInvalid, "axis 1 is out of range");
}

TEST(QLinearSoftmaxTest, Empty) {
  const Tensor zero = Tensor::Scalar<int8_t>(0);
  OpTest test = Contrib("QLinearSoftmax", Int8({0, 3}, {}), 0.02f, zero, 0.5f, zero);
  ExpectTensor(test.Attr("opset", 11).Run(), Int8({0, 3}, {}));
}

// The second window of ceil_mode goes beyond the padding: a sum is divided by 3 all the same.
TEST(QLinearAveragePoolTest, CountedPadding) {
  const Tensor zero = Tensor::Scalar<int8_t>(0);
  for (const int count_include_pad : {0, 1}) {
    OpTest test =
        Contrib("QLinearAveragePool", Int8({1, 1, 4}, {30, 30, 30, 30}), 1, zero, 1, zero);
    test.Attr("kernel_shape", std::vector<int64_t>{3}).Attr("strides", std::vector<int64_t>{3});
    test.Attr("ceil_mode", 1).Attr("count_include_pad", count_include_pad);
    ExpectTensor(test.Run(), Int8({1, 1, 2}, count_include_pad != 0 ? std::vector<int8_t>{30, 10}
                                                                    : std::vector<int8_t>{30, 30}));
  }
}

TEST(QLinearAveragePoolTest, BadInputs) {
  const Tensor zero = Tensor::Scalar<int8_t>(0);
  OpTest test = Contrib("QLinearAveragePool", Int8({1, 4}, {1, 2, 3, 4}), 1, zero, 1, zero);
  test.Attr("kernel_shape", std::vector<int64_t>{}).Attr("channels_last", 1);
  EXPECT_EQ(test.Run().status().code(), kInvalid);
}

TEST(QLinearGlobalAveragePoolTest, ChannelsLast) {
  const Tensor zero = Tensor::Scalar<uint8_t>(1);
  OpTest test =
      Contrib("QLinearGlobalAveragePool", Uint8({1, 2, 1, 2}, {1, 2, 5, 7}), 1, zero, 0.5f, zero);
  ExpectTensor(test.Attr("channels_last", 1).Run(), Uint8({1, 1, 1, 2}, {5, 8}));
  ExpectTensor(test.Attr("channels_last", 0).Run(), Uint8({1, 2, 1, 1}, {2, 11}));
}

TEST(QLinearGlobalAveragePoolTest, NothingSpatial) {
  const Tensor zero = Tensor::Scalar<uint8_t>(1);
  ExpectError(
      Contrib("QLinearGlobalAveragePool", Uint8({1, 2}, {1, 2}), 1, zero, 1, zero).Run().status(),
      kInvalid, "rank of at least 3");
}

// onnxruntime has no kernel of the next two: values from NumPy.
TEST(QLinearReduceMeanTest, Values) {
  OpTest test = Contrib("QLinearReduceMean", Int8({2, 3}, {10, 20, -30, 1, 2, 4}), 0.5f,
                        Tensor::Scalar<int8_t>(2), 0.25f, Tensor::Scalar<int8_t>(-1));
  test.Attr("axes", std::vector<int64_t>{-1}).Attr("keepdims", 0);
  ExpectTensor(test.Run(), Int8({2}, {-5, 0}));
  test.Attr("axes", std::vector<int64_t>{}).Attr("keepdims", 1);
  ExpectTensor(test.Run(), Int8({1, 1}, {-3}));
  test.Attr("axes", std::vector<int64_t>{2});
  ExpectError(test.Run().status(), kInvalid, "axis 2 is out of range");
}

TEST(ReduceSumIntegerTest, Values) {
  OpTest test("ReduceSumInteger", 1, "com.microsoft");
  test.Attr("axes", std::vector<int64_t>{1}).Attr("keepdims", 1);
  ExpectTensor(test.Input(Int8({2, 2}, {100, 100, -128, -128})).Run(),
               Tensor::Of<int32_t>({2, 1}, {200, -256}));
  OpTest all("ReduceSumInteger", 1, "com.microsoft");
  all.Attr("axes", std::vector<int64_t>{}).Attr("keepdims", 0);
  ExpectTensor(all.Input(Uint8({3}, {255, 255, 255})).Run(), Tensor::Scalar<uint32_t>(765));
}

}  // namespace
}  // namespace onnxcmp::testing
