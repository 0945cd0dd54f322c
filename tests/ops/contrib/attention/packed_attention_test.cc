#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are those of the formula, computed in double by NumPy.

TEST(ContribPackedAttentionTest, SequencesByThemselves) {
  OpTest test("PackedAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2)
      .Attr("qkv_hidden_sizes", std::vector<int64_t>{4, 4, 2})
      .Attr("scale", 0.5f);
  test.Input(Pattern({4, 3}, 7, 11, 3.0f))
      .Input(Pattern({3, 10}, 5, 13, 3.0f))
      .Input(Pattern({10}, 11, 19))
      .Input(Tensor::Of<int32_t>({3, 3}, {0, 3, 4, 5, 1, 2, 6, 7, 8}))
      .Input(Tensor::Of<int32_t>({4}, {0, 1, 1, 4}))
      .Input(Pattern({3, 1, 3, 3}, 3, 7, 4.0f));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({4, 2}, {1.98307f, -0.01140964f, -1.920018f, 0.8589997f,
                                          -2.293543f, 1.07419f, -2.022344f, 0.7431954f}),
               1e-5, 1e-6);
}

TEST(ContribPackedAttentionTest, RefusesBoundsThatDoNotFit) {
  const auto attention = [](const std::vector<int32_t>& bounds, int longest) {
    OpTest test("PackedAttention", 1, "com.microsoft");
    test.Attr("num_heads", 1).Input(Iota({3, 2})).Input(Iota({2, 3})).Input(Iota({3}));
    const auto batch = static_cast<int64_t>(bounds.size()) - 1;
    test.Input(Tensor::Of<int32_t>({batch, longest},
                                   std::vector<int32_t>(static_cast<size_t>(batch * longest), 0)));
    test.Input(Tensor::Of<int32_t>({batch + 1}, bounds));
    return test.Run().status();
  };
  EXPECT_TRUE(attention({0, 2, 3}, 2).ok());
  ExpectError(attention({0, 2, 4}, 2), kInvalid, "input 4 does not part the sequences of 3 tokens");
  ExpectError(attention({1, 2, 3}, 2), kInvalid, "does not part");
  ExpectError(attention({0, 4, 3}, 4), kInvalid, "does not part");
  ExpectError(attention({0, 3, 3}, 2), kInvalid, "a sequence of 3 tokens is longer than 2");
}

}  // namespace
}  // namespace onnxcmp::testing
