#include "cli/process/posix/wait_for_signal.h"

#include <algorithm>

#include "absl/time/clock.h"

namespace onnxcmp::cli {
namespace {

// There is no call that waits for a time: how often it is looked whether a signal has come.
constexpr absl::Duration kBetween = absl::Milliseconds(5);

}  // namespace

int WaitForSignal(const sigset_t& signals, siginfo_t* info, absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  while (true) {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    for (int number = 1; number < NSIG; ++number) {
      if (sigismember(&signals, number) != 1 || sigismember(&pending, number) != 1) continue;
      sigset_t one;
      sigemptyset(&one);
      sigaddset(&one, number);
      int got = 0;
      if (sigwait(&one, &got) != 0) continue;
      if (info != nullptr) *info = {};
      return got;
    }
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return 0;
    absl::SleepFor(std::min(left, kBetween));
  }
}

}  // namespace onnxcmp::cli
