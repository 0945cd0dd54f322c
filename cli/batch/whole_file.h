// Files that are there whole or not at all, however the program ends.
#ifndef ONNXCMP_CLI_BATCH_WHOLE_FILE_H_
#define ONNXCMP_CLI_BATCH_WHOLE_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace onnxcmp::cli {

// Writes beside the file, then renames. The error names the file and says why: "cannot write
// out/results.jsonl: No space left on device".
absl::Status ReplaceFile(const std::string& path, absl::string_view bytes);

// Adds a line to a file in one write.
absl::Status AppendLine(const std::string& path, absl::string_view line);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_WHOLE_FILE_H_
