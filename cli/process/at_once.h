// Runs a task for the left and for the right side at the same time.
#ifndef ONNXCMP_CLI_PROCESS_AT_ONCE_H_
#define ONNXCMP_CLI_PROCESS_AT_ONCE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace onnxcmp::cli {

// With only one thread (--threads; 0: one a core) the tasks run one after the other. If both fail,
// the left's error is returned, as if the right had never started.
absl::Status AtOnce(int threads, absl::FunctionRef<absl::Status()> left,
                    absl::FunctionRef<absl::Status()> right);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_AT_ONCE_H_
