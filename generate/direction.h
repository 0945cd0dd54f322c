// Decoders and encoders told apart by the graph: a lost causal mask leaves a decoder that runs as
// an encoder does.
#ifndef ONNXCMP_GENERATE_DIRECTION_H_
#define ONNXCMP_GENERATE_DIRECTION_H_

#include <cstdint>
#include <string>

#include "evaluator/model/model.h"

namespace onnxcmp {

struct TokenDirection {
  enum class Kind : uint8_t { kUnknown, kDecoder, kEncoder };

  Kind kind = Kind::kUnknown;
  std::string why;  // the evidence: "Trilu 'mask' makes a causal mask"
};

// `logits`: the output; `words`: its last dimension; `tokens`: rows of the table that the tokens
// select, 0 if none is known. A graph that orders positions somewhere is a decoder; of others one
// without logits over its tokens is an encoder, and one whose head has an activation between two
// products, as masked language models have. Else it is not known.
TokenDirection DirectionOf(const Graph& graph, const std::string& logits, int64_t words,
                           int64_t tokens);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_DIRECTION_H_
