#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

// QGemm, MatMulIntegerToFloat, DynamicQuantizeMatMul, MatMulInteger16, QLinearConv. Their usual
// cases are golden ones, from onnxruntime.
namespace onnxcmp::testing {
namespace {

Tensor Uint8(const Shape& shape, const std::vector<uint8_t>& values) {
  return Tensor::Of<uint8_t>(shape, values);
}
Tensor Int8(const Shape& shape, const std::vector<int8_t>& values) {
  return Tensor::Of<int8_t>(shape, values);
}

OpTest& Quantized(OpTest& test, const Tensor& values, const Tensor& scale,
                  const Tensor& zero_point) {
  return test.Input(values).Input(scale).Input(zero_point);
}

// A = [1 2 3; 4 5 6] - 1, B = [1 0; 2 1; 3 1], AB = [8 3; 26 9].
OpTest QGemm() {
  OpTest test = Contrib("QGemm");
  Quantized(test, Uint8({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::Scalar(0.5f),
            Tensor::Scalar<uint8_t>(1));
  return Quantized(test, Int8({3, 2}, {1, 0, 2, 1, 3, 1}), Floats({2, 4}), Int8({2}, {0, 0}));
}

TEST(QGemmTest, AlphaAppliesToAddend) {
  for (const Tensor& c : {Tensor::Of<int32_t>({2, 1}, {-8, 4}),
                          AsStridedView(Tensor::Of<int32_t>({2, 2}, {-8, -8, 4, 4}))}) {
    ExpectTensor(QGemm().Attr("alpha", 0.5f).Input(c).Run(),
                 Tensor::Of<float>({2, 2}, {0, -5, 15, 13}));
  }
}

TEST(QGemmTest, QuantizedResult) {
  const Tensor zero_point = Tensor::Scalar<uint8_t>(200);
  ExpectTensor(QGemm().NoInput().Input(Tensor::Scalar(0.25f)).Input(zero_point).Run(),
               Uint8({2, 2}, {232, 224, 255, 255}));
}

TEST(QGemmTest, EmptySum) {
  OpTest test = Contrib("QGemm");
  Quantized(test, Uint8({2, 0}, {}), Tensor::Scalar(0.5f), Tensor::Scalar<uint8_t>(1));
  Quantized(test, Uint8({0, 2}, {}), Tensor::Scalar(4.0f), Tensor::Scalar<uint8_t>(0));
  ExpectTensor(test.Input(Tensor::Of<int32_t>({2}, {3, -4})).Run(),
               Tensor::Of<float>({2, 2}, {6, -8, 6, -8}));
}

TEST(QGemmTest, BadInputs) {
  EXPECT_EQ(QGemm().Input(Tensor::Of<int32_t>({3}, {1, 2, 3})).Run().status().code(), kInvalid);
  ExpectError(QGemm().NoInput().Input(Tensor::Scalar(0.25f)).Run().status(), kInvalid,
              "y_scale and y_zero_point need each other");
  ExpectError(QGemm().Attr("transB", 1).Run().status(), kInvalid, "3 columns meet 2 rows");
  OpTest rank = Contrib("QGemm");
  Quantized(rank, Uint8({2}, {1, 2}), Tensor::Scalar(0.5f), Tensor::Scalar<uint8_t>(1));
  Quantized(rank, Uint8({2, 1}, {1, 2}), Tensor::Scalar(0.5f), Tensor::Scalar<uint8_t>(1));
  ExpectError(rank.Run().status(), kInvalid, "A and B must be matrices");
}

TEST(MatMulIntegerToFloatTest, ParametersOfRowsAndColumns) {
  OpTest test = Contrib("MatMulIntegerToFloat");
  test.Input(Int8({2, 2}, {1, 2, 3, 4})).Input(Int8({2, 2}, {5, 6, 7, 8}));
  test.Input(Floats({1, 0.5f})).Input(Floats({2, 1})).Input(Int8({2}, {1, 2}));
  test.Input(Int8({2}, {5, 6})).Input(Floats({0.25f, -1}));
  // (0 1; 1 2) (0 0; 2 2) = (2 2; 4 4)
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 2}, {4.25f, 1, 4.25f, 1}));
}

// From one row to more than those that are multiplied without packing; columns that fill no vector
// and several tasks, an odd depth, signed and not.
TEST(MatMulIntegerToFloatTest, AnyNumberOfRows) {
  constexpr int64_t kDepth = 19;
  constexpr int64_t kColumns = 530;
  const Tensor one = Tensor::Scalar(1.0f);
  const auto value = [](int64_t i) { return static_cast<uint8_t>(i * 7919 % 256); };
  for (const bool is_signed : {false, true}) {
    const auto as_number = [&](uint8_t bits) {
      return is_signed ? int64_t{static_cast<int8_t>(bits)} : int64_t{bits};
    };
    for (const int64_t rows : {1, 4, 5}) {
      std::vector<uint8_t> a, b, zeros;
      for (int64_t i = 0; i < rows * kDepth; ++i) a.push_back(value(i));
      for (int64_t i = 0; i < kDepth * kColumns; ++i) b.push_back(value(i + 3));
      for (int64_t i = 0; i < kColumns; ++i) zeros.push_back(value(i + 5));
      std::vector<float> want;
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < kColumns; ++j) {
          int64_t sum = 0;
          for (int64_t k = 0; k < kDepth; ++k) {
            sum += (as_number(a[static_cast<size_t>(i * kDepth + k)]) - 7) *
                   (as_number(b[static_cast<size_t>(k * kColumns + j)]) -
                    as_number(zeros[static_cast<size_t>(j)]));
          }
          want.push_back(static_cast<float>(sum));
        }
      }
      const auto tensor = [&](const Shape& shape, const std::vector<uint8_t>& bytes) {
        return is_signed ? Int8(shape, std::vector<int8_t>(bytes.begin(), bytes.end()))
                         : Uint8(shape, bytes);
      };
      OpTest test = Contrib("MatMulIntegerToFloat");
      test.Input(tensor({rows, kDepth}, a)).Input(tensor({kDepth, kColumns}, b));
      test.Input(one).Input(one).Input(tensor({}, {7})).Input(tensor({kColumns}, zeros));
      ExpectTensor(test.Run(), Tensor::Of<float>({rows, kColumns}, want));
    }
  }
}

