#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// onnxruntime's results are compared in tests/golden; here is what its CPU kernel lacks. Expected
// values are those of the formula, computed in double by NumPy.

TEST(ContribGroupQueryAttentionTest, NormalizesHeadsBeforeItRotatesThem) {
  OpTest test("GroupQueryAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2)
      .Attr("kv_num_heads", 1)
      .Attr("do_rotary", 1)
      .Attr("qk_norm_epsilon", 0.5f);
  test.Input(Pattern({1, 2, 8}, 7, 23, 3.0f))
      .Input(Pattern({1, 2, 4}, 5, 19, 2.0f))
      .Input(Pattern({1, 2, 4}, 3, 17, 2.0f))
      .NoInput()
      .NoInput()
      .Input(Tensor::Of<int32_t>({1}, {1}))
      .Input(Tensor::Of<int32_t>({}, {2}))
      .Input(Pattern({4, 1}, 3, 7))
      .Input(Pattern({4, 1}, 5, 11))
      .NoInput()
      .NoInput()
      .NoInput()
      .NoInput()
      .NoInput()
      .Input(Pattern({4}, 3, 7, 2.0f))
      .Input(Pattern({4}, 5, 9, 2.0f));
  test.Outputs(3);
  ExpectOutputs(
      test,
      {Tensor::Of<float>(
           {1, 2, 8}, {-0.9411765f, -0.5882353f, -0.2352941f, 0.1176471f, -0.9411765f, -0.5882353f,
                       -0.2352941f, 0.1176471f, -0.2199041f, 0.1330371f, -0.5358243f, -0.1828831f,
                       -0.2290204f, 0.1239208f, -0.5320258f, -0.1790847f}),
       Tensor::Of<float>({1, 1, 2, 4}, {-0.4322296f, -0.3671348f, -0.07518452f, 0.3007381f, 0, 0,
                                        -0.1523188f, 0.3554105f}),
       Tensor::Of<float>({1, 1, 2, 4}, {-0.9411765f, -0.5882353f, -0.2352941f, 0.1176471f,
                                        0.4705882f, 0.8235294f, -0.8235294f, -0.4705882f})},
      1e-5, 1e-6);
}

TEST(ContribGroupQueryAttentionTest, EpsilonsOfTheirOwn) {
  OpTest test("GroupQueryAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2)
      .Attr("kv_num_heads", 1)
      .Attr("do_rotary", 1)
      .Attr("qk_norm_epsilon", 9.0f)
      .Attr("q_norm_epsilon", 0.5f)
      .Attr("k_norm_epsilon", 0.5f);
  test.Input(Pattern({1, 2, 8}, 7, 23, 3.0f))
      .Input(Pattern({1, 2, 4}, 5, 19, 2.0f))
      .Input(Pattern({1, 2, 4}, 3, 17, 2.0f))
      .NoInput()
      .NoInput()
      .Input(Tensor::Of<int32_t>({1}, {1}))
      .Input(Tensor::Of<int32_t>({}, {2}))
      .Input(Pattern({4, 1}, 3, 7))
      .Input(Pattern({4, 1}, 5, 11))
      .NoInput()
      .NoInput()
      .NoInput()
      .NoInput()
      .NoInput()
      .Input(Pattern({4}, 3, 7, 2.0f))
      .Input(Pattern({4}, 5, 9, 2.0f));
  test.Outputs(3);
  ExpectOutputs(
      test,
      {Tensor::Of<float>(
           {1, 2, 8}, {-0.9411765f, -0.5882353f, -0.2352941f, 0.1176471f, -0.9411765f, -0.5882353f,
                       -0.2352941f, 0.1176471f, -0.2199041f, 0.1330371f, -0.5358243f, -0.1828831f,
                       -0.2290204f, 0.1239208f, -0.5320258f, -0.1790847f}),
       Tensor::Of<float>({1, 1, 2, 4}, {-0.4322296f, -0.3671348f, -0.07518452f, 0.3007381f, 0, 0,
                                        -0.1523188f, 0.3554105f}),
       Tensor::Of<float>({1, 1, 2, 4}, {-0.9411765f, -0.5882353f, -0.2352941f, 0.1176471f,
                                        0.4705882f, 0.8235294f, -0.8235294f, -0.4705882f})},
      1e-5, 1e-6);
}

// One head of size 2, a cache of four rows, of which `lengths` + 1 - `valid` are of the past.
OpTest PaddedChunk(int32_t last, int32_t valid, int32_t bound = 4) {
  OpTest test("GroupQueryAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1).Attr("kv_num_heads", 1).Outputs(3);
  for (int i = 0; i < 3; ++i) test.Input(Iota({1, 2, 2}));
  test.Input(Iota({1, 1, 4, 2})).Input(Iota({1, 1, 4, 2}));
  test.Input(Tensor::Of<int32_t>({1}, {last})).Input(Tensor::Of<int32_t>({}, {bound}));
  for (int i = 0; i < 9; ++i) test.NoInput();
  return test.Input(Tensor::Of<int32_t>({1}, {valid}));
}

TEST(ContribGroupQueryAttentionTest, PaddedChunks) {
  // Two rows of the past, one new one; what follows them is undefined.
  const absl::StatusOr<Tensor> present = PaddedChunk(2, 1).Run(1);
  ASSERT_TRUE(present.ok()) << present.status();
  const std::vector<float> want = {0, 1, 2, 3, 0, 1};
  EXPECT_TRUE(std::equal(want.begin(), want.end(), present->data<float>()));
  const auto status = [](OpTest test) { return test.RunAll().status(); };
  ExpectError(status(PaddedChunk(2, 3)), kInvalid, "query_seqlens 3 of 2 new tokens");
  ExpectError(status(PaddedChunk(2, -1)), kInvalid, "query_seqlens -1 of 2");
  ExpectError(status(PaddedChunk(0, 2)), kInvalid, "seqlens_k 0 does not go with");
  ExpectError(status(PaddedChunk(3, 1)), kInvalid, "a cache of 4 rows");  // 3 + 2 padded ones
  ExpectError(status(PaddedChunk(2, 1, 2)), kInvalid, "seqlens_k 2 does not go with");
  ExpectError(status(PaddedChunk(2, 1).Attr("causal", 0)), kInvalid,
              "query_seqlens needs causal 1");
}

TEST(ContribGroupQueryAttentionTest, MakesACacheOfInt8) {
  OpTest test("GroupQueryAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1)
      .Attr("kv_num_heads", 1)
      .Attr("k_quant_type", "PER_TENSOR")
      .Attr("v_quant_type", "PER_CHANNEL")
      .Attr("kv_cache_bit_width", 8);
  test.Input(Pattern({1, 2, 2}, 7, 23, 3.0f))
      .Input(Pattern({1, 2, 2}, 5, 19, 2.0f))
      .Input(Pattern({1, 2, 2}, 3, 17, 2.0f))
      .NoInput()
      .NoInput()
      .Input(Tensor::Of<int32_t>({1}, {1}))
      .Input(Tensor::Of<int32_t>({}, {2}))
      .NoInput()
      .NoInput()
      .NoInput()
      .NoInput()
      .NoInput()
      .Input(Tensor::Of<float>({1}, {0.05f}))
      .Input(Tensor::Of<float>({2}, {0.1f, 0.002f}));
  test.Outputs(3);
  ExpectOutputs(test,
                {Tensor::Of<float>({1, 2, 2}, {-0.9f, -0.256f, -0.3548074f, 0.03528863f}),
                 Tensor::Of<int8_t>({1, 1, 2, 2}, {-19, -8, 2, 13}),
                 Tensor::Of<int8_t>({1, 1, 2, 2}, {-9, -128, -2, 59})},
                1e-5, 1e-6);
}

TEST(ContribGroupQueryAttentionTest, PaddingOfAPromptSeesItsTokens) {
  OpTest test("GroupQueryAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1).Attr("kv_num_heads", 1);
  test.Input(Pattern({2, 2, 2}, 7, 23, 3.0f))
      .Input(Pattern({2, 2, 2}, 5, 19, 2.0f))
      .Input(Pattern({2, 2, 2}, 3, 17, 2.0f))
      .NoInput()
      .NoInput()
      .Input(Tensor::Of<int32_t>({2}, {1, 0}))
      .Input(Tensor::Of<int32_t>({}, {2}));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({2, 2, 2}, {-0.9411765f, -0.5882353f, -0.3910191f, -0.03807793f,
                                             0.4705882f, 0.8235294f, 0.4705882f, 0.8235294f}),
               1e-5, 1e-6);
}

struct Sizes {
  int batch = 1;
  int tokens = 1;
  int past = 3;
};

// One head of two channels.
OpTest Decode(const std::vector<int32_t>& lengths_less_one, int total, Sizes sizes) {
  OpTest test("GroupQueryAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1).Attr("kv_num_heads", 1);
  for (int i = 0; i < 3; ++i) test.Input(Iota({sizes.batch, sizes.tokens, 2}));
  test.Input(Iota({sizes.batch, 1, sizes.past, 2})).Input(Iota({sizes.batch, 1, sizes.past, 2}));
  test.Input(
      Tensor::Of<int32_t>({static_cast<int64_t>(lengths_less_one.size())}, lengths_less_one));
  test.Input(Tensor::Scalar<int32_t>(total));
  return test;
}

TEST(ContribGroupQueryAttentionTest, RefusesLengthsThatDoNotFit) {
  EXPECT_TRUE(Decode({3}, 4, {}).Run().ok());
  for (int length : {-2147483647 - 1, -1, 4, 2147483647}) {
    ExpectError(Decode({length}, 4, {}).Run().status(), kInvalid, "seqlens_k");
  }
  ExpectError(Decode({1, 1}, 4, {}).Run().status(), kInvalid, "seqlens_k has shape [2]");
  ExpectError(Decode({0}, 4, {.tokens = 2}).Run().status(), kInvalid, "2 new tokens");
  ExpectError(Decode({4}, 5, {}).Run().status(), kInvalid, "a past of 3");
  ExpectError(Decode({0}, 0, {}).Run().status(), kInvalid, "total_sequence_length 0 is less");
}

TEST(ContribGroupQueryAttentionTest, RefusesAttributes) {
  const auto with = [](const char* name, auto value) {
    OpTest test = Decode({3}, 4, {});
    test.Attr(name, value);
    return test.Run().status();
  };
  ExpectError(with("local_window_size", 0), kInvalid, "local_window_size 0");
  ExpectError(with("qk_output", 1), kInvalid, "without an output output_qk");
  ExpectError(with("qk_output", 3), kInvalid, "qk_output 3");
  ExpectError(with("k_quant_type", "PER_ROW"), kInvalid, "\"PER_ROW\"");
  ExpectError(with("k_quant_type", "PER_TENSOR"), kInvalid, "cache of float");
  ExpectError(with("kv_num_heads", 2), kInvalid, "no multiple of kv_num_heads 2");
  ExpectError(with("sliding_window_cache", 1), kInvalid, "at least local_window_size rows");
  ExpectError(with("do_rotary", 1), kInvalid, "do_rotary needs cos_cache");
}

TEST(ContribGroupQueryAttentionTest, RefusesPositionsOutsideOfTheCaches) {
  OpTest test = Decode({3}, 4, {});
  test.Attr("do_rotary", 1).Input(Iota({3, 1})).Input(Iota({3, 1}));
  ExpectError(test.Run().status(), kInvalid, "position 3 is outside of the caches' 3 rows");
}

TEST(ContribGroupQueryAttentionTest, RefusesAWindowCacheSmallerThanTheWindow) {
  OpTest test = Decode({3}, 4, {});
  test.Attr("sliding_window_cache", 1).Attr("local_window_size", 4);
  ExpectError(test.Run().status(), kInvalid, "at least local_window_size rows");
}

// Layers that share the keys and values of another one: no new rows, the past has them all.
TEST(ContribGroupQueryAttentionTest, KeysOfAnotherLayer) {
  OpTest test("GroupQueryAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1).Attr("kv_num_heads", 1);
  test.Input(Iota({1, 1, 2})).Input(Iota({1, 0, 2})).Input(Iota({1, 0, 2}));
  test.Input(Tensor::Of<float>({1, 1, 3, 2}, {1, 1, 1, 1, 5, 5}));
  test.Input(Tensor::Of<float>({1, 1, 3, 2}, {1, 2, 3, 4, 5, 6}));
  test.Input(Tensor::Of<int32_t>({1}, {1})).Input(Tensor::Scalar<int32_t>(2)).Outputs(3);
  ExpectOutputs(
      test,
      {Tensor::Of<float>({1, 1, 2}, {2, 3}), Tensor::Of<float>({1, 1, 3, 2}, {1, 1, 1, 1, 0, 0}),
       Tensor::Of<float>({1, 1, 3, 2}, {1, 2, 3, 4, 0, 0})},
      1e-6);
}

// As in onnxruntime.
TEST(ContribGroupQueryAttentionTest, AQueryWhoseBiasLeavesNoKeyIsZero) {
  OpTest test("GroupQueryAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1).Attr("kv_num_heads", 1);
  for (int i = 0; i < 3; ++i) test.Input(Iota({1, 2, 1}));
  test.NoInput().NoInput().Input(Tensor::Of<int32_t>({1}, {1})).Input(Tensor::Scalar<int32_t>(2));
  test.NoInput().NoInput().NoInput();
  test.Input(Tensor::Of<float>({1, 1, 2, 2}, {0, 0, -kInf, -kInf}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 2, 1}, {0, 0}));
}

TEST(ContribGroupQueryAttentionTest, EmptyBatch) {
  ExpectTensor(Decode({}, 4, {.batch = 0}).Run(), Iota({0, 1, 2}));
}

}  // namespace
}  // namespace onnxcmp::testing
