// onnxruntime has the operator for CUDA only. Expected values: NumPy, from the definition.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/contrib/q_ordered/ordered_matrices.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Batch 2, 3 tokens, 2 heads of 2.
OpTest QOrderedAttention() {
  OpTest test("QOrderedAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2).Attr("order_input", 1).Attr("order_weight", 0).Attr("order_output", 1);
  test.Input(Int8Pattern({2, 3, 4}, 37, 255, 127)).Input(Tensor::Scalar(0.02f));
  for (const float scale : {0.03f, 0.04f, 0.05f}) test.Input(Tensor::Scalar(scale));
  test.Input(
      Int8s({4, 4}, {-100, 16, -69, 47, -71, 45, -40, 76, -42, 74, -11, -96, -13, -98, 18, -67}));
  test.Input(
      Int8s({4, 4}, {-100, 64, 27, -10, -59, -96, 68, 31, -18, -55, -92, 72, 23, -14, -51, -88}));
  test.Input(
      Int8s({4, 4}, {-100, -89, -78, -67, -47, -36, -25, -14, 6, 17, 28, 39, 59, 70, 81, 92}));
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
               Int8s({2, 3, 4}, {97, 87, -26, -97, -79, -15, -26, -97, 97, 87, -32, -99,
                                 13, 15, -37, -82, 0,   28,  1,   -13, 17, 14, -41, -83}));
}

TEST(QOrderedAttentionTest, Masks) {
  const auto mask = [](const Shape& shape, const std::vector<int32_t>& values) {
    return QOrderedAttention().Input(Tensor::Of<int32_t>(shape, values)).Run();
  };
  const Tensor keys =
      Int8s({2, 3, 4}, {98, 101, -43, -104, -85, -18, -43, -104, 97, 100, -43, -104,
                        18, 14,  -51, -106, 59,  33,  -49, -99,  18, 14,  -48, -95});
  ExpectTensor(mask({2, 3}, {1, 1, 0, 1, 0, 1}), keys);
  ExpectTensor(mask({2, 3, 3}, {1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1}), keys);
  ExpectTensor(mask({2}, {2, 3}),
               Int8s({2, 3, 4}, {98, 101, -43, -104, -85, -18, -43, -104, 97, 100, -43, -104,
                                 13, 15,  -37, -82,  0,   28,  1,   -13,  17, 14,  -41, -83}));
  // The second entry has no key at all.
  ExpectTensor(mask({4}, {3, 2, 1, 2}),
               Int8s({2, 3, 4}, {90, 70, -8, -86, -85, -19, -8, -86, 89, 70, -8, -83,
                                 0,  0,  0,  0,   0,   0,   0,  0,   0,  0,  0,  0}));
  ExpectError(mask({3}, {1, 1, 1}).status(), kInvalid, "mask_index is int32[3]");
}

TEST(QOrderedAttentionTest, Unidirectional) {
  ExpectTensor(QOrderedAttention().Attr("unidirectional", 1).Run(),
               Int8s({2, 3, 4}, {106, 106, -44, -107, -85, -18, -43, -104, 97, 87, -32, -99,
                                 -28, -7,  -45, -83,  -40, 23,  18,  16,   17, 14, -41, -83}));
}

TEST(QOrderedAttentionTest, Refused) {
  ExpectError(QOrderedAttention().NoInput().Input(Int8s({1}, {0})).Run().status(), kUnimplemented,
              "past and attention_bias");
  ExpectError(QOrderedAttention().Attr("num_heads", 3).Run().status(), kInvalid, "3 heads");
  ExpectError(QOrderedAttention().Attr("num_heads", 0).Run().status(), kInvalid, "num_heads is 0");
  ExpectError(QOrderedAttention().Attr("order_weight", 1).Run().status(), kUnimplemented,
              "order_weight 1 is not supported");
  ExpectError(
      QOrderedAttention().Attr("qkv_hidden_sizes", std::vector<int64_t>{4, 4, 8}).Run().status(),
      kInvalid, "input 7");
}

}  // namespace
}  // namespace onnxcmp::testing
