#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// onnxruntime's results are compared in tests/golden; here is what its CPU kernel lacks.
// Expected values are those of the formula, computed in double by NumPy.

TEST(ContribMultiHeadAttentionTest, PackedQueryKeyValue) {
  OpTest test("MultiHeadAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2);
  test.Input(Pattern({1, 3, 2, 3, 2}, 7, 23, 3.0f)).NoInput().NoInput().Input(Pattern({12}, 5, 11));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({1, 3, 4}, {1.008988f, -0.97368f, -0.3076843f, -0.0853388f,
                                             -0.07827828f, -0.3910042f, -0.5834574f, -0.8698065f,
                                             0.5566191f, -0.7030868f, -0.03905009f, -1.119845f}),
               1e-5, 1e-6);
}

TEST(ContribMultiHeadAttentionTest, PackedKeyValue) {
  OpTest test("MultiHeadAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2);
  test.Input(Pattern({1, 2, 4}, 7, 23, 3.0f)).Input(Pattern({1, 3, 2, 2, 2}, 5, 19, 2.0f));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({1, 2, 4}, {0.2754789f, 0.3173738f, 0.4561092f, 0.1422709f,
                                             0.3021848f, 0.2254113f, 0.4210526f, 0.2807018f}),
               1e-5, 1e-6);
}

