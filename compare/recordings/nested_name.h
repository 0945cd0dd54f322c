// Names that spell where in nested tuples, lists and dicts a value lies, as exporters of PyTorch's
// values to models of constants write them: dict_past___list_0.___tensor.
#ifndef ONNXCMP_COMPARE_RECORDINGS_NESTED_NAME_H_
#define ONNXCMP_COMPARE_RECORDINGS_NESTED_NAME_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace onnxcmp {

struct NestedName {
  // "past[0]", "options.mask", "decoder.attention call 0 output [1].key"
  std::string name;
  // Of what a module took or gave: its class, in which call, and whether it gave it.
  std::string module_class;
  std::string call;
  bool is_output = false;
  bool is_root = false;  // the module around all others
  bool is_plain = true;  // there are but tuples, lists and dicts around it
  // It stands for a tuple, list or dict without elements.
  bool is_empty = false;
};

// Parts are separated by "___"; the last says what the value is (tensor, array, int, float, bool,
// empty), those before it where it is: tuple_1, list_0, dict_key, Class_attribute, with a '.' in
// the last part of each. The key ((path-Class-line,call,I)) is what a module took in a call, O what
// it gave; what it took is a pair of its arguments and its keyword arguments. Nothing if the name
// is not of this form.
std::optional<NestedName> ParseNestedName(absl::string_view name);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDINGS_NESTED_NAME_H_
