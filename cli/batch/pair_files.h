// Pairs from files: patterns with wildcards, folders.
#ifndef ONNXCMP_CLI_BATCH_PAIR_FILES_H_
#define ONNXCMP_CLI_BATCH_PAIR_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/batch/batch_pair.h"

namespace onnxcmp::cli {

struct PathMatch {
  std::string path;
  std::vector<std::string> captured;  // by the wildcards, in order
};
// Files and folders that a pattern matches, in natural order. `*` and `?` stand for characters of a
// name, `**` for any folders.
absl::StatusOr<std::vector<PathMatch>> MatchPaths(const std::string& pattern);

// The text with {1}, {2}, ... replaced. InvalidArgument for a number without a wildcard.
absl::StatusOr<std::string> FillCaptures(const std::string& text,
                                         const std::vector<std::string>& captured);

struct PairPatterns {
  std::string left;  // has wildcards; the others have their captures
  std::string right;
  std::string inputs;
  std::string name;  // "": the captures
  std::string against;
};
absl::StatusOr<std::vector<BatchPair>> PairsOfPatterns(const PairPatterns& patterns);

// Models and recordings of the same names in two folders and those below them, whatever their
// endings. A pair of which one side is missing has the path where it would be.
absl::StatusOr<std::vector<BatchPair>> PairsOfFolders(const std::string& left,
                                                      const std::string& right);

// Each model in a folder and those below it, in our interpreter beside a runtime.
absl::StatusOr<std::vector<BatchPair>> PairsAgainst(const std::string& folder,
                                                    const std::string& runtime);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_PAIR_FILES_H_
