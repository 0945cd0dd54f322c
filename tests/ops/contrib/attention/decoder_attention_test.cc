#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are those of the formula, computed in double by NumPy.

TEST(ContribDecoderAttentionTest, SelfAttention) {
  OpTest test("DecoderAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2);
  test.Input(Pattern({2, 2, 4}, 7, 23, 3.0f))
      .Input(Pattern({3, 2, 4}, 5, 19, 2.0f))
      .Input(Pattern({4, 4}, 3, 17, 2.0f))
      .Input(Pattern({4, 8}, 11, 29, 2.0f))
      .Input(Pattern({12}, 11, 19))
      .NoInput()
      .NoInput()
      .NoInput()
      .Input(Bools({1}, {0}))
      .Input(Bools({1}, {0}))
      .Input(Bools({1}, {0}))
      .Input(Bools({1}, {0}));
  test.Outputs(3);
  ExpectOutputs(
      test,
      {Tensor::Of<float>({2, 2, 4},
                         {0.1667629f, -1.73023f, 0.6433883f, -0.2124822f, 0.09527471f, 1.115827f,
                          0.1974412f, -0.02721885f, 0.1633145f, -1.716097f, 0.5845097f, -0.4758861f,
                          0.2164128f, 0.8344737f, 0.3168998f, -0.1616098f}),
       Tensor::Of<float>({2, 2, 2, 2},
                         {0.3818354f, 0.7628817f, 0.642705f, 0.4300481f, 0.1439281f, 0.04671349f,
                          -0.7826088f, 0.09169104f, 0.4088219f, 0.4930167f, -1.606171f, 0.1601831f,
                          -0.4227886f, -0.03424604f, 0.9265367f, -1.437544f}),
       Tensor::Of<float>({2, 2, 2, 2},
                         {0.4277598f, -2.79989f, -0.1209659f, -0.551014f, 0.7115916f, 0.09263789f,
                          0.540677f, -0.6719798f, 0.04994871f, 1.2211f, 0.3288093f, 0.5734238f,
                          0.522686f, -0.3931192f, -0.2689182f, 0.4974355f})},
      1e-5, 1e-6);
}

TEST(ContribDecoderAttentionTest, CrossAttentionWithPadding) {
  OpTest test("DecoderAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2).Attr("mask_filter_value", -3.0f);
  test.Input(Pattern({2, 2, 4}, 7, 23, 3.0f))
      .Input(Pattern({3, 2, 4}, 5, 19, 2.0f))
      .Input(Pattern({4, 4}, 3, 17, 2.0f))
      .Input(Pattern({4, 8}, 11, 29, 2.0f))
      .Input(Pattern({12}, 11, 19))
      .Input(Bools({2, 3}, {0, 1, 0, 1, 0, 0}))
      .Input(Pattern({2, 2, 1, 2}, 3, 13))
      .Input(Pattern({2, 2, 1, 2}, 5, 11))
      .Input(Bools({1}, {1}))
      .Input(Bools({1}, {0}))
      .Input(Bools({1}, {1}))
      .Input(Bools({1}, {1}));
  test.Outputs(3);
  ExpectOutputs(test,
                {Tensor::Of<float>({2, 2, 4}, {0.1020491f, -0.627033f, 0.6447348f, -0.3622571f,
                                               0.2004549f, 0.01003336f, 0.3769451f, -0.001009245f,
                                               0.1037619f, -0.6444468f, 0.6250087f, -0.4253805f,
                                               0.2720198f, -0.3937972f, 0.4149851f, -0.1821516f}),
                 Tensor::Of<float>(
                     {2, 2, 3, 2},
                     {0.5680581f,  0.6678766f,  -0.1578947f, 0.5807623f,  0.6333938f,  0.4936479f,
                      -0.2323049f, 0.1306715f,  0.3194192f,  -0.3629764f, -0.646098f,  0.1088929f,
                      0.2050817f,  0.6243194f,  -0.5208712f, 0.5372051f,  0.2704174f,  0.4500908f,
                      0.04355717f, -0.1161524f, 0.5952813f,  -0.6098004f, -0.3702359f, -0.137931f}),
                 Tensor::Of<float>(
                     {2, 2, 3, 2},
                     {0.23049f,   -1.932849f,   0.3756806f, -1.569873f, -0.030853f,  0.7241379f,
                      0.693285f,  -0.2068966f,  0.4319419f, 0.1705989f, 0.584392f,   -0.5553539f,
                      0.3030853f, -1.751361f,   0.4482759f, -1.388385f, 0.04174228f, 0.9056261f,
                      0.5626134f, -0.01814884f, 0.3012704f, 0.3593467f, 0.4537205f,  -0.3666062f})},
                1e-5, 1e-6);
}

TEST(ContribDecoderAttentionTest, SelfAttentionBehindACache) {
  OpTest test("DecoderAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2);
  test.Input(Pattern({2, 2, 4}, 7, 23, 3.0f))
      .Input(Pattern({3, 2, 4}, 5, 19, 2.0f))
      .Input(Pattern({4, 4}, 3, 17, 2.0f))
      .Input(Pattern({4, 8}, 11, 29, 2.0f))
      .Input(Pattern({12}, 11, 19))
      .Input(Bools({2, 3}, {0, 1, 0, 1, 0, 0}))
      .Input(Pattern({2, 2, 1, 2}, 3, 13))
      .Input(Pattern({2, 2, 1, 2}, 5, 11))
      .Input(Bools({1}, {0}))
      .Input(Bools({1}, {1}))
      .Input(Bools({1}, {1}))
      .Input(Bools({1}, {0}));
  test.Outputs(3);
  ExpectOutputs(
      test,
      {Tensor::Of<float>({2, 2, 4},
                         {-0.0602977f, -1.097908f, 0.568804f, -0.1644664f, 0.1744532f, 0.7329642f,
                          0.2287235f, -0.1292304f, 0.03974643f, -1.372889f, 0.5584173f, -0.3985958f,
                          0.2469802f, 0.623465f, 0.3041964f, -0.1935658f}),
       Tensor::Of<float>({2, 2, 3, 2}, {-0.4615385f,
                                        -0.2307692f,
                                        0.3818354f,
                                        0.7628817f,
                                        0.642705f,
                                        0.4300481f,
                                        0,
                                        0.2307692f,
                                        0.1439281f,
                                        0.04671349f,
                                        -0.7826088f,
                                        0.09169104f,
                                        0.4615385f,
                                        -0.3076923f,
                                        0.4088219f,
                                        0.4930167f,
                                        -1.606171f,
                                        0.1601831f,
                                        -0.07692308f,
                                        0.1538462f,
                                        -0.4227886f,
                                        -0.03424604f,
                                        0.9265367f,
                                        -1.437544f}),
       Tensor::Of<float>({2, 2, 3, 2},
                         {-0.4545455f, 0,           0.4277598f,   -2.79989f,   -0.1209659f,
                          -0.551014f,  0.4545455f,  -0.09090909f, 0.7115916f,  0.09263789f,
                          0.540677f,   -0.6719798f, 0.3636364f,   -0.1818182f, 0.04994871f,
                          1.2211f,     0.3288093f,  0.5734238f,   0.2727273f,  -0.2727273f,
                          0.522686f,   -0.3931192f, -0.2689182f,  0.4974355f})},
      1e-5, 1e-6);
}

TEST(ContribDecoderAttentionTest, CrossAttentionOfACache) {
  OpTest test("DecoderAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2);
  test.Input(Pattern({2, 2, 4}, 7, 23, 3.0f))
      .Input(Pattern({3, 2, 4}, 5, 19, 2.0f))
      .Input(Pattern({4, 4}, 3, 17, 2.0f))
      .Input(Pattern({4, 8}, 11, 29, 2.0f))
      .Input(Pattern({12}, 11, 19))
      .NoInput()
      .Input(Pattern({2, 2, 1, 2}, 3, 13))
      .Input(Pattern({2, 2, 1, 2}, 5, 11))
      .Input(Bools({1}, {1}))
      .Input(Bools({1}, {1}))
      .Input(Bools({1}, {1}))
      .Input(Bools({1}, {0}));
  test.Outputs(3);
  ExpectOutputs(
      test,
      {Tensor::Of<float>({2, 2, 4},
                         {-0.4545455f, 0, 0.4545455f, -0.09090909f, 0.3636364f, -0.1818182f,
                          0.2727273f, -0.2727273f, -0.4545455f, 0, 0.4545455f, -0.09090909f,
                          0.3636364f, -0.1818182f, 0.2727273f, -0.2727273f}),
       Tensor::Of<float>({2, 2, 1, 2}, {-0.4615385f, -0.2307692f, 0, 0.2307692f, 0.4615385f,
                                        -0.3076923f, -0.07692308f, 0.1538462f}),
       Tensor::Of<float>({2, 2, 1, 2}, {-0.4545455f, 0, 0.4545455f, -0.09090909f, 0.3636364f,
                                        -0.1818182f, 0.2727273f, -0.2727273f})},
      1e-5, 1e-6);
}

TEST(ContribDecoderAttentionTest, RefusesFlagsWithoutTheirInputs) {
  const auto attention = [](bool uses_past, bool masks) {
    OpTest test("DecoderAttention", 1, "com.microsoft");
    test.Attr("num_heads", 1).Input(Iota({1, 1, 2})).Input(Iota({1, 1, 2}));
    test.Input(Iota({2, 2})).Input(Iota({2, 4})).Input(Iota({6}));
    test.NoInput().NoInput().NoInput().Input(Bools({1}, {0})).Input(Bools({1}, {uses_past}));
    test.Input(Bools({1}, {uses_past})).Input(Bools({1}, {masks}));
    return test.Run().status();
  };
  EXPECT_TRUE(attention(false, false).ok());
  ExpectError(attention(true, false), kInvalid, "need the caches");
  ExpectError(attention(false, true), kInvalid, "needs key_padding_mask");
}

}  // namespace
}  // namespace onnxcmp::testing
