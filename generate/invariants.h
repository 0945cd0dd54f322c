// Properties that hold of any decoder, tried: the same tokens in other pieces, batches, paddings.
#ifndef ONNXCMP_GENERATE_INVARIANTS_H_
#define ONNXCMP_GENERATE_INVARIANTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "generate/decoder.h"
#include "generate/decoder_side.h"

namespace onnxcmp {

struct Invariant {
  enum class Outcome : uint8_t { kToTheBit, kWithinRounding, kBroken, kNotTried };

  std::string name;  // "one token at a time"
  Outcome outcome = Outcome::kNotTried;
  std::string why;  // kNotTried: what the inputs do not allow; kBroken: the run failed

  // kBroken: the first token whose logits differ, by its prompt and its place among those that
  // count, the step that read it, and how far the logits are apart.
  int64_t row = 0;
  int64_t position = 0;
  int64_t step = 0;
  double max_difference = 0;
  std::string elements;  // the two logits that are farthest apart, the reference first
  // The first result that differs from the reference's on the elements that have to agree, and by
  // which the logits do; "" if none can be told.
  std::string node;    // "Softmax 'attn/softmax'"
  std::string result;  // its name
};

// `seed`: of the tokens, which are made up. `causal`: a model without states has to be causal; else
// one whose first token sees the last is taken for an encoder. Errors: the model does not run on
// the reference tokens themselves.
absl::StatusOr<std::vector<Invariant>> TryInvariants(const DecoderSide& one, uint64_t seed,
                                                     bool causal);

// Those of the cache alone, on the decoder's tokens: all at once beside one at a time.
absl::StatusOr<std::vector<Invariant>> TryCache(const DecoderSide& one);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_INVARIANTS_H_
