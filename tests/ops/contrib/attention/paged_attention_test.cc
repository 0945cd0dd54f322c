#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are those of the formula, computed in double by NumPy. All
// is float16.

TEST(ContribPagedAttentionTest, BlocksOfTwoSequences) {
  OpTest test("PagedAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2).Attr("kv_num_heads", 1);
  test.Input(Convert(Pattern({3, 4}, 7, 23, 3.0f), DType::kFloat16))
      .Input(Convert(Pattern({3, 2}, 5, 19, 2.0f), DType::kFloat16))
      .Input(Convert(Pattern({3, 2}, 3, 17, 2.0f), DType::kFloat16))
      .Input(Convert(Pattern({4, 2, 1, 2}, 11, 29, 2.0f), DType::kFloat16))
      .Input(Convert(Pattern({4, 2, 1, 2}, 13, 31, 2.0f), DType::kFloat16))
      .Input(Tensor::Of<int32_t>({3}, {0, 2, 3}))
      .Input(Tensor::Of<int32_t>({2}, {1, 2}))
      .Input(Tensor::Of<int32_t>({2, 2}, {3, 0, 1, 2}));
  test.Outputs(3);
  ExpectOutputs(
      test,
      {Convert(Tensor::Of<float>({3, 4}, {-0.9349398f, -0.4994344f, -0.9101783f, -0.1588451f,
                                          -0.7364144f, -0.2487533f, -0.6817062f, -0.1847183f,
                                          0.2988878f, 0.1784732f, 0.3352f, 0.5796146f}),
               DType::kFloat16),
       Convert(Tensor::Of<float>({4, 2, 1, 2}, {0.1052856f, 0.6313477f, 0.5517578f, -0.6894531f,
                                                0.06896973f, 0.8276367f, -0.4138184f, 0.3447266f,
                                                -0.8422852f, -0.3156738f, 0.6206055f, -0.6206055f,
                                                0.1379395f, 0.8964844f, -0.9472656f, -0.4211426f}),
               DType::kFloat16),
       Convert(
           Tensor::Of<float>({4, 2, 1, 2}, {-0.2353516f, 0.1176758f, 0.7094727f, -0.4516602f,
                                            0.387207f, -0.7744141f, 0.06451416f, 0.9033203f,
                                            0.4707031f, 0.8237305f, -0.5805664f, 0.2580566f,
                                            -0.9033203f, -0.06451416f, -0.9414062f, -0.5883789f}),
           DType::kFloat16)},
      2e-3, 2e-3);
}

TEST(ContribPagedAttentionTest, SlotsSinksSoftcapAndWindow) {
  OpTest test("PagedAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2)
      .Attr("kv_num_heads", 1)
      .Attr("is_causal", 0)
      .Attr("local_window_size", 2)
      .Attr("softcap", 1.5f);
  test.Input(Convert(Pattern({3, 4}, 7, 23, 3.0f), DType::kFloat16))
      .Input(Convert(Pattern({3, 2}, 5, 19, 2.0f), DType::kFloat16))
      .Input(Convert(Pattern({3, 2}, 3, 17, 2.0f), DType::kFloat16))
      .Input(Convert(Pattern({4, 2, 1, 2}, 11, 29, 2.0f), DType::kFloat16))
      .Input(Convert(Pattern({4, 2, 1, 2}, 13, 31, 2.0f), DType::kFloat16))
      .Input(Tensor::Of<int32_t>({3}, {0, 2, 3}))
      .Input(Tensor::Of<int32_t>({2}, {1, 2}))
      .Input(Tensor::Of<int32_t>({2, 2}, {3, 0, 1, 2}))
      .NoInput()
      .NoInput()
      .Input(Tensor::Of<int32_t>({3}, {7, -1, 4}))
      .Input(Convert(Pattern({2}, 3, 5, 2.0f), DType::kFloat16));
  test.Outputs(3);
  ExpectOutputs(
      test,
      {Convert(Tensor::Of<float>({3, 4}, {-0.8793105f, -0.3056859f, -0.6386764f, -0.1116602f,
                                          -0.8384796f, -0.312324f, -0.4384103f, -0.1731001f,
                                          0.1945568f, 0.7202526f, 0.2224717f, 0.5991068f}),
               DType::kFloat16),
       Convert(Tensor::Of<float>({4, 2, 1, 2}, {-0.965332f, -0.2069092f, 0.5517578f, -0.6894531f,
                                                0.06896973f, 0.8276367f, -0.4138184f, 0.3447266f,
                                                -0.8422852f, -0.3156738f, 0.6206055f, -0.6206055f,
                                                0.1379395f, 0.8964844f, -0.9472656f, -0.4211426f}),
               DType::kFloat16),
       Convert(
           Tensor::Of<float>({4, 2, 1, 2}, {-0.9677734f, -0.1290283f, 0.7094727f, -0.4516602f,
                                            0.387207f, -0.7744141f, 0.06451416f, 0.9033203f,
                                            0.4707031f, 0.8237305f, -0.5805664f, 0.2580566f,
                                            -0.9033203f, -0.06451416f, -0.9414062f, -0.5883789f}),
           DType::kFloat16)},
      2e-3, 2e-3);
}

TEST(ContribPagedAttentionTest, ValuesOutOfLatentKeys) {
  OpTest test("PagedAttention", 1, "com.microsoft");
  test.Attr("num_heads", 2)
      .Attr("kv_num_heads", 1)
      .Attr("kv_cache_layout", "LATENT")
      .Attr("v_head_size", 1)
      .Attr("scale", 0.5f);
  test.Input(Convert(Pattern({3, 4}, 7, 23, 3.0f), DType::kFloat16))
      .Input(Convert(Pattern({3, 2}, 5, 19, 2.0f), DType::kFloat16))
      .NoInput()
      .Input(Convert(Pattern({4, 2, 1, 2}, 11, 29, 2.0f), DType::kFloat16))
      .NoInput()
      .Input(Tensor::Of<int32_t>({3}, {0, 2, 3}))
      .Input(Tensor::Of<int32_t>({2}, {1, 2}))
      .Input(Tensor::Of<int32_t>({2, 2}, {3, 0, 1, 2}));
  test.Outputs(2);
  ExpectOutputs(
      test,
      {Convert(Tensor::Of<float>({3, 2}, {-0.6807524f, -0.1388339f, -0.3196622f, -0.2494284f,
                                          -0.3379678f, -0.5161311f}),
               DType::kFloat16),
       Convert(Tensor::Of<float>({4, 2, 1, 2}, {0.1052856f, 0.6313477f, 0.5517578f, -0.6894531f,
                                                0.06896973f, 0.8276367f, -0.4138184f, 0.3447266f,
                                                -0.8422852f, -0.3156738f, 0.6206055f, -0.6206055f,
                                                0.1379395f, 0.8964844f, -0.9472656f, -0.4211426f}),
               DType::kFloat16)},
      2e-3, 2e-3);
}

struct Paged {
  std::vector<int32_t> bounds = {0, 1};
  int past = 1;
  int block = 0;
  const char* layout = "SEPARATE";
  const char* dtype = "";
};

absl::Status RunPaged(const Paged& paged) {
  OpTest test("PagedAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1).Attr("kv_num_heads", 1).Attr("kv_cache_layout", paged.layout);
  test.Attr("k_cache_dtype", paged.dtype);
  for (int i = 0; i < 3; ++i) test.Input(Convert(Iota({1, 2}), DType::kFloat16));
  for (int i = 0; i < 2; ++i) test.Input(Convert(Iota({1, 2, 1, 2}), DType::kFloat16));
  test.Input(Tensor::Of<int32_t>({static_cast<int64_t>(paged.bounds.size())}, paged.bounds));
  test.Input(Tensor::Of<int32_t>({1}, {paged.past}));
  test.Input(Tensor::Of<int32_t>({1, 1}, {paged.block}));
  return test.Run().status();
}

TEST(ContribPagedAttentionTest, RefusesWhatDoesNotFit) {
  EXPECT_TRUE(RunPaged({}).ok());
  ExpectError(RunPaged({.bounds = {0, 2}}), kInvalid,
              "input 5 does not part the sequences of 1 tokens");
  ExpectError(RunPaged({.past = 2}), kInvalid,
              "a sequence of 3 tokens, 2 of them past, in 1 blocks of 2");
  ExpectError(RunPaged({.past = -1}), kInvalid, "-1 of them past");
  ExpectError(RunPaged({.block = 1}), kInvalid, "block_table names block 1 of 1");
  ExpectError(RunPaged({.layout = "LATENT"}), kInvalid,
              "if and only if kv_cache_layout is SEPARATE");
  ExpectError(RunPaged({.layout = "JOINED"}), kInvalid, "\"JOINED\"");
  ExpectError(RunPaged({.dtype = "int4"}), kUnimplemented, "k_cache_dtype int4");
  ExpectError(RunPaged({.dtype = "int3"}), kInvalid, "\"int3\"");
}

}  // namespace
}  // namespace onnxcmp::testing
