// The failure that a reduction keeps.
#ifndef ONNXCMP_TOOLS_REDUCE_FAILURE_TEST_H_
#define ONNXCMP_TOOLS_REDUCE_FAILURE_TEST_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/reduce/candidate.h"

namespace onnxcmp {

// A model that was tried.
struct ReduceTrial {
  bool fails = false;  // as the first one did
  std::string how;     // "exit status 1"; in words for people
  std::string output;  // of the command or the runtime
  double seconds = 0;
};

class FailureTest {
 public:
  virtual ~FailureTest() = default;
  // Tries the whole model: its failure is the one that others are held against. `fails` is false if
  // there is none.
  virtual absl::StatusOr<ReduceTrial> Begin(const ReduceCandidate& whole) = 0;
  // Several threads may call it at a time.
  virtual absl::StatusOr<ReduceTrial> Try(const ReduceCandidate& candidate) = 0;
  // True if the values of inputs matter.
  virtual bool reads_values() const = 0;
  // All that an answer depends on beside the candidate: the failure that Begin() has found, too.
  virtual std::string key() const = 0;
  // The command, or what stands for it in the text for the bug report.
  virtual std::string command() const = 0;
  // A line for the shell that fails on the model in "$folder", which has what a backend test has;
  // "": there is none. Files that it needs beside are written there.
  virtual absl::StatusOr<std::string> Script(const ReduceCandidate& candidate,
                                             const std::string& folder) = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REDUCE_FAILURE_TEST_H_
