// The usual cases are golden ones, from onnxruntime.
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(MatMulIntegerToFloatTest, ParametersOfRowsAndColumns) {
  OpTest test = Contrib("MatMulIntegerToFloat");
  test.Input(Int8s({2, 2}, {1, 2, 3, 4})).Input(Int8s({2, 2}, {5, 6, 7, 8}));
  test.Input(Floats({1, 0.5f})).Input(Floats({2, 1})).Input(Int8s({2}, {1, 2}));
  test.Input(Int8s({2}, {5, 6})).Input(Floats({0.25f, -1}));
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
        return is_signed ? Int8s(shape, std::vector<int8_t>(bytes.begin(), bytes.end()))
                         : Uint8s(shape, bytes);
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
    test.Input(Uint8s({2}, {255, 255})).Input(Uint8s({2}, {255, 1}));
    test.Input(Convert(Tensor::Scalar(0.5f), dtype)).Input(Convert(Tensor::Scalar(0.25f), dtype));
    ExpectTensor(test.Run(), Convert(Tensor::Scalar(8160.0f), dtype));
  }
}

TEST(MatMulIntegerToFloatTest, BadInputs) {
  const auto run = [](const Tensor& b_scale, Value bias) {
    OpTest test = Contrib("MatMulIntegerToFloat");
    test.Input(Uint8s({1, 2}, {1, 2}))
        .Input(Uint8s({2, 2}, {1, 2, 3, 4}))
        .Input(Tensor::Scalar(1.0f));
    return test.Input(b_scale).NoInput().NoInput().Input(std::move(bias)).Run().status();
  };
  ExpectError(run(Floats({1, 2, 3}), Value()), kInvalid, "b's scale is float[3]");
  ExpectError(run(Floats({1, 2}), Floats({1})), kInvalid, "the bias is float[1]");
}

// quantize_dynamic(per_channel=True) writes a parameter for each element of a vector, which is one
// row or one column and so has one. onnxruntime refuses it, too.
TEST(MatMulIntegerToFloatTest, AParameterPerElementOfAVector) {
  const std::vector<uint8_t> many(1000, 1);
  const Tensor vector = Tensor::Of<uint8_t>({1000}, many);
  const Tensor scales = Tensor::Of<float>({1000}, std::vector<float>(1000, 0.5f));
  const Tensor one = Tensor::Scalar(1.0f);
  const auto run = [&](const Tensor& a_scale, const Tensor& b_scale, const Value& a_zero,
                       const Value& b_zero) {
    OpTest test = Contrib("MatMulIntegerToFloat");
    test.Input(vector).Input(vector).Input(a_scale).Input(b_scale);
    return test.Input(a_zero).Input(b_zero).Run().status();
  };
  const Value none = Tensor::Scalar<uint8_t>(0);
  ExpectError(run(one, scales, none, none), kInvalid, "b's scale is float[1000]");
  ExpectError(run(scales, one, none, none), kInvalid, "a's scale is float[1000]");
  ExpectError(run(one, one, none, vector), kInvalid, "the zero point is uint8[1000]");
  ExpectError(run(one, one, vector, none), kInvalid, "the zero point is uint8[1000]");
}

}  // namespace
}  // namespace onnxcmp::testing
