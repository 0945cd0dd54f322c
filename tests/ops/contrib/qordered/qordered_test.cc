#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

// onnxruntime has these operators for CUDA only. Expected values: NumPy, from the definitions.
namespace onnxcmp::testing {
namespace {

Tensor Int8(const Shape& shape, const std::vector<int8_t>& values) {
  return Tensor::Of<int8_t>(shape, values);
}

// Element i is (i * step) % modulus - shift.
Tensor Int8Pattern(const Shape& shape, int step, int modulus, int shift) {
  std::vector<int8_t> values(static_cast<size_t>(*NumElements(shape)));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int8_t>(static_cast<int>(i) * step % modulus - shift);
  }
  return Int8(shape, values);
}

// A matrix of rows x 32 with distinct elements modulo 256, quantized to an order.
absl::StatusOr<Tensor> QuantizedTo(int order, const Tensor& x) {
  OpTest test("QuantizeWithOrder", 1, "com.microsoft");
  test.Attr("order_input", 1).Attr("order_output", order).Input(x).Input(Tensor::Scalar(1.0f));
  return test.Run();
}

TEST(QuantizeWithOrderTest, RoundsToEvenAndSaturates) {
  OpTest test("QuantizeWithOrder", 1, "com.microsoft");
  test.Attr("order_input", 1).Attr("order_output", 1);
  test.Input(Floats({0.25f, 0.75f, -0.25f, 100, -100})).Input(Tensor::Scalar(0.5f));
  ExpectTensor(test.Run(), Int8({5}, {0, 2, 0, 127, -128}));
}

TEST(QuantizeWithOrderTest, Columns) {
  ExpectTensor(QuantizedTo(0, Iota({2, 2, 3})),
               Int8({2, 2, 3}, {0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}));
}

// Where single elements go: the formulas of NVIDIA's documentation of cublasLtOrder_t and of
// onnxruntime's tests.
TEST(QuantizeWithOrderTest, Tiles) {
  struct Place {
    int order;
    int64_t rows, columns, row, column, index;
  };
  for (const Place& place :
       {Place{2, 3, 64, 1, 5, 37}, Place{2, 3, 64, 2, 33, 96 + 65}, Place{3, 8, 64, 1, 0, 128},
        Place{3, 8, 64, 3, 5, 128 + 16 + 4 + 1}, Place{3, 16, 64, 10, 34, 3 * 256 + 4 + 2},
        Place{4, 32, 32, 1, 0, 32}, Place{4, 32, 32, 2, 3, 256 + 3}, Place{4, 32, 32, 8, 0, 64},
        Place{4, 64, 64, 63, 63, 4 * 1024 - 1}}) {
    SCOPED_TRACE(place.order);
    std::vector<float> values(static_cast<size_t>(place.rows * place.columns));
    values[static_cast<size_t>(place.row * place.columns + place.column)] = 7;
    std::vector<int8_t> want(values.size());
    want[static_cast<size_t>(place.index)] = 7;
    const Shape shape = {place.rows, place.columns};
    ExpectTensor(QuantizedTo(place.order, Tensor::Of<float>(shape, values)), Int8(shape, want));
  }
}

TEST(QuantizeWithOrderTest, WhatDoesNotFit) {
  ExpectError(QuantizedTo(2, Iota({2, 31})).status(), kInvalid, "do not fill");
  ExpectError(QuantizedTo(4, Iota({16, 32})).status(), kInvalid, "tiles of 32 x 32");
  ExpectError(QuantizedTo(5, Iota({2, 2})).status(), kInvalid, "order_output 5 is no order");
  ExpectError(QuantizedTo(0, Tensor::Scalar(1.0f)).status(), kInvalid, "a scalar is no matrix");
  ExpectTensor(QuantizedTo(2, Iota({0, 32})), Int8({0, 32}, {}));
}

TEST(DequantizeWithOrderTest, UndoesTheOrder) {
  for (int order = 0; order <= 4; ++order) {
    SCOPED_TRACE(order);
    const Tensor x = Pattern({2, 32, 64}, 7, 255, 254);
    const Tensor whole = Convert(Convert(x, DType::kInt8), DType::kFloat);
    const absl::StatusOr<Tensor> moved = QuantizedTo(order, whole);
    ASSERT_TRUE(moved.ok()) << moved.status();
    OpTest test("DequantizeWithOrder", 1, "com.microsoft");
    test.Attr("order_input", order).Attr("order_output", 1).Attr("to", 10);
    test.Input(*moved).Input(Tensor::Scalar(1.0f));
    ExpectTensor(test.Run(), Convert(whole, DType::kFloat16));
  }
}

TEST(DequantizeWithOrderTest, Type) {
  OpTest test("DequantizeWithOrder", 1, "com.microsoft");
  test.Attr("order_input", 1).Attr("order_output", 1).Attr("to", 11);
  ExpectError(test.Input(Int8({1}, {2})).Input(Tensor::Scalar(0.5f)).Run().status(), kInvalid,
              "to 11 is neither float");
}

OpTest QOrderedMatMul(int order_b = 0) {
  OpTest test("QOrderedMatMul", 1, "com.microsoft");
  test.Attr("order_A", 1).Attr("order_B", order_b).Attr("order_Y", 1);
  return test;
}

TEST(QOrderedMatMulTest, BiasAndAddend) {
  const Tensor b = Int8({3, 2}, {1, 3, -5, -2, 4, 60});  // in column-major order
  for (const bool batched : {false, true}) {
    for (const bool with_c : {false, true}) {
      OpTest test = QOrderedMatMul();
      test.Input(Int8(batched ? Shape{1, 2, 3} : Shape{2, 3}, {10, -20, 30, 127, -128, 5}));
      test.Input(Tensor::Scalar(0.5f)).Input(b).Input(Floats({0.25f, 0.1f}));
      test.Input(Tensor::Scalar(0.75f)).Input(Floats({1.5f, -2.25f}));
      if (with_c) {
        test.Input(Int8({2, 2}, {4, -8, 100, -100})).Input(Tensor::Scalar(0.125f));
      }
      ExpectTensor(test.Run(), Int8(batched ? Shape{1, 2, 2} : Shape{2, 2},
                                    with_c ? std::vector<int8_t>{-31, 109, -28, -51}
                                           : std::vector<int8_t>{-31, 110, -45, -34}));
    }
  }
}

TEST(QOrderedMatMulTest, MatricesOfABatch) {
  OpTest test = QOrderedMatMul();
  test.Input(Int8({2, 1, 2}, {1, 2, 3, 4})).Input(Tensor::Scalar(1.0f));
  test.Input(Int8({2, 2, 1}, {5, 6, 7, 8})).Input(Tensor::Scalar(1.0f)).Input(Tensor::Scalar(1.0f));
  ExpectTensor(test.Run(), Int8({2, 1, 1}, {17, 53}));
}

TEST(QOrderedMatMulTest, Refused) {
  const Tensor a = Int8({2, 2}, {1, 2, 3, 4});
  const Tensor one = Tensor::Scalar(1.0f);
  ExpectError(QOrderedMatMul(3).Input(a).Input(one).Input(a).Input(one).Input(one).Run().status(),
              kUnimplemented, "order_B 3 is not supported");
  ExpectError(QOrderedMatMul()
                  .Input(a)
                  .Input(one)
                  .Input(Int8({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
                  .Input(one)
                  .Input(one)
                  .Run()
                  .status(),
              kInvalid, "A is int8[2,2], but B");
  OpTest addend = QOrderedMatMul();
  addend.Input(a).Input(one).Input(a).Input(one).Input(one).NoInput();
  addend.Input(Int8({1, 2}, {1, 2})).Input(one);
  ExpectError(addend.Run().status(), kInvalid, "C is int8[1,2]");
}

TEST(QOrderedGeluTest, Values) {
  OpTest test("QOrderedGelu", 1, "com.microsoft");
  test.Input(Int8({7}, {-128, -40, -10, 0, 1, 30, 127}));
  test.Input(Tensor::Scalar(0.05f)).Input(Tensor::Scalar(0.02f));
  ExpectTensor(test.Run(), Int8({7}, {0, -2, -8, 0, 1, 70, 127}));
  test.Attr("order_X", 2).Attr("order_Y", 1);
  ExpectError(test.Run().status(), kInvalid, "order_X is 2, but order_Y 1");
}

TEST(QOrderedLayerNormalizationTest, Values) {
  for (const DType dtype : {DType::kFloat, DType::kFloat16}) {
    OpTest test("QOrderedLayerNormalization", 1, "com.microsoft");
    test.Input(Int8({2, 4}, {10, 20, -30, 40, 1, 1, 1, 1})).Input(Tensor::Scalar(0.1f));
    test.Input(Convert(Floats({1, 0.5f, 2, -1}), dtype));
    test.Input(Convert(Floats({0, 0.25f, -0.5f, 1}), dtype)).Input(Tensor::Scalar(0.05f));
    ExpectTensor(test.Run(), Int8({2, 4}, {0, 9, -73, -4, 0, 5, -10, 20}));
  }
}

TEST(QOrderedLayerNormalizationTest, WithoutBias) {
  OpTest test("QOrderedLayerNormalization", 1, "com.microsoft");
  test.Attr("axis", 1).Input(Int8({2, 4}, {10, 20, -30, 40, 1, 1, 1, 1}));
  test.Input(Tensor::Scalar(0.1f)).Input(Floats({1, 0.5f, 2, -1})).NoInput();
  test.Input(Tensor::Scalar(0.05f));
  ExpectTensor(test.Run(), Int8({2, 4}, {0, 4, -63, -24, 0, 0, 0, 0}));
  test.Attr("axis", 0);
  ExpectError(test.Run().status(), kInvalid, "8 elements are normalized");
  test.Attr("order_X", 2);
  ExpectError(test.Run().status(), kUnimplemented, "order_X 2 is not supported");
}

// Batch 2, 3 tokens, 2 heads of 2.
OpTest QOrderedAttention() {
  OpTest test("QOrderedAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2).Attr("order_input", 1).Attr("order_weight", 0).Attr("order_output", 1);
  test.Input(Int8Pattern({2, 3, 4}, 37, 255, 127)).Input(Tensor::Scalar(0.02f));
  for (const float scale : {0.03f, 0.04f, 0.05f}) test.Input(Tensor::Scalar(scale));
  test.Input(
      Int8({4, 4}, {-100, 16, -69, 47, -71, 45, -40, 76, -42, 74, -11, -96, -13, -98, 18, -67}));
  test.Input(
      Int8({4, 4}, {-100, 64, 27, -10, -59, -96, 68, 31, -18, -55, -92, 72, 23, -14, -51, -88}));
  test.Input(
      Int8({4, 4}, {-100, -89, -78, -67, -47, -36, -25, -14, 6, 17, 28, 39, 59, 70, 81, 92}));
  test.Input(Tensor::Scalar(0.01f)).Input(Floats({0.01f, 0.02f, 0.015f, 0.005f}));
  test.Input(Tensor::Scalar(0.03f));
  test.Input(Floats({-1.5f, 0, 1.5f, -0.5f})).Input(Floats({-1.5f, 0.5f, -1, 1}));
  test.Input(Floats({-1.5f, 1, 0, -1}));
  test.Input(Tensor::Scalar(0.02f)).Input(Tensor::Scalar(1.0f / 127));
  test.Input(Tensor::Scalar(0.06f));
  return test;
}

TEST(QOrderedAttentionTest, AllKeys) {
  ExpectTensor(QOrderedAttention().Run(),
               Int8({2, 3, 4}, {97, 87, -26, -97, -79, -15, -26, -97, 97, 87, -32, -99,
                                13, 15, -37, -82, 0,   28,  1,   -13, 17, 14, -41, -83}));
}

TEST(QOrderedAttentionTest, Masks) {
  const auto mask = [](const Shape& shape, const std::vector<int32_t>& values) {
    return QOrderedAttention().Input(Tensor::Of<int32_t>(shape, values)).Run();
  };
  const Tensor keys = Int8({2, 3, 4}, {98, 101, -43, -104, -85, -18, -43, -104, 97, 100, -43, -104,
                                       18, 14,  -51, -106, 59,  33,  -49, -99,  18, 14,  -48, -95});
  ExpectTensor(mask({2, 3}, {1, 1, 0, 1, 0, 1}), keys);
  ExpectTensor(mask({2, 3, 3}, {1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1}), keys);
  ExpectTensor(mask({2}, {2, 3}),
               Int8({2, 3, 4}, {98, 101, -43, -104, -85, -18, -43, -104, 97, 100, -43, -104,
                                13, 15,  -37, -82,  0,   28,  1,   -13,  17, 14,  -41, -83}));
  // The second entry has no key at all.
  ExpectTensor(mask({4}, {3, 2, 1, 2}),
               Int8({2, 3, 4}, {90, 70, -8, -86, -85, -19, -8, -86, 89, 70, -8, -83,
                                0,  0,  0,  0,   0,   0,   0,  0,   0,  0,  0,  0}));
  ExpectError(mask({3}, {1, 1, 1}).status(), kInvalid, "mask_index is int32[3]");
}

TEST(QOrderedAttentionTest, Unidirectional) {
  ExpectTensor(QOrderedAttention().Attr("unidirectional", 1).Run(),
               Int8({2, 3, 4}, {106, 106, -44, -107, -85, -18, -43, -104, 97, 87, -32, -99,
                                -28, -7,  -45, -83,  -40, 23,  18,  16,   17, 14, -41, -83}));
}

TEST(QOrderedAttentionTest, Refused) {
  ExpectError(QOrderedAttention().NoInput().Input(Int8({1}, {0})).Run().status(), kUnimplemented,
              "past and attention_bias");
  ExpectError(QOrderedAttention().Attr("num_heads", 3).Run().status(), kInvalid, "3 heads");
  ExpectError(QOrderedAttention().Attr("num_heads", 0).Run().status(), kInvalid, "num_heads is 0");
  ExpectError(QOrderedAttention().Attr("order_weight", 1).Run().status(), kUnimplemented,
              "order_weight 1 is not supported");
  ExpectError(
      QOrderedAttention().Attr("qkv_hidden_sizes", std::vector<int64_t>{4, 4, 8}).Run().status(),
      kInvalid, "input 7");
}

// 4 tokens, 2 heads of 2, a window of 1; token 0 is global, token 3 masked.
OpTest QOrderedLongformerAttention(const Tensor& bias) {
  OpTest test("QOrderedLongformerAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2).Attr("window", 1).Attr("order_input", 1).Attr("order_output", 1);
  test.Attr("order_weight", 0).Attr("order_global_weight", 0);
  test.Input(Int8Pattern({1, 4, 4}, 37, 255, 127)).Input(Tensor::Scalar(0.02f));
  test.Input(Int8(
      {4, 12}, {-100, 47,  -7,  -61, -71, 76,  22,  -32, -42, -96, 51,  -3,  -13, -67, 80,  26,
                16,   -38, -92, 55,  45,  -9,  -63, 84,  74,  20,  -34, -88, -98, 49,  -5,  -59,
                -69,  78,  24,  -30, -40, -94, 53,  -1,  -11, -65, 82,  28,  18,  -36, -90, 57}));
  test.Input(Tensor::Scalar(0.01f)).Input(bias).Input(Tensor::Scalar(1.0f));
  test.Input(Tensor::Scalar(0.04f));
  test.Input(Convert(Tensor::Of<float>({1, 4}, {0, 0, 0, -10000}), DType::kFloat16));
  test.Input(Int8({4, 12},
                  {-100, -10, 80, -31, -59, 31,  -80, 10,  -18, 72, -39, 51,  23,  -88, 2,   92,
                   64,   -47, 43, -68, -96, -6,  84,  -27, -55, 35, -76, 14,  -14, 76,  -35, 55,
                   27,   -84, 6,  96,  68,  -43, 47,  -64, -92, -2, 88,  -23, -51, 39,  -72, 18}));
  test.Input(Tensor::Scalar(0.02f)).Input(Floats({-3, 1, -2, 2, -1, 3, 0, -3, 1, -2, 2, -1}));
  test.Input(Tensor::Scalar(0.05f)).Input(Tensor::Of<int32_t>({1, 4}, {1, 0, 0, 0}));
  return test.Input(Tensor::Scalar(0.05f));
}

TEST(QOrderedLongformerAttentionTest, Values) {
  ExpectTensor(QOrderedLongformerAttention(Floats({-3, 0, 3, -1, 2, -2, 1, -3, 0, 3, -1, 2})).Run(),
               Int8({1, 4, 4}, {-123, 88, 73, -56, 4, 38, 9, -6, 5, 39, 1, -65, 4, 39, 14, 13}));
}

TEST(QOrderedLongformerAttentionTest, Refused) {
  ExpectError(QOrderedLongformerAttention(Floats({1, 2})).Run().status(), kInvalid,
              "the bias, input 4, is float[2]");
  const Tensor bias = Floats({-3, 0, 3, -1, 2, -2, 1, -3, 0, 3, -1, 2});
  ExpectError(QOrderedLongformerAttention(bias).Attr("window", 0).Run().status(), kInvalid,
              "window 0");
  ExpectError(QOrderedLongformerAttention(bias).Attr("window", 3).Run().status(), kInvalid,
              "a multiple of 6");
  ExpectError(QOrderedLongformerAttention(bias).Attr("order_weight", 3).Run().status(),
              kUnimplemented, "order_weight 3 is not supported");
}

}  // namespace
}  // namespace onnxcmp::testing
