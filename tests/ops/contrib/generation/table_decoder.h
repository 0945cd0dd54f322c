// A decoder whose logits are rows of a table: the next token depends on the last one alone.
// tests/golden/contrib has decoders with attention.
#ifndef ONNXCMP_TESTS_OPS_CONTRIB_GENERATION_TABLE_DECODER_H_
#define ONNXCMP_TESTS_OPS_CONTRIB_GENERATION_TABLE_DECODER_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/model_test.h"

namespace onnxcmp::testing {

inline constexpr char kTableDecoder[] =
    R"(d (int32[b,s] input_ids, int32[b,s] position_ids, int32[b,t] attention_mask,
          float[2,b,1,p,1] past_0) => (float[b,s,4] logits, float[2,b,1,t,1] present_0) {
        logits = Gather(table, input_ids)
        present_0 = Identity(past_0)
      })";

// Tokens 0, 1, 2; 3 ends a sequence and pads it.
inline std::string TableModel(const std::string& op, const std::string& attributes = "",
                              const std::string& more_inputs = "",
                              const std::string& decoder = kTableDecoder) {
  return absl::StrCat(R"(<ir_version: 9, opset_import: ["": 17, "com.microsoft": 1]>
    g (int32[b,s] ids, float[4,4] table, int32 length, int32 beams) => (int32[b,n] y) {
      y = com.microsoft.)",
                      op,
                      " <eos_token_id: int = 3, pad_token_id: int = 3, decoder: graph = ", decoder,
                      attributes, "> (ids, length", more_inputs, ")\n}");
}

inline Feeds TableFeeds(int32_t length, int32_t beams = 2) {
  // 0 -> 1 -> 2 -> end; 1 is nearly as likely as 2 after 1.
  return {{"ids", Tensor::Of<int32_t>({2, 1}, {0, 2})},
          {"table", Tensor::Of<float>({4, 4}, {0, 5, 0, 0, 0, 4, 5, 0, 0, 0, 0, 5, 9, 0, 0, 0})},
          {"length", Tensor::Scalar<int32_t>(length)},
          {"beams", Tensor::Scalar<int32_t>(beams)}};
}

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_OPS_CONTRIB_GENERATION_TABLE_DECODER_H_
