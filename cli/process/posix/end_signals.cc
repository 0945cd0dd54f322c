#include "cli/process/end_signals.h"

#include <csignal>

#include "cli/process/failed_files.h"
#include "cli/process/posix/wait_for_signal.h"

namespace onnxcmp::cli {
namespace {

sigset_t SetOf(const std::vector<int>& numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : numbers) sigaddset(&set, number);
  return set;
}

}  // namespace

void EndSignals::Block() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action;
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
      numbers_.push_back(number);
    }
  }
  if (LostPageSignal() != 0) numbers_.push_back(LostPageSignal());
  const sigset_t set = SetOf(numbers_);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int EndSignals::Wait(absl::Duration timeout, const void** lost_page) const {
  siginfo_t info = {};
  const int number = WaitForSignal(SetOf(numbers_), &info, timeout);
  if (number > 0 && number == LostPageSignal()) *lost_page = info.si_value.sival_ptr;
  return number > 0 ? number : 0;
}

void EndSignals::EndBy(int number) const {
  // The action was the default all along; now the signal is unblocked.
  const sigset_t set = SetOf(numbers_);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(number);
}

}  // namespace onnxcmp::cli
