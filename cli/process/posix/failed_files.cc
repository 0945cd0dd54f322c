#include "cli/process/failed_files.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace onnxcmp::cli {
namespace {

// A handler that does nothing: unlike an ignored signal it does not pass on to other programs.
void Nothing(int /*number*/) {}

// For programs without a thread that waits. Only what a handler may call.
[[noreturn]] void EndHere() {
  constexpr char kText[] =
      "onnxcmp: a file cannot be read any more: it was cut short, or its disk fails\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText, sizeof(kText) - 1);
  _exit(kLostPageStatus);
}

void OnLostPage(int number, siginfo_t* info, void* /*context*/) {
  // Any other error of the bus is a mistake of ours: it comes again, and ends the program.
  if (info->si_code != BUS_ADRERR) {
    signal(number, SIG_DFL);
    return;
  }
#ifdef SIGRTMIN
  sigset_t blocked;
  sigval address;
  address.sival_ptr = info->si_addr;
  if (pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0 &&
      sigismember(&blocked, LostPageSignal()) == 1 &&
      sigqueue(getpid(), LostPageSignal(), address) == 0) {
    while (true) pause();  // there is nothing that this thread could go on with
  }
#endif
  EndHere();
}

}  // namespace

void TellOfFailedFiles() {
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  action.sa_handler = Nothing;
  action.sa_flags = SA_RESTART;
  sigaction(SIGXFSZ, &action, nullptr);
  action.sa_sigaction = OnLostPage;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

int LostPageSignal() {
#ifdef SIGRTMIN
  return SIGRTMIN;
#else
  return 0;
#endif
}

std::string LostPageText(const void* address) {
  const auto place = reinterpret_cast<uintptr_t>(address);
  // Lines such as "7f00-7f80 r--p 00000000 fe:00 1234    /home/x/weights.data".
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const absl::string_view range = absl::string_view(line).substr(0, line.find(' '));
    const std::pair<absl::string_view, absl::string_view> ends = absl::StrSplit(range, '-');
    uintptr_t begin = 0;
    uintptr_t end = 0;
    const size_t path = line.find('/');
    if (path != std::string::npos && absl::SimpleHexAtoi(ends.first, &begin) &&
        absl::SimpleHexAtoi(ends.second, &end) && begin <= place && place < end) {
      return absl::StrCat("cannot read ", absl::string_view(line).substr(path),
                          " any more: it was cut short, or its disk fails");
    }
  }
  return "a file cannot be read any more: it was cut short, or its disk fails";
}

}  // namespace onnxcmp::cli
