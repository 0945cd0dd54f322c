#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are those of the formula, computed in double by NumPy.

TEST(ContribPackedMultiHeadAttentionTest, SequencesByThemselves) {
  OpTest test("PackedMultiHeadAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2);
  test.Input(Pattern({4, 4}, 7, 23, 3.0f))
      .Input(Pattern({4, 4}, 5, 19, 2.0f))
      .Input(Pattern({4, 2}, 3, 17, 2.0f))
      .Input(Pattern({10}, 11, 19))
      .Input(Tensor::Of<int32_t>({3, 3}, {0, 3, 4, 5, 1, 2, 6, 7, 8}))
      .Input(Tensor::Of<int32_t>({4}, {0, 1, 1, 4}))
      .Input(Pattern({1, 2, 3, 3}, 3, 7, 4.0f));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({4, 2}, {-0.7832817f, -0.8513932f, -0.4435161f, -0.3008333f,
                                          0.4262568f, 0.3592414f, -0.263204f, 0.3589525f}),
               1e-5, 1e-6);
}

TEST(ContribPackedMultiHeadAttentionTest, PackedQueryKeyValue) {
  OpTest test("PackedMultiHeadAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2).Attr("mask_filter_value", -1.0f);
  test.Input(Pattern({4, 2, 3, 2}, 7, 23, 3.0f))
      .NoInput()
      .NoInput()
      .NoInput()
      .Input(Tensor::Of<int32_t>({3, 3}, {0, 3, 4, 5, 1, 2, 6, 7, 8}))
      .Input(Tensor::Of<int32_t>({4}, {0, 1, 1, 4}));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({4, 4}, {-0.7826087f, 0.1304348f, -1.304348f, -0.3913043f,
                                          -0.3736755f, -0.03199228f, -0.6442459f, -0.6367612f,
                                          0.1673444f, -0.2335221f, -0.07054607f, -0.8930415f,
                                          0.08291009f, 0.7881234f, -0.3755312f, 0.2449525f}),
               1e-5, 1e-6);
}

TEST(ContribPackedMultiHeadAttentionTest, RefusesKeyWithoutValue) {
  OpTest test("PackedMultiHeadAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1).Input(Iota({1, 2})).Input(Iota({1, 2})).NoInput().NoInput();
  test.Input(Tensor::Of<int32_t>({1, 1}, {0})).Input(Tensor::Of<int32_t>({2}, {0, 1}));
  ExpectError(test.Run().status(), kInvalid, "key and value come together or not");
}

}  // namespace
}  // namespace onnxcmp::testing
