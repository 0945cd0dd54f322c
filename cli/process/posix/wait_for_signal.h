// Waiting for signals that are blocked.
#ifndef ONNXCMP_CLI_PROCESS_POSIX_WAIT_FOR_SIGNAL_H_
#define ONNXCMP_CLI_PROCESS_POSIX_WAIT_FOR_SIGNAL_H_

#include <csignal>

#include "absl/time/time.h"

namespace onnxcmp::cli {

// The number of one of these signals, and what came with it if `info` is given; 0 or less if none
// came in that time.
int WaitForSignal(const sigset_t& signals, siginfo_t* info, absl::Duration timeout);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_POSIX_WAIT_FOR_SIGNAL_H_
