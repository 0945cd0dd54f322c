#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Two entries of two positions, two heads of two channels. Expected values are onnxruntime 1.31's
// (CPU, without optimizations), unless a test says otherwise.
OpTest Attention(DType dtype = DType::kFloat) {
  OpTest test("Attention", 1, "com.microsoft");
  test.Attr("num_heads", 2);
  test.Input(Convert(Pattern({2, 2, 2}, 7, 11, 3), dtype));
  test.Input(Convert(Pattern({2, 12}, 5, 13, 3), dtype));
  test.Input(Convert(Pattern({12}, 11, 19), dtype));
  return test;
}

const Tensor& Plain() {
  static const auto& want = *new Tensor(Tensor::Of<float>(
      {2, 2, 4}, {2.005947f, -1.150021f, -0.9312081f, 1.598735f, 2.060382f, -1.013933f, -0.8639828f,
                  1.625625f, -1.036911f, -0.103319f, 1.094791f, -1.052404f, -0.9719905f,
                  0.05898203f, 1.165801f, -1.024f}));
  return want;
}

Tensor Mask(absl::Span<const int64_t> shape, const std::vector<int32_t>& values) {
  return Tensor::Of<int32_t>(shape, values);
}

TEST(ContribAttentionTest, Plain) {
  ExpectTensor(Attention().Run(), Plain(), 1e-5);
  ExpectTensor(Attention(DType::kDouble).Run(), Convert(Plain(), DType::kDouble), 1e-5);
  ExpectTensor(Attention(DType::kFloat16).Run(), Convert(Plain(), DType::kFloat16), 5e-3, 5e-3);
}

TEST(ContribAttentionTest, UnidirectionalWithScale) {
  OpTest test = Attention();
  test.Attr("unidirectional", 1).Attr("scale", 0.5f);
  ExpectTensor(test.Run(),
               Tensor::Of<float>(
                   {2, 2, 4}, {2.108944f, -0.8925285f, -1.257637f, 1.468163f, 2.031387f, -1.086421f,
                               -0.8412852f, 1.634704f, -0.7232242f, 0.6808981f, 0.6304748f,
                               -1.23813f, -0.955173f, 0.1010261f, 1.147396f, -1.031362f}),
               1e-5);
}

TEST(ContribAttentionTest, MaskOfKeys) {
  OpTest test = Attention();
  test.Input(Mask({2, 2}, {1, 0, 1, 1}));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({2, 2, 4}, {2.108944f, -0.8925285f, -1.257637f, 1.468163f,
                                             2.108944f, -0.8925285f, -1.257637f, 1.468163f,
                                             -1.036911f, -0.103319f, 1.094791f, -1.052404f,
                                             -0.9719905f, 0.05898203f, 1.165801f, -1.024f}),
               1e-5);
}

TEST(ContribAttentionTest, MaskOfQueriesAndKeysWithItsOwnFilter) {
  OpTest test = Attention();
  test.Attr("mask_filter_value", -2.0f).Input(Mask({2, 2, 2}, {1, 0, 1, 1, 0, 1, 1, 1}));
  ExpectTensor(test.Run(),
               Tensor::Of<float>(
                   {2, 2, 4}, {2.090703f, -0.9381312f, -1.194619f, 1.493371f, 2.060382f, -1.013933f,
                               -0.8639828f, 1.625625f, -1.09071f, -0.2378161f, 1.458717f,
                               -0.9068335f, -0.9719905f, 0.05898203f, 1.165801f, -1.024f}),
               1e-5);
}

TEST(ContribAttentionTest, MaskOfEndsAndStarts) {
  const Tensor ends = Tensor::Of<float>(
      {2, 2, 4}, {2.108944f, -0.8925285f, -1.257637f, 1.468163f, 2.108944f, -0.8925285f, -1.257637f,
                  1.468163f, -1.036911f, -0.103319f, 1.094791f, -1.052404f, -0.9719905f,
                  0.05898203f, 1.165801f, -1.024f});
  OpTest of_ends = Attention();
  of_ends.Input(Mask({2}, {1, 2}));
  ExpectTensor(of_ends.Run(), ends, 1e-5);
  OpTest with_more = Attention();
  with_more.Input(Mask({8}, {1, 2, 7, 7, 7, 7, 7, 7}));
  ExpectTensor(with_more.Run(), ends, 1e-5);
  OpTest with_starts = Attention();
  with_starts.Input(Mask({4}, {2, 2, 1, 0}));
  ExpectTensor(with_starts.Run(),
               Tensor::Of<float>(
                   {2, 2, 4}, {1.731321f, -1.836585f, -0.3135812f, 1.845786f, 1.731321f, -1.836585f,
                               -0.3135812f, 1.845786f, -1.036911f, -0.103319f, 1.094791f,
                               -1.052404f, -0.9719905f, 0.05898203f, 1.165801f, -1.024f}),
               1e-5);
}