TEST(MatMulIntegerToFloatTest, VectorsAndTypes) {
  for (const DType dtype : {DType::kFloat, DType::kFloat16, DType::kDouble}) {
    OpTest test = Contrib("MatMulIntegerToFloat");
    test.Input(Uint8({2}, {255, 255})).Input(Uint8({2}, {255, 1}));
    test.Input(Convert(Tensor::Scalar(0.5f), dtype)).Input(Convert(Tensor::Scalar(0.25f), dtype));
    ExpectTensor(test.Run(), Convert(Tensor::Scalar(8160.0f), dtype));
  }
}

TEST(MatMulIntegerToFloatTest, BadInputs) {
  const auto run = [](const Tensor& b_scale, Value bias) {
    OpTest test = Contrib("MatMulIntegerToFloat");
    test.Input(Uint8({1, 2}, {1, 2}))
        .Input(Uint8({2, 2}, {1, 2, 3, 4}))
        .Input(Tensor::Scalar(1.0f));
    return test.Input(b_scale).NoInput().NoInput().Input(std::move(bias)).Run().status();
  };
  ExpectError(run(Floats({1, 2, 3}), Value()), kInvalid, "b's scale is float[3]");
  ExpectError(run(Floats({1, 2}), Floats({1})), kInvalid, "the bias is float[1]");
}

TEST(DynamicQuantizeMatMulTest, RangeHoldsZero) {
  // A is 51 ... 255 steps of 1 / 255 from 0.
  OpTest test = Contrib("DynamicQuantizeMatMul");
  test.Input(Floats({0.2f, 1})).Input(Int8({2, 1}, {1, 2})).Input(Tensor::Scalar(255.0f));
  ExpectTensor(test.Run(), Floats({51 + 510}), 1e-6);
}

TEST(DynamicQuantizeMatMulTest, NothingAndZeros) {
  OpTest empty = Contrib("DynamicQuantizeMatMul");
  empty.Input(Tensor::Of<float>({2, 0}, {})).Input(Int8({0, 1}, {})).Input(Tensor::Scalar(1.0f));
  ExpectTensor(empty.Run(), Tensor::Of<float>({2, 1}, {0, 0}));
  OpTest zeros = Contrib("DynamicQuantizeMatMul");
  zeros.Input(Floats({0, 0})).Input(Int8({2, 1}, {1, 2})).Input(Tensor::Scalar(255.0f));
  ExpectTensor(zeros.NoInput().Input(Floats({7})).Run(), Floats({7}));
}

TEST(MatMulInteger16Test, Wraps) {
  const Tensor low = Tensor::Of<int16_t>({2}, {-32768, -32768});
  ExpectTensor(Contrib("MatMulInteger16").Input(low).Input(low).Run(),
               Tensor::Scalar<int32_t>(INT32_MIN));
  const Tensor high = Tensor::Of<uint16_t>({1}, {65535});
  ExpectTensor(Contrib("MatMulInteger16").Input(high).Input(high).Run(),
               Tensor::Scalar<uint32_t>(4294836225));
  ExpectTensor(Contrib("MatMulInteger16").Input(high).Input(Tensor::Of<int16_t>({1}, {-2})).Run(),
               Tensor::Scalar<int32_t>(-131070));
}

// Two channels that are the sums and differences of two others, of 1 x 2 pixels.
TEST(QLinearConvTest, ChannelsLast) {
  for (const int channels_last : {0, 1}) {
    OpTest test = Contrib("QLinearConv");
    const Shape shape = channels_last != 0 ? Shape{1, 1, 2, 2} : Shape{1, 2, 1, 2};
    test.Attr("channels_last", channels_last);
    Quantized(test, Uint8(shape, {11, 12, 13, 14}), Tensor::Scalar(1.0f),
              Tensor::Scalar<uint8_t>(10));
    Quantized(test, Int8({2, 2, 1, 1}, {1, 1, 1, -1}), Floats({1, 2}), Int8({2}, {0, 0}));
    test.Input(Tensor::Scalar(0.5f)).Input(Tensor::Scalar<uint8_t>(100));
    test.Input(Tensor::Of<int32_t>({2}, {0, 1}));
    ExpectTensor(test.Run(),
                 Uint8(shape, channels_last != 0 ? std::vector<uint8_t>{106, 100, 114, 100}
                                                 : std::vector<uint8_t>{108, 112, 96, 96}));
  }
}

TEST(QLinearConvTest, BadInputs) {
  OpTest test = Contrib("QLinearConv");
  test.Attr("channels_last", 1);
  Quantized(test, Uint8({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::Scalar(1.0f),
            Tensor::Scalar<uint8_t>(10));
  Quantized(test, Int8({1, 3}, {1, 1, 1}), Tensor::Scalar(1.0f), Tensor::Scalar<int8_t>(0));
  test.Input(Tensor::Scalar(0.5f)).Input(Tensor::Scalar<uint8_t>(100));
  EXPECT_EQ(test.Run().status().code(), kInvalid);
}

}  // namespace
}  // namespace onnxcmp::testing
