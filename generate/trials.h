// Trials of a decoder: the same tokens in other pieces, batches, paddings, positions.
#ifndef ONNXCMP_GENERATE_TRIALS_H_
#define ONNXCMP_GENERATE_TRIALS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "generate/decoder.h"
#include "generate/roles.h"

namespace onnxcmp {

// Rows of a batch that is tried.
inline constexpr int64_t kInvariantRows = 3;

// The same tokens in another way: what is fed, and which logits have to agree with the reference,
// in which each row runs alone and all at once.
struct Trial {
  std::string name;
  std::string not_possible = {};    // why it is not tried
  std::vector<int64_t> rows = {0};  // of the reference, in this order
  std::vector<TokenBlock> blocks = {};
  Decoder::Start start = {};
  int64_t agree = 0;         // so many tokens of each row have to agree
  bool of_cache = false;     // states have to agree, too
  bool of_decoders = false;  // an encoder need not have the property
  bool causality = false;    // the one that tells an encoder
};

using Prompts = std::vector<std::vector<int64_t>>;

// Tokens for every trial: kInvariantRows rows, as long as the model has room for. Frames whose
// number is free are `longer` times as many. InvalidArgument if the vocabulary or the room is not
// known or too small.
absl::StatusOr<Prompts> MakePrompts(const Decoder& decoder, uint64_t seed, int64_t longer);

// All tokens of a row.
TokenBlock WholeBlock(const Prompts& prompts, int64_t row);

// Buffers whose length is open have as many slots in each trial but one.
Decoder::Start StartOf(const DecoderRoles& roles, int64_t length);

// The trials on these tokens, those that the inputs do not allow included; those of the cache
// alone.
std::vector<Trial> AllTrials(const Decoder& decoder, const Prompts& prompts);
std::vector<Trial> CacheTrials(const Decoder& decoder, const Prompts& prompts);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_TRIALS_H_
