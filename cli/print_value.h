// Short texts of values, for people.
#ifndef ONNXCMP_CLI_PRINT_VALUE_H_
#define ONNXCMP_CLI_PRINT_VALUE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp::cli {

// "name  type", followed by the elements (on the same or the next line) if they are few, else by
// least, greatest and mean. Parts of sequences, maps and optionals follow, indented; only the first
// of many. Ends with a newline.
std::string ValueSummary(absl::string_view name, const Value& value);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PRINT_VALUE_H_
