#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// onnxruntime's results are compared in tests/golden; here is what its CPU kernel lacks. Expected
// values are those of the formula, computed in double by NumPy.

TEST(ContribDecoderMaskedMultiHeadAttentionTest, PackedQueryKeyValueBehindAPastOfItsOwn) {
  OpTest test("DecoderMaskedMultiHeadAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1);
  test.Input(Pattern({2, 1, 6}, 7, 23, 3.0f))
      .NoInput()
      .NoInput()
      .NoInput()
      .NoInput()
      .Input(Pattern({2, 1, 2, 2}, 11, 29, 2.0f))
      .Input(Pattern({2, 1, 2, 2}, 13, 31, 2.0f));
  test.Outputs(3);
  ExpectOutputs(
      test,
      {Tensor::Of<float>({2, 1, 2}, {-0.6416885f, -0.1612875f, -0.2462635f, -0.07610966f}),
       Tensor::Of<float>({2, 1, 3, 2}, {-0.9655172f, -0.2068966f, 0.5517241f, -0.6896552f,
                                        0.3913043f, 1.304348f, 0.06896552f, 0.8275862f, -0.4137931f,
                                        0.3448276f, -0.1304348f, 0.7826087f}),
       Tensor::Of<float>({2, 1, 3, 2}, {-0.9677419f, -0.1290323f, 0.7096774f, -0.4516129f,
                                        -0.7826087f, 0.1304348f, 0.3870968f, -0.7741935f,
                                        0.06451613f, 0.9032258f, -1.304348f, -0.3913043f})},
      1e-5, 1e-6);
}

TEST(ContribDecoderMaskedMultiHeadAttentionTest, RefusesWhatDoesNotFit) {
  const auto attention = [](int tokens, int shares, int beams) {
    OpTest test("DecoderMaskedMultiHeadAttention", 1, "com.microsoft");
    test.Attr("num_heads", 1).Attr("past_present_share_buffer", shares);
    for (int i = 0; i < 3; ++i) test.Input(Iota({2, tokens, 2}));
    test.NoInput().NoInput().Input(Iota({2, 1, 3, 2})).Input(Iota({2, 1, 3, 2}));
    if (beams > -1)
      test.Input(Tensor::Of<int32_t>({1}, {1})).Input(Tensor::Of<int32_t>({1}, {beams}));
    return test.Run().status();
  };
  EXPECT_TRUE(attention(1, 1, 1).ok());
  ExpectError(attention(2, 1, 1), kInvalid, "expected (batch, 1, hidden)");
  ExpectError(attention(1, 1, -1), kInvalid, "needs past_sequence_length");
  ExpectError(attention(1, 1, 2), kInvalid, "more than 1 only with cache_indirection");
  ExpectError(attention(1, 1, 0), kInvalid, "beam_width is 0");
  OpTest scores("DecoderMaskedMultiHeadAttention", 1, "com.microsoft");
  scores.Attr("num_heads", 1).Attr("output_qk", 1).Input(Iota({1, 1, 3}));
  ExpectError(scores.Run().status(), kInvalid, "output_qk and the output qk");
}

}  // namespace
}  // namespace onnxcmp::testing
