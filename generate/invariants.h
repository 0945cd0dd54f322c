// Properties that hold of any decoder, tried: the same tokens in other pieces, batches, paddings.
#ifndef ONNXCMP_GENERATE_INVARIANTS_H_
#define ONNXCMP_GENERATE_INVARIANTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "generate/decoder.h"
#include "generate/decoder_side.h"
#include "generate/direction.h"

namespace onnxcmp {

struct Invariant {
  enum class Outcome : uint8_t { kToTheBit, kWithinRounding, kBroken, kNotTried, kOpen };

  std::string name;  // "one token at a time"
  Outcome outcome = Outcome::kNotTried;
  // kNotTried: what the inputs do not allow; kBroken: the run failed; kOpen: what is not known.
  std::string why;

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

struct Invariants {
  // 0: all that was tried holds, 1: one is broken, 2: none could be tried, or one is open.
  int ExitStatus() const;

  std::vector<std::string> roles;  // DescribeRoles()
  // The kind that a model is taken for whose first token sees the last one, and the evidence; ""
  // for all others.
  std::string taken_for;
  std::vector<Invariant> tried;
};

// `seed`: of the tokens, which are made up. `kind`: what a model without states is, if a user says
// so; else its graph tells (DirectionOf). Errors: the model does not run on the reference tokens
// themselves.
absl::StatusOr<Invariants> TryInvariants(const DecoderSide& one, uint64_t seed,
                                         TokenDirection::Kind kind);

// Those of the cache alone, on the decoder's tokens: all at once beside one at a time.
absl::StatusOr<std::vector<Invariant>> TryCache(const DecoderSide& one);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_INVARIANTS_H_