TEST(ContribAttentionTest, AttentionBias) {
  OpTest test = Attention();
  test.NoInput().NoInput().Input(Pattern({1, 2, 2, 2}, 3, 7, 4));
  ExpectTensor(test.Run(),
               Tensor::Of<float>(
                   {2, 2, 4}, {1.853826f, -1.530323f, -1.209481f, 1.487426f, 2.10336f, -0.9064881f,
                               -1.193624f, 1.493769f, -1.087476f, -0.229732f, 0.7150728f,
                               -1.204291f, -0.7851992f, 0.5259607f, 0.7414431f, -1.193743f}),
               1e-5);
}

TEST(ContribAttentionTest, PastAndPresent) {
  OpTest test = Attention();
  test.Attr("unidirectional", 1).NoInput().Input(Pattern({2, 2, 2, 1, 2}, 3, 7)).Outputs(2);
  ExpectTensor(test.Run(0),
               Tensor::Of<float>({2, 2, 4}, {0.8835502f, -0.1249086f, -0.1840484f, 0.329406f,
                                             1.638362f, -0.7184703f, -0.2063294f, 0.4036509f,
                                             -0.5496097f, 0.4673905f, -0.01004484f, -0.4892992f,
                                             -0.7059066f, 0.0915022f, 0.3090207f, -0.4737253f}),
               1e-5);
  ExpectTensor(test.Run(1),
               Tensor::Of<float>(
                   {2, 2, 2, 3, 2},
                   {-0.4285714f, 0,           -0.9760766f, -1.341185f,  -1.54251f,   -0.01950681f,
                    0.4285714f,  -0.1428571f, 1.384616f,   -1.616857f,  2.13986f,    -1.428046f,
                    0.2857143f,  -0.2857143f, 0.6602872f,  0.6098638f,  0.09385353f, 1.931542f,
                    0.1428571f,  -0.4285714f, -1.258741f,  0.145381f,   -0.5034965f, 0.3341922f,
                    0,           0.4285714f,  2.108944f,   -0.8925285f, 1.731321f,   -1.836585f,
                    -0.1428571f, 0.2857143f,  -1.257637f,  1.468163f,   -0.3135812f, 1.845786f,
                    -0.2857143f, 0.1428571f,  -0.7232242f, 0.6808981f,  -1.100847f,  -0.2631579f,
                    -0.4285714f, 0,           0.6304748f,  -1.23813f,   1.574531f,   -0.860508f}),
               1e-5, 1e-6);
}

TEST(ContribAttentionTest, PresentWithoutPast) {
  OpTest test = Attention();
  test.Outputs(2);
  ExpectTensor(test.Run(0), Plain(), 1e-5);
  EXPECT_EQ(test.Run(1)->shape(), (Shape{2, 2, 2, 2, 2}));
}

TEST(ContribAttentionTest, ValuesOfAnotherSize) {
  OpTest test("Attention", 1, "com.microsoft");
  test.Attr("num_heads", 2).Attr("qkv_hidden_sizes", std::vector<int64_t>{4, 4, 2});
  test.Input(Pattern({2, 2, 2}, 7, 11, 3)).Input(Pattern({2, 10}, 5, 13, 3));
  test.Input(Pattern({10}, 11, 19));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({2, 2, 2}, {2.583638f, -0.8218803f, 2.539154f, -0.6622277f,
                                             -1.158869f, -0.1589715f, -1.204454f, 0.009222046f}),
               1e-5);
}

TEST(ContribAttentionTest, StridedView) {
  OpTest test("Attention", 1, "com.microsoft");
  test.Attr("num_heads", 2).Input(AsStridedView(Pattern({2, 2, 2}, 7, 11, 3)));
  test.Input(AsStridedView(Pattern({2, 12}, 5, 13, 3)));
  test.Input(AsStridedView(Pattern({12}, 11, 19)));
  ExpectTensor(test.Run(), Plain(), 1e-5);
}

