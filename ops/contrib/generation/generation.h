// The frame of the operators that generate text: the sequences, the rules that change the scores of
// tokens, and the models that score the next token, which are subgraphs of the node.
#ifndef ONNXCMP_OPS_CONTRIB_GENERATION_GENERATION_H_
#define ONNXCMP_OPS_CONTRIB_GENERATION_GENERATION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Token by token; all of one length. Beams of one batch entry follow each other.
using TokenRows = std::vector<std::vector<int32_t>>;

// The attributes that the operators have in common.
struct GenerationAttributes {
  static absl::StatusOr<GenerationAttributes> FromNode(const KernelInit& node);

  int32_t eos;
  int32_t pad;
  int32_t start;
  int64_t no_repeat_ngram;
  int64_t vocabulary;  // -1 or 0: that of the logits
};

// Lengths, and the rules in the order in which they are applied.
struct GenerationLimits {
  int64_t max_length = 0;
  int64_t min_length = 0;
  float repetition_penalty = 1;
  std::vector<int64_t> vocabulary_mask;  // of the vocabulary, or empty
  std::vector<int64_t> prefix_mask;      // of (batch, vocabulary), or empty; for the first token
  float temperature = 1;
};

// Reads them from the inputs of these numbers: max_length, min_length (optional), ...
struct LimitInputs {
  int max_length, min_length, repetition_penalty, vocabulary_mask, prefix_mask;
};
absl::StatusOr<GenerationLimits> ReadLimits(const KernelContext& ctx, const LimitInputs& inputs,
                                            int64_t length, int64_t longest);

// (rows, vocabulary), changed by the rules; `step` counts from 1.
absl::Status ApplyRules(const GenerationAttributes& attributes, const GenerationLimits& limits,
                        const TokenRows& rows, int64_t batch, int64_t step,
                        absl::Span<float> scores);

// Scores the next token of every row.
class TokenModel {
 public:
  virtual ~TokenModel() = default;

  // The sequences to begin with, `beams` for each batch entry.
  virtual absl::StatusOr<TokenRows> Start(KernelContext& ctx, int64_t beams) = 0;
  // Logits of (rows, vocabulary). Row i continues row parents[i] of the step before.
  virtual absl::StatusOr<Tensor> Step(KernelContext& ctx, const TokenRows& rows,
                                      absl::Span<const int64_t> parents) = 0;
};

// Makes a model for one run of the node.
using TokenModelMaker = std::function<std::unique_ptr<TokenModel>()>;

// A model of the subgraphs decoder and init_decoder, as GPT-2 has them: (input_ids, position_ids,
// attention_mask, past_0, ...) -> (logits, present_0, ...). `mask_input`: the node's attention
// mask.
absl::StatusOr<TokenModelMaker> GptModel(const KernelInit& node,
                                         const GenerationAttributes& attributes, int mask_input);
// Inputs of the node: the mask of input_ids, -1 for features, which have none (Whisper's, to T5's
// tokens); the tokens to begin with (optional), -1 for decoder_start_token_id alone.
struct EncoderInputs {
  int mask = -1;
  int decoder_ids = -1;
};

// A model of the subgraphs encoder and decoder; the masks are T5's alone, the hidden states
// optional:
//   (encoder_input_ids, encoder_attention_mask, decoder_input_ids) ->
//       (logits, encoder_hidden_states, present self..., present cross...)
//   (input_ids, encoder_attention_mask, encoder_hidden_states, past self..., past cross...) ->
//       (logits, present self...)
// or with an encoder for its own part alone, where the decoder has no hidden states:
//   (encoder_input_ids, encoder_attention_mask) -> (present cross...)
absl::StatusOr<TokenModelMaker> EncoderModel(const KernelInit& node,
                                             const GenerationAttributes& attributes,
                                             const EncoderInputs& inputs);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_GENERATION_GENERATION_H_
