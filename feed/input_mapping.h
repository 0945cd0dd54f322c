// Pairs the inputs of two models. docs/inputs.md describes the rules.
#ifndef ONNXCMP_FEED_INPUT_MAPPING_H_
#define ONNXCMP_FEED_INPUT_MAPPING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Reason for pairing two inputs.
enum class MappedBy : uint8_t {
  kOption,  // the user said so
  kName,
  kType,   // element type and shape, which no other input has
  kPlace,  // the nodes that read them, and the nodes after those
  kOrder,  // a guess among equals
};

// A pair of which at least one is an input that needs a value. The other may be an initializer or a
// constant of the main graph, whose value the input takes.
struct MappedInput {
  std::string left;
  std::string right;
  MappedBy how = MappedBy::kName;
  bool left_is_input = true;
  bool right_is_input = true;
  bool read = true;  // true if an output of either side depends on it

  bool is_input(SideId side) const {
    return side == SideId::kLeft ? left_is_input : right_is_input;
  }
};

// An input without a partner.
struct LoneInput {
  std::string name;
  bool read = false;  // true if an output depends on it, so that its value matters
};

struct InputMapping {
  std::vector<MappedInput> pairs;  // in the left inputs' order, then in the right ones'
  std::vector<LoneInput> left_alone;
  std::vector<LoneInput> right_alone;
  std::vector<std::string> warnings;

  const std::vector<LoneInput>& alone(SideId side) const {
    return side == SideId::kLeft ? left_alone : right_alone;
  }
};

// Pairs inputs by `overrides` ("LEFT=RIGHT"), by name, by type and shape where that is unique, by
// their place in the graph, and by order among equals, which gives a warning. InvalidArgument for
// invalid overrides, and for inputs that differ only in their sizes.
absl::StatusOr<InputMapping> MapInputs(const Graph& left, const Graph& right,
                                       absl::Span<const std::string> overrides = {});

// The error for inputs that affect outputs and have neither partner nor value, with the candidates
// of both sides; OK if there are none.
absl::Status CheckNoneAlone(const InputMapping& mapping, const Graph& left, const Graph& right);

// "by name", "by type and shape", ...
std::string MappedByText(MappedBy how);

// A line for each pair that is not obvious from names alone:
//   left input `x` -> right input `input0` (by type and shape)
//   left input `w` takes the value of right initializer `val_9` (by place in the graph)
// and for each input that has no partner and needs none.
std::vector<std::string> DescribeMapping(const InputMapping& mapping);
// The pairs of inputs that were guessed, "x = input0": by order, and by place in the graph where
// the models' own orders pair others. Another pairing is another statement on the models.
std::vector<std::string> GuessedPairs(const InputMapping& mapping, const Graph& left,
                                      const Graph& right);
// Adds these lines and the warnings to the notes of a comparison.
void AddMappingNotes(const InputMapping& mapping, std::vector<std::string>* notes);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_INPUT_MAPPING_H_