TEST(ContribAttentionTest, Empty) {
  OpTest test("Attention", 1, "com.microsoft");
  test.Attr("num_heads", 2).Input(Tensor::Of<float>({0, 2, 2}, {}));
  test.Input(Pattern({2, 12}, 5, 13));
  ExpectTensor(test.Run(), Tensor::Of<float>({0, 2, 4}, {}));
  OpTest no_tokens("Attention", 1, "com.microsoft");
  const int64_t batch = int64_t{1} << 50;
  no_tokens.Attr("num_heads", 2).Outputs(2).Input(Tensor::Of<float>({batch, 0, 2}, {}));
  no_tokens.Input(Pattern({2, 12}, 5, 13));
  ExpectTensor(no_tokens.Run(1), Tensor::Of<float>({2, batch, 2, 0, 2}, {}));
}

// A query's result does not depend on the queries computed with it, nor on threads.
TEST(ContribAttentionTest, SameBitsForAnyThreadsAndBatch) {
  const Tensor x = RandomFloats({3, 130, 8}, 1);
  const Tensor weights = RandomFloats({8, 48}, 2, 0.5f);
  auto run = [&](const Tensor& input, int threads) {
    OpTest test("Attention", 1, "com.microsoft");
    test.Attr("num_heads", 4).Attr("unidirectional", 1).Input(input).Input(weights);
    return *test.Threads(threads).Run();
  };
  const Tensor all = run(x, 2);
  ExpectSameBits(run(x, 1), all);
  const Tensor last = run(x.Strided({1, 130, 8}, {0, 8, 1}, 2 * 130 * 8), 1);
  ExpectSameBits(last, *all.Strided({1, 130, 16}, {0, 16, 1}, 2 * 130 * 16).Contiguous());
  // Causal: a prefix of the sequence gives a prefix of the result.
  const Tensor prefix = run(x.Strided({1, 100, 8}, {0, 8, 1}, 0), 1);
  ExpectTensor(prefix, *all.Strided({1, 100, 16}, {0, 16, 1}, 0).Contiguous(), 1e-5, 1e-6);
}

TEST(ContribAttentionTest, BadInputs) {
  auto expect = [](const OpTest& test, absl::StatusCode code, const char* message) {
    ExpectError(test.Run().status(), code, message);
  };
  OpTest heads = Attention();
  expect(heads.Attr("num_heads", 3), kInvalid, "do not make Q, K and V of 3 heads");
  OpTest no_heads = Attention();
  expect(no_heads.Attr("num_heads", 0), kInvalid, "num_heads is 0");
  OpTest sizes = Attention();
  sizes.Attr("qkv_hidden_sizes", std::vector<int64_t>{INT64_MAX, INT64_MAX, INT64_MAX});
  expect(sizes, kInvalid, "do not make Q, K and V");
  OpTest mask = Attention();
  expect(mask.Input(Mask({3}, {1, 1, 1})), kInvalid, "mask_index has shape");
  OpTest past = Attention();
  expect(past.NoInput().Input(Pattern({2, 2, 2, 1, 3}, 3, 7)), kInvalid, "past has shape");
  OpTest bias = Attention();
  bias.NoInput().NoInput().Input(Pattern({1, 2, 2, 3}, 3, 7));
  expect(bias, kInvalid, "attention_bias has shape");
}

// Attributes that onnxruntime has no CPU kernel for. Expected values are those of the formula,
// computed in double by NumPy.
TEST(ContribAttentionTest, Rotates) {
  OpTest test("Attention", 1, "com.microsoft");
  test.Attr("num_heads", 1).Attr("do_rotary", 1);
  test.Input(Pattern({2, 2, 3}, 7, 11, 3.0f))
      .Input(Pattern({3, 12}, 5, 13, 3.0f))
      .Input(Pattern({12}, 11, 19));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({2, 2, 4}, {-0.7100287f, -1.149731f, 2.683295f, -0.6391939f,
                                             2.29249f, -1.267476f, -0.5547152f, 1.421358f,
                                             -0.5451772f, -0.9923163f, 2.833272f, -0.8865944f,
                                             -0.556854f, -0.9981547f, 2.833272f, -0.880756f}),
               1e-5, 1e-6);
}

