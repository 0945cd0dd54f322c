// GreedySearch, Sampling and BeamSearch over a decoder whose logits are rows of a table: the next
// token depends on the last one alone. tests/golden/contrib has decoders with attention.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr char kDecoder[] =
    R"(d (int32[b,s] input_ids, int32[b,s] position_ids, int32[b,t] attention_mask,
          float[2,b,1,p,1] past_0) => (float[b,s,4] logits, float[2,b,1,t,1] present_0) {
        logits = Gather(table, input_ids)
        present_0 = Identity(past_0)
      })";

// Tokens 0, 1, 2; 3 ends a sequence and pads it.
std::string Model(const std::string& op, const std::string& attributes = "",
                  const std::string& more_inputs = "", const std::string& decoder = kDecoder) {
  return absl::StrCat(R"(<ir_version: 9, opset_import: ["": 17, "com.microsoft": 1]>
    g (int32[b,s] ids, float[4,4] table, int32 length, int32 beams) => (int32[b,n] y) {
      y = com.microsoft.)",
                      op,
                      " <eos_token_id: int = 3, pad_token_id: int = 3, decoder: graph = ", decoder,
                      attributes, "> (ids, length", more_inputs, ")\n}");
}

Feeds FeedsFor(int32_t length, int32_t beams = 2) {
  // 0 -> 1 -> 2 -> end; 1 is nearly as likely as 2 after 1.
  return {{"ids", Tensor::Of<int32_t>({2, 1}, {0, 2})},
          {"table", Tensor::Of<float>({4, 4}, {0, 5, 0, 0, 0, 4, 5, 0, 0, 0, 0, 5, 9, 0, 0, 0})},
          {"length", Tensor::Scalar<int32_t>(length)},
          {"beams", Tensor::Scalar<int32_t>(beams)}};
}

TEST(GreedySearchTest, TakesTheLikeliestUntilAllHaveEnded) {
  const auto outputs = RunText(Model("GreedySearch"), FeedsFor(6));
  ExpectTensor(TensorAt(outputs, 0),
               Tensor::Of<int32_t>({2, 6}, {0, 1, 2, 3, 3, 3, 2, 3, 3, 3, 3, 3}));
  ExpectTensor(TensorAt(RunText(Model("GreedySearch"), FeedsFor(2)), 0),
               Tensor::Of<int32_t>({2, 2}, {0, 1, 2, 3}));
}

TEST(GreedySearchTest, FollowsTheRules) {
  const std::string model = Model("GreedySearch", ", no_repeat_ngram_size: int = 1");
  const auto outputs = RunText(model, FeedsFor(4));
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<int32_t>({2, 4}, {0, 1, 2, 3, 2, 3, 3, 3}));
}

TEST(SamplingTest, LeavesOneTokenOfATopPOfNothing) {
  const std::string model =
      Model("Sampling", ", top_p: float = 0.0001, min_tokens_to_keep: int = 1");
  ExpectTensor(TensorAt(RunText(model, FeedsFor(4)), 0),
               Tensor::Of<int32_t>({2, 4}, {0, 1, 2, 3, 2, 3, 3, 3}));
}

TEST(BeamSearchTest, KeepsSeveral) {
  const std::string model = Model("BeamSearch", "", ", , beams, beams");
  const auto outputs = RunText(model, FeedsFor(4));
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<int32_t>({2, 2, 4}, {0, 1, 2, 3, 0, 1, 1, 2,  //
                                                                     2, 3, 3, 3, 2, 0, 1, 2}));
}

TEST(GenerationTest, RefusesWhatItCannotDo) {
  const auto error = [](const std::string& model, const Feeds& feeds) {
    return RunText(model, feeds).status();
  };
  ExpectError(error(Model("GreedySearch"), FeedsFor(1)), kInvalid,
              "max_length is 1, it must be more than the 1 tokens");
  ExpectError(error(Model("GreedySearch"), FeedsFor(1 << 20)), kInvalid, "at most 16384");
  ExpectError(error(Model("GreedySearch", ", model_type: int = 1"), FeedsFor(4)), kUnimplemented,
              "model_type 1");
  ExpectError(error(Model("GreedySearch", ", vocab_size: int = 5"), FeedsFor(4)), kInvalid,
              "vocab_size is 5");
  ExpectError(error(Model("Sampling", ", presence_penalty: float = 0.5"), FeedsFor(4)),
              kUnimplemented, "presence_penalty");
  const std::string beams = ", , beams, beams";
  ExpectError(error(Model("BeamSearch", "", beams), FeedsFor(4, 0)), kInvalid, "num_beams is 0");
  ExpectError(error(Model("BeamSearch", ", model_type: int = 3", beams), FeedsFor(4)), kInvalid,
              "there is no model_type 3");
  ExpectError(error(Model("BeamSearch", ", model_type: int = 1", beams), FeedsFor(4)), kInvalid,
              "the graphs encoder and decoder must be there");
  const std::string no_shape =
      absl::StrReplaceAll(kDecoder, {{"float[2,b,1,p,1] past_0", "float past_0"}});
  ExpectError(error(Model("GreedySearch", "", "", no_shape), FeedsFor(4)), kInvalid,
              "must declare a type (2, batch, heads, past, head size)");
  const std::string shared = absl::StrReplaceAll(
      kDecoder, {{"past_0) =>", "past_0, int32[one] past_sequence_length) =>"}});
  ExpectError(error(Model("GreedySearch", "", "", shared), FeedsFor(4)), kUnimplemented,
              "share their buffer");
  const std::string flat = absl::StrReplaceAll(
      kDecoder, {{"logits = Gather(table, input_ids)", "logits = Identity(table)"}});
  ExpectError(error(Model("GreedySearch", "", "", flat), FeedsFor(4)), kInvalid,
              "the logits are float[4,4]");
}

}  // namespace
}  // namespace onnxcmp::testing
