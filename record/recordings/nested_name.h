// Parses names that encode the place of a value in nested tuples, lists and dicts, as exporters
// write PyTorch's values to models of constants: dict_past___list_0.___tensor.
#ifndef ONNXCMP_RECORD_RECORDINGS_NESTED_NAME_H_
#define ONNXCMP_RECORD_RECORDINGS_NESTED_NAME_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace onnxcmp {

struct NestedName {
  // "past[0]", "options.mask", "decoder.attention call 0 output [1].key"
  std::string name;
  // For an input or output of a module: its class, the number of the call, and the direction.
  std::string module_class;
  std::string call;
  bool is_output = false;
  bool is_root = false;  // the module around all others
  bool is_plain = true;  // only tuples, lists and dicts are around it
  // It represents a tuple, list or dict without elements.
  bool is_empty = false;
};

// Parts are separated by "___"; the last is the kind of value (tensor, array, int, float, bool,
// empty), those before it are its place: tuple_1, list_0, dict_key, Class_attribute, with a '.' in
// the last part of each. The key ((path-Class-line,call,I)) marks the inputs of a module in a call,
// O its outputs; inputs are a pair of arguments and keyword arguments. Nothing if the name does not
// have this format.
std::optional<NestedName> ParseNestedName(absl::string_view name);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RECORDINGS_NESTED_NAME_H_
