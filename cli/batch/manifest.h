// Manifests of batches: CSV or JSON lines.
#ifndef ONNXCMP_CLI_BATCH_MANIFEST_H_
#define ONNXCMP_CLI_BATCH_MANIFEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/batch/batch_pair.h"

namespace onnxcmp::cli {

// Records of RFC 4180, without the line of column names: fields of a line, and the line's number.
struct CsvRecord {
  int64_t line = 0;
  std::vector<std::string> fields;
};
// InvalidArgument, with the line, for a quote that is not closed.
absl::StatusOr<std::vector<CsvRecord>> ParseCsv(absl::string_view text);

// Words of a shell's command line: quotes and backslashes, no variables. InvalidArgument for a
// quote that is not closed.
absl::StatusOr<std::vector<std::string>> SplitShellWords(absl::string_view text);

// A path from a folder on; "" stays.
std::string FromFolder(const std::string& folder, const std::string& path);
// The same for a word of a command line that names a file there: "in.npz", "--inputs=in.npz". Other
// words stay.
std::string WordFromFolder(const std::string& folder, const std::string& word);
// The same for a runtime whose adapter is a file: "./mine.py:device=3".
std::string RuntimeFromFolder(const std::string& folder, const std::string& runtime);

// The pairs of a file; JSON lines if its first character is `{`, else CSV. Paths are relative to
// the file's folder. InvalidArgument with the line for what is no pair.
absl::StatusOr<std::vector<BatchPair>> ReadManifest(const std::string& path);

// A pair as a line of JSON that ReadManifest() reads.
std::string ManifestLine(const BatchPair& pair);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_MANIFEST_H_
