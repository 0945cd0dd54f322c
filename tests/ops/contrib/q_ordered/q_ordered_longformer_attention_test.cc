// onnxruntime has the operator for CUDA only. Expected values: NumPy, from the definition.
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/ops/contrib/q_ordered/ordered_matrices.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// 4 tokens, 2 heads of 2, a window of 1; token 0 is global, token 3 masked.
OpTest QOrderedLongformerAttention(const Tensor& bias) {
  OpTest test("QOrderedLongformerAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2).Attr("window", 1).Attr("order_input", 1).Attr("order_output", 1);
  test.Attr("order_weight", 0).Attr("order_global_weight", 0);
  test.Input(Int8Pattern({1, 4, 4}, 37, 255, 127)).Input(Tensor::Scalar(0.02f));
  test.Input(Int8s(
      {4, 12}, {-100, 47,  -7,  -61, -71, 76,  22,  -32, -42, -96, 51,  -3,  -13, -67, 80,  26,
                16,   -38, -92, 55,  45,  -9,  -63, 84,  74,  20,  -34, -88, -98, 49,  -5,  -59,
                -69,  78,  24,  -30, -40, -94, 53,  -1,  -11, -65, 82,  28,  18,  -36, -90, 57}));
  test.Input(Tensor::Scalar(0.01f)).Input(bias).Input(Tensor::Scalar(1.0f));
  test.Input(Tensor::Scalar(0.04f));
  test.Input(Convert(Tensor::Of<float>({1, 4}, {0, 0, 0, -10000}), DType::kFloat16));
  test.Input(Int8s({4, 12},
                   {-100, -10, 80, -31, -59, 31,  -80, 10,  -18, 72, -39, 51,  23,  -88, 2,   92,
                    64,   -47, 43, -68, -96, -6,  84,  -27, -55, 35, -76, 14,  -14, 76,  -35, 55,
                    27,   -84, 6,  96,  68,  -43, 47,  -64, -92, -2, 88,  -23, -51, 39,  -72, 18}));
  test.Input(Tensor::Scalar(0.02f)).Input(Floats({-3, 1, -2, 2, -1, 3, 0, -3, 1, -2, 2, -1}));
  test.Input(Tensor::Scalar(0.05f)).Input(Tensor::Of<int32_t>({1, 4}, {1, 0, 0, 0}));
  return test.Input(Tensor::Scalar(0.05f));
}

TEST(QOrderedLongformerAttentionTest, Values) {
  ExpectTensor(QOrderedLongformerAttention(Floats({-3, 0, 3, -1, 2, -2, 1, -3, 0, 3, -1, 2})).Run(),
               Int8s({1, 4, 4}, {-123, 88, 73, -56, 4, 38, 9, -6, 5, 39, 1, -65, 4, 39, 14, 13}));
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