TEST(ContribMultiHeadAttentionTest, CacheIndirectionOverASharedBuffer) {
  OpTest test("MultiHeadAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1);
  test.Input(Pattern({2, 1, 2}, 7, 23, 3.0f))
      .Input(Pattern({2, 1, 2}, 5, 19, 2.0f))
      .Input(Pattern({2, 1, 2}, 3, 17, 2.0f))
      .NoInput()
      .NoInput()
      .NoInput()
      .Input(Pattern({2, 1, 4, 2}, 11, 29, 2.0f))
      .Input(Pattern({2, 1, 4, 2}, 13, 31, 2.0f))
      .Input(Tensor::Of<int32_t>({}, {2}))
      .Input(Tensor::Of<int32_t>({1, 2, 4}, {1, 0, 0, 0, 1, 1, 0, 0}));
  test.Outputs(3);
  ExpectOutputs(
      test,
      {Tensor::Of<float>({2, 1, 2}, {-0.4724909f, -0.09558557f, -0.3124639f, 0.2464378f}),
       Tensor::Of<float>({2, 1, 4, 2},
                         {-0.9655172f, -0.2068966f, 0.5517241f, -0.6896552f, -0.9473684f,
                          -0.4210526f, -0.4137931f, 0.3448276f, -0.8965517f, -0.137931f, 0.6206896f,
                          -0.6206896f, 0.1052632f, 0.6315789f, -0.3448276f, 0.4137931f}),
       Tensor::Of<float>({2, 1, 4, 2}, {-0.9677419f, -0.1290323f, 0.7096774f, -0.4516129f,
                                        -0.9411765f, -0.5882353f, 0.06451613f, 0.9032258f,
                                        -0.2580645f, 0.5806451f, -0.5806451f, 0.2580645f,
                                        -0.2352941f, 0.1176471f, 0.7741935f, -0.3870968f})},
      1e-5, 1e-6);
}

TEST(ContribMultiHeadAttentionTest, InDouble) {
  OpTest test("MultiHeadAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1);
  for (int i = 0; i < 3; ++i) test.Input(Tensor::Of<double>({1, 1, 1}, {1.0 + i * 1e-12}));
  ExpectTensor(test.Run(), Tensor::Of<double>({1, 1, 1}, {1.0 + 2e-12}));
}

// No keys, no queries, no batch.
TEST(ContribMultiHeadAttentionTest, Empty) {
  OpTest no_keys("MultiHeadAttention", 1, "com.microsoft");
  no_keys.Attr("num_heads", 2);
  no_keys.Input(Iota({1, 2, 4})).Input(Iota({1, 0, 4})).Input(Iota({1, 0, 4}));
  ExpectTensor(no_keys.Run(), Tensor::Of<float>({1, 2, 4}, std::vector<float>(8, 0.0f)));
  OpTest no_batch("MultiHeadAttention", 1, "com.microsoft");
  no_batch.Attr("num_heads", 2);
  no_batch.Input(Iota({0, 2, 4})).Input(Iota({0, 3, 4})).Input(Iota({0, 3, 4}));
  ExpectTensor(no_batch.Run(), Iota({0, 2, 4}));
}

OpTest Plain() {
  OpTest test("MultiHeadAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2);
  test.Input(Iota({1, 2, 4})).Input(Iota({1, 3, 4})).Input(Iota({1, 3, 4}));
  return test;
}

TEST(ContribMultiHeadAttentionTest, RefusesShapesThatDoNotFit) {
  OpTest bias = Plain();
  ExpectError(bias.Input(Iota({11})).Run().status(), kInvalid, "bias has shape [11]");
  OpTest mask = Plain();
  mask.NoInput().Input(Tensor::Of<int32_t>({5}, {1, 1, 1, 1, 0}));
  EXPECT_TRUE(mask.Run().ok());  // 3 * batch + 2
  OpTest short_mask = Plain();
  short_mask.NoInput().Input(Tensor::Of<int32_t>({1, 2}, {1, 1}));
  ExpectError(short_mask.Run().status(), kInvalid, "key_padding_mask has shape [1x2]");
  OpTest addend = Plain();
  addend.NoInput().NoInput().Input(Iota({1, 2, 2, 2}));
  ExpectError(addend.Run().status(), kInvalid, "attention_bias has shape [1x2x2x2]");
  OpTest past = Plain();
  past.NoInput().NoInput().NoInput().Input(Iota({1, 2, 2, 2}));
  ExpectError(past.Run().status(), kInvalid, "past_key and past_value come together");
  OpTest heads("MultiHeadAttention", 1, "com.microsoft");
  heads.Attr("num_heads", 3).Input(Iota({1, 2, 4})).Input(Iota({1, 2, 4})).Input(Iota({1, 2, 4}));
  ExpectError(heads.Run().status(), kInvalid, "for 3 heads");
  OpTest scalar("MultiHeadAttention", 1, "com.microsoft");
  scalar.Attr("num_heads", 2).Input(Iota({1, 2, 4})).Input(Iota({1, 2, 4})).Input(Iota({}));
  ExpectError(scalar.Input(Iota({12})).Run().status(), kInvalid, "value has shape []");
  OpTest none("MultiHeadAttention", 1, "com.microsoft");
  none.Attr("num_heads", 0).Input(Iota({1, 2, 4}));
  ExpectError(none.Run().status(), kInvalid, "num_heads is 0");
}

TEST(ContribMultiHeadAttentionTest, RefusesRowsBehindTheBuffer) {
  for (int past : {-1, 2, 2147483647}) {
    OpTest test("MultiHeadAttention", 1, "com.microsoft");
    test.Attr("num_heads", 1);
    for (int i = 0; i < 3; ++i) test.Input(Iota({1, 2, 2}));
    test.NoInput().NoInput().NoInput().Input(Iota({1, 1, 3, 2})).Input(Iota({1, 1, 3, 2}));
    test.Input(Tensor::Of<int32_t>({1}, {past}));
    ExpectError(test.Run().status(), kInvalid, "do not fit into a cache of 3");
  }
}

TEST(ContribMultiHeadAttentionTest, RefusesABeamThatIsNotThere) {
  OpTest test("MultiHeadAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1);
  for (int i = 0; i < 3; ++i) test.Input(Iota({1, 1, 2}));
  test.NoInput().NoInput().NoInput().Input(Iota({1, 1, 3, 2})).Input(Iota({1, 1, 3, 2}));
  test.Input(Tensor::Of<int32_t>({1}, {1})).Input(Tensor::Of<int32_t>({1, 1, 3}, {1, 0, 0}));
  ExpectError(test.Run().status(), kInvalid, "cache_indirection names beam 1 of 1");
}

}  // namespace
}  // namespace onnxcmp::testing
