// A pair of a batch: two sides, how they are compared and what is expected.
#ifndef ONNXCMP_CLI_BATCH_BATCH_PAIR_H_
#define ONNXCMP_CLI_BATCH_BATCH_PAIR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace onnxcmp::cli {

struct BatchExpectation {
  std::vector<std::string> verdicts;  // one of these; empty: the sides agree (exit status 0)
  std::string cause;                  // a part of a cause, or of an error; "": any

  bool given() const { return !verdicts.empty() || !cause.empty(); }
};

// The option of a pair of decoders that take steps: the others are those of `onnxcmp generate`.
inline constexpr char kGeneratePair[] = "--generate";

struct BatchPair {
  std::string name;     // unique within the batch
  std::string left;     // paths of files and folders, absolute
  std::string right;    // "": the left model in a runtime
  std::string against;  // that runtime, "onnxruntime"; "": none
  std::string inputs;   // "": made up
  std::vector<std::string> tags;
  std::vector<std::string> options;  // of the comparison
  BatchExpectation expected;
  int64_t line = 0;  // of the manifest; 0: it is from none
};

// Verdicts of a comparison, and what else may become of a pair.
inline constexpr absl::string_view kUnreadable = "unreadable";  // a side is no model or recording
inline constexpr absl::string_view kCrashed = "crashed";        // by a signal of its own
inline constexpr absl::string_view kKilled = "killed";          // by another process
inline constexpr absl::string_view kOutOfMemory = "out_of_memory";  // beyond the limit
inline constexpr absl::string_view kTimedOut = "timed_out";         // beyond the limit
inline constexpr absl::string_view kChanged = "changed";  // its files, while it was compared

// "different, failed" as verdicts; "agree" stands for none. InvalidArgument for words that are
// none.
absl::StatusOr<std::vector<std::string>> ParseExpectedVerdicts(absl::string_view text);

// An error for two pairs of one name; the others get theirs, if they have none, from their files.
absl::Status NameBatchPairs(std::vector<BatchPair>* pairs);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_BATCH_PAIR_H_
