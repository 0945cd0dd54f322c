// Values in short, for people.
#ifndef ONNXCMP_CLI_PRINT_VALUE_H_
#define ONNXCMP_CLI_PRINT_VALUE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp::cli {

// "name  type", and after it or in a line below the elements if they are few, else least, greatest
// and mean. Parts of sequences, maps and optionals follow, indented; of many only the first ones.
// Ends with a newline.
std::string ValueSummary(absl::string_view name, const Value& value);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PRINT_VALUE_H_
