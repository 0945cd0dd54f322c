// Roles of a decoder's inputs and outputs: tokens, masks, positions, states, logits.
#ifndef ONNXCMP_GENERATE_ROLES_H_
#define ONNXCMP_GENERATE_ROLES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

enum class Role : uint8_t {
  kTokens,         // [batch, new] or [new]
  kMask,           // 1 for positions that count, past ones first; of rank 4 added to the scores
  kPositions,      // [batch, new], [new], or the same with an axis before it
  kCachePosition,  // [new]: the slots of a cache that new tokens are written to
  kLastPosition,   // [batch] or [batch, 1]: the number of valid positions less one (seqlens_k)
  kTotalLength,    // a scalar: past and new positions together
  kUseCache,       // false for the first run of a merged decoder
  kTokenTypes,     // zeros
  kState,          // a value that an earlier run gave
  kGiven,          // the same in every step: an encoder's states, their mask
  kFrames,         // numbers at each position, in the place of tokens
  kLengths,        // [batch]: the number of positions that count
};
absl::string_view RoleName(Role role);  // "tokens", "mask", ...

// A state: an input, and the output that is its value in the next step.
struct StatePair {
  std::string past;
  std::string present;  // "": none, the input keeps its first value
  // The axis of positions, which grows; nothing: a buffer or a state of one size.
  std::optional<size_t> axis = std::nullopt;
  // Computed from an encoder's states by the first run; later runs need not give it.
  bool cross = false;
  // The axis of slots of a buffer whose length is open.
  std::optional<size_t> slots = std::nullopt;
  // Grows, but its reader also takes a buffer of a fixed length, as GroupQueryAttention does.
  bool may_be_buffer = false;
  // Its first value comes from the model that reads the prompt.
  bool handed = false;
};

struct DecoderRoles {
  struct Input {
    std::string name;
    Role role = Role::kGiven;
  };

  const Input* Find(Role role) const;  // the first; null if there is none
  bool has_states() const { return !states.empty(); }
  // The states that a run leaves for the next one.
  const std::vector<StatePair>& left_states() const { return hands_on.empty() ? states : hands_on; }
  bool has_frames() const { return Find(Role::kFrames) != nullptr; }
  // The input that says what is at each position: tokens, or frames.
  const Input& content() const { return *Find(has_frames() ? Role::kFrames : Role::kTokens); }

  std::vector<Input> inputs;  // those that need a value, in the graph's order
  std::vector<StatePair> states;
  // The states of the next model, if this one reads the prompt for it, and the outputs that are
  // their first values.
  std::vector<StatePair> hands_on;
  // The mask is only added up, or there are lengths alone: the model knows the number of positions
  // that count, not which.
  bool mask_is_counted = false;
  std::string logits;
  std::string batch;           // the symbol of the tokens' or frames' batch; "": none
  std::optional<size_t> time;  // the axis of positions of frames; nothing: there is one position
  std::string slots;           // the symbol of the slots of buffers whose length is open; "": none
  // Rows of the table of embeddings, or else the logits' last dimension; nothing if neither tells.
  std::optional<int64_t> vocabulary;
  // Positions that the model has room for: slots of a buffer, rows of a table of positions.
  std::optional<int64_t> most_positions;
  std::string limited_by;  // the input or table that has this many: "the state `past_key_0`"
  // A recording's: nothing says which positions its logits are of but their number.
  bool recorded = false;
};

// `states`: "PAST=PRESENT"; `roles`: "NAME=ROLE". They come before what is found by names, types,
// shapes and readers. InvalidArgument for corrections that name nothing, for an input that cannot
// be placed, and for a model without logits; the message names the tensor and what was tried.
absl::StatusOr<DecoderRoles> FindRoles(const Graph& graph, const std::vector<std::string>& states,
                                       const std::vector<std::string>& roles);

// An error that says what an input needs or cannot take, with its name.
absl::Status InputError(absl::string_view name, absl::string_view what);

// The inputs but states: "tokens input_ids, mask attention_mask, given encoder_states".
std::string InputsText(const DecoderRoles& roles);

// At most four lines: tokens and masks, states, logits, what is given.
std::vector<std::string> DescribeRoles(const DecoderRoles& roles);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_ROLES_H_
