// Which input of one model is which of another one. docs/inputs.md describes the rules.
#ifndef ONNXCMP_COMPARE_INPUTS_INPUT_MAPPING_H_
#define ONNXCMP_COMPARE_INPUTS_INPUT_MAPPING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/pair/per_side.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// Why two inputs were taken for the same.
enum class MappedBy : uint8_t {
  kOption,  // the user said so
  kName,
  kType,   // element type and shape, which no other had
  kPlace,  // what reads them, and what reads that
  kOrder,  // a guess among equals
};

// At least one of them is an input that needs a value. The other may be an initializer or a
// constant of the main graph, whose value it takes.
struct MappedInput {
  std::string left;
  std::string right;
  MappedBy how = MappedBy::kName;
  bool left_is_input = true;
  bool right_is_input = true;
  bool read = true;  // whether an output of either side depends on it

  bool is_input(SideId side) const {
    return side == SideId::kLeft ? left_is_input : right_is_input;
  }
};

// An input without a counterpart.
struct LoneInput {
  std::string name;
  bool read = false;  // whether an output depends on it, so that it matters what it is
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

// Matches inputs by `overrides` ("LEFT=RIGHT"), by name, by type and shape where that is unique, by
// their place in the graph, and by order among equals, which gives a warning. InvalidArgument for
// overrides that make no sense, and for inputs that are the same but for their sizes.
absl::StatusOr<InputMapping> MapInputs(const Graph& left, const Graph& right,
                                       absl::Span<const std::string> overrides = {});

// The error for inputs that matter and have neither partner nor value, with the candidates of both
// sides; OK if there are none.
absl::Status CheckNoneAlone(const InputMapping& mapping, const Graph& left, const Graph& right);

// "by name", "by type and shape", ...
std::string MappedByText(MappedBy how);

// A line for each pair that names alone do not tell:
//   left input `x` -> right input `input0` (by type and shape)
//   left input `w` takes the value of right initializer `val_9` (by place in the graph)
// and for each input that has no partner and needs none.
std::vector<std::string> DescribeMapping(const InputMapping& mapping);
// Adds that, and the warnings, to what a comparison tells its reader.
void AddMappingNotes(const InputMapping& mapping, std::vector<std::string>* notes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_INPUT_MAPPING_H_
