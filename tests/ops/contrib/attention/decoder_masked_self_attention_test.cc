#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are those of the formula, computed in double by NumPy.

TEST(ContribDecoderMaskedSelfAttentionTest, BeamsOverAGroupedCache) {
  OpTest test("DecoderMaskedSelfAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1).Attr("past_present_share_buffer", 1).Attr("mask_filter_value", -2.0f);
  test.Input(Pattern({2, 1, 3}, 7, 11, 3.0f))
      .Input(Pattern({3, 24}, 5, 13, 3.0f))
      .Input(Pattern({24}, 11, 19))
      .Input(Tensor::Of<int32_t>({2, 3}, {1, 1, 1, 0, 1, 1}))
      .Input(Pattern({2, 2, 1, 3, 8}, 3, 17))
      .Input(Pattern({2, 1, 1, 3}, 3, 7, 4.0f))
      .Input(Tensor::Of<int32_t>({1}, {2}))
      .Input(Tensor::Of<int32_t>({1}, {2}))
      .Input(Tensor::Of<int32_t>({1, 2, 3}, {1, 0, 0, 0, 0, 0}));
  test.Outputs(2);
  ExpectOutputs(test,
                {Tensor::Of<float>({2, 1, 8}, {0.640204f, 1.127056f, -2.08739f, -0.2052344f,
                                               0.3847081f, 0.8131239f, -0.05067282f, -1.905956f,
                                               -1.907997f, 2.065773f, 1.77097f, -1.793998f,
                                               2.180529f, -2.201931f, -0.6799985f, 1.477036f}),
                 Tensor::Of<float>({2, 2, 1, 3, 8}, {-0.4705882f,
                                                     -0.2941177f,
                                                     -0.1176471f,
                                                     0.05882353f,
                                                     0.2352941f,
                                                     0.4117647f,
                                                     -0.4117647f,
                                                     -0.2352941f,
                                                     1.353699f,
                                                     -0.6407803f,
                                                     -1.635259f,
                                                     0.4611704f,
                                                     -0.3529412f,
                                                     -0.1764706f,
                                                     0,
                                                     0.1764706f,
                                                     0.3529412f,
                                                     -0.4705882f,
                                                     -0.2941177f,
                                                     -0.1176471f,
                                                     1.103055f,
                                                     1.563121f,
                                                     -0.4313581f,
                                                     -1.425837f,
                                                     -0.2352941f,
                                                     -0.05882353f,
                                                     0.1176471f,
                                                     0.2941177f,
                                                     0.4705882f,
                                                     -0.3529412f,
                                                     -0.1764706f,
                                                     0,
                                                     -1.730217f,
                                                     -1.207214f,
                                                     1.952153f,
                                                     -1.615753f,
                                                     -0.1176471f,
                                                     0.05882353f,
                                                     0.2352941f,
                                                     0.4117647f,
                                                     -0.4117647f,
                                                     -0.2352941f,
                                                     -0.05882353f,
                                                     0.1176471f,
                                                     2.361796f,
                                                     -2.024292f,
                                                     -1.501288f,
                                                     1.658079f,
                                                     0,
                                                     0.1764706f,
                                                     0.3529412f,
                                                     -0.4705882f,
                                                     -0.2941177f,
                                                     -0.1176471f,
                                                     0.05882353f,
                                                     0.2352941f,
                                                     0.4117647f,
                                                     -0.4117647f,
                                                     -0.2352941f,
                                                     -0.05882353f,
                                                     0.1176471f,
                                                     0.2941177f,
                                                     0.4705882f,
                                                     -0.3529412f,
                                                     0.6705926f,
                                                     1.312477f,
                                                     -2.318366f,
                                                     -0.221936f,
                                                     0.4199485f,
                                                     0.8800147f,
                                                     -0.1144645f,
                                                     -2.108944f,
                                                     0.2352941f,
                                                     0.4117647f,
                                                     -0.4117647f,
                                                     -0.2352941f,
                                                     -0.05882353f,
                                                     0.1176471f,
                                                     0.2941177f,
                                                     0.4705882f,
                                                     -0.3529412f,
                                                     -0.1764706f,
                                                     0,
                                                     0.1764706f,
                                                     0.3529412f,
                                                     -0.4705882f,
                                                     -0.2941177f,
                                                     -0.1176471f,
                                                     -1.909827f,
                                                     2.067722f,
                                                     1.772543f,
                                                     -1.795363f,
                                                     2.182186f,
                                                     -2.203901f,
                                                     -0.6808981f,
                                                     1.478469f})},
                1e-5, 1e-6);
}

TEST(ContribDecoderMaskedSelfAttentionTest, RefusesWhatItDoesNotKnow) {
  const auto attention = [](int shares, int tokens, int head_size) {
    OpTest test("DecoderMaskedSelfAttention", 1, "com.microsoft");
    test.Attr("num_heads", 1).Attr("past_present_share_buffer", shares);
    test.Input(Iota({1, tokens, 3})).Input(Iota({3, 3 * head_size})).Input(Iota({3 * head_size}));
    test.NoInput().Input(Iota({2, 1, 1, 4, head_size})).NoInput();
    test.Input(Tensor::Scalar<int32_t>(1)).Outputs(2);
    return test.Run().status();
  };
  EXPECT_TRUE(attention(1, 1, 4).ok());
  ExpectError(attention(0, 1, 4), kUnimplemented, "without past_present_share_buffer");
  ExpectError(attention(1, 2, 4), kInvalid, "expected (batch, 1, hidden)");
  ExpectError(attention(1, 1, 6), kInvalid, "keys of 6 elements do not make groups of 4");
}

}  // namespace
}  // namespace onnxcmp::testing
