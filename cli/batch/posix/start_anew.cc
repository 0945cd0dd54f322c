#include "cli/batch/posix/start_anew.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "absl/status/status.h"
#include "evaluator/base/os/posix/process_calls.h"

namespace onnxcmp::cli {
namespace {

// The address sanitizer reserves terabytes, which count as memory that a process allocates.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kCanLimitMemory = false;
#else
constexpr bool kCanLimitMemory = true;
#endif

void SetLimit(decltype(RLIMIT_DATA) resource, rlim_t most) {
  rlimit limit;
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max = std::min(limit.rlim_max, most);
  setrlimit(resource, &limit);
}

[[noreturn]] void Execute(char** words, const char* folder, int64_t memory, int errors) {
  LeadASession();
  LimitPair(memory);
  const int null = open("/dev/null", O_RDWR);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
      dup2(errors, STDERR_FILENO) < 0 || chdir(folder) != 0) {
    _exit(kCannotStart);
  }
  CloseFrom(STDERR_FILENO + 1);
  execv(words[0], words);
  _exit(kCannotStart);
}

}  // namespace

void LeadASession() {
  setsid();
  EndWithParent();
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGKILL && number != SIGSTOP) signal(number, SIG_DFL);
  }
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void LimitPair(int64_t memory) {
  if (kCanLimitMemory && memory > 0) SetLimit(RLIMIT_DATA, static_cast<rlim_t>(memory));
  SetLimit(RLIMIT_CORE, 0);
}

absl::StatusOr<pid_t> StartAnew(const std::vector<std::string>& words, const std::string& folder,
                                int64_t memory, int errors) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) Execute(pointers.data(), folder.c_str(), memory, errors);
  if (pid < 0) return absl::ErrnoToStatus(errno, "a process cannot be started");
  return pid;
}

}  // namespace onnxcmp::cli
