#include "cli/process/posix/wait_for_signal.h"

#include <ctime>

namespace onnxcmp::cli {

int WaitForSignal(const sigset_t& signals, siginfo_t* info, absl::Duration timeout) {
  if (timeout == absl::InfiniteDuration()) return sigwaitinfo(&signals, info);
  const timespec time = absl::ToTimespec(timeout);
  return sigtimedwait(&signals, info, &time);
}

}  // namespace onnxcmp::cli