TEST(ContribAttentionTest, SharedBufferAndRotationOfAPart) {
  OpTest test("Attention", 1, "com.microsoft");
  test.Attr("num_heads", 1)
      .Attr("do_rotary", 1)
      .Attr("rotary_embedding_dim", 2)
      .Attr("past_present_share_buffer", 1);
  test.Input(Pattern({2, 2, 3}, 7, 11, 3.0f))
      .Input(Pattern({3, 12}, 5, 13, 3.0f))
      .Input(Pattern({12}, 11, 19))
      .NoInput()
      .Input(Pattern({2, 2, 1, 3, 4}, 3, 7))
      .NoInput()
      .Input(Tensor::Of<int32_t>({1}, {1}));
  test.Outputs(2);
  ExpectOutputs(
      test,
      {Tensor::Of<float>({2, 2, 4},
                         {-0.1091393f, 0.2016091f, -0.1882011f, 0.1436886f, 2.13749f, -1.168377f,
                          -0.5379909f, 1.340053f, -0.3132211f, -0.6623533f, 2.278672f, -0.7333165f,
                          -0.2115197f, -0.2517756f, 1.346342f, -0.3315252f}),
       Tensor::Of<float>(
           {2, 2, 1, 3, 4},
           {-0.4285714f, 0,          0.4285714f,  -0.1428571f, -0.09452605f, -1.697623f,
            1.258741f,   -2.372102f, -2.489879f,  -2.074522f,  -0.4405594f,  -0.7357379f,
            -0.2857143f, 0.1428571f, -0.4285714f, 0,           -2.966064f,   0.819317f,
            -0.7552448f, -1.176297f, -2.094126f,  -2.031833f,  -1.06993f,    -1.616857f,
            -0.1428571f, 0.2857143f, -0.2857143f, 0.1428571f,  2.360692f,    -1.270151f,
            -0.6282665f, 1.468163f,  -0.8490983f, -1.144277f,  2.833272f,    -0.7346338f,
            0,           0.4285714f, -0.1428571f, 0.2857143f,  -0.59735f,    -1.018403f,
            2.833272f,   -0.860508f, -0.3456018f, -0.8925286f, 2.833272f,    -0.9863821f})},
      1e-5, 1e-6);
}

TEST(ContribAttentionTest, MaskOfAllTokensWithPastAndBias) {
  OpTest test("Attention", 1, "com.microsoft");
  test.Attr("num_heads", 1);
  test.Input(Pattern({2, 2, 3}, 7, 11, 3.0f))
      .Input(Pattern({3, 12}, 5, 13, 3.0f))
      .Input(Pattern({12}, 11, 19))
      .Input(Tensor::Of<int32_t>({2, 1, 4, 4}, {1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0,
                                                1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0}))
      .Input(Pattern({2, 2, 1, 1, 4}, 3, 7))
      .Input(Pattern({1, 1, 2, 3}, 3, 7, 4.0f));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({2, 2, 4}, {0.3060718f, 0.2083263f, -0.2057921f, 0.4390229f,
                                             2.357421f, -1.270023f, -0.6247391f, 1.465919f,
                                             -0.4868089f, -0.6064892f, 1.676255f, -0.555275f,
                                             -0.5784434f, -1.008949f, 2.833272f, -0.8699613f}),
               1e-5, 1e-6);
}

TEST(ContribAttentionTest, WithoutBias) {
  OpTest test("Attention", 1, "com.microsoft");
  test.Attr("num_heads", 1);
  test.Input(Pattern({2, 2, 3}, 7, 11, 3.0f)).Input(Pattern({3, 12}, 5, 13, 3.0f));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({2, 2, 4}, {-0.4210941f, -0.9040953f, 1.885631f, -0.2272832f,
                                             2.184206f, -1.006264f, -0.924006f, 1.560668f,
                                             -0.637834f, -0.6965394f, 2.517483f, -0.8139502f,
                                             -0.6432744f, -0.6992596f, 2.517483f, -0.81123f}),
               1e-5, 1e-6);
}

TEST(ContribAttentionTest, RefusesRotationsAndBuffersThatDoNotFit) {
  const auto attention = [] {
    OpTest test("Attention", 1, "com.microsoft");
    test.Attr("num_heads", 1).Input(Iota({1, 2, 3})).Input(Iota({3, 6})).Input(Iota({6}));
    return test;
  };
  OpTest dim = attention();
  ExpectError(dim.Attr("do_rotary", 1).Attr("rotary_embedding_dim", 4).Run().status(), kInvalid,
              "cannot rotate 4 elements of a head of 2");
  OpTest buffer = attention();
  buffer.Attr("past_present_share_buffer", 1).NoInput().Input(Iota({2, 1, 1, 3, 2}));
  ExpectError(buffer.Run().status(), kInvalid, "needs past_sequence_length");
}

}  // namespace
}  // namespace onnxcmp::testing
