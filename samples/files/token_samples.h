// Lines of token ids as a model's inputs.
#ifndef ONNXCMP_SAMPLES_FILES_TOKEN_SAMPLES_H_
#define ONNXCMP_SAMPLES_FILES_TOKEN_SAMPLES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "feed/feeds.h"

namespace onnxcmp {

// The lines of a file that are not empty.
absl::StatusOr<std::vector<std::string>> LinesOf(const std::string& path);

// The values of one line of JSON. An array of ids is the value of the first integer input; other
// integer inputs get ones if their name says mask, positions if it says position, else zeros. An
// object has arrays by the inputs' names. InvalidArgument for anything else.
absl::StatusOr<std::vector<NamedValue>> TokensOfLine(absl::string_view line, const Graph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FILES_TOKEN_SAMPLES_H_
