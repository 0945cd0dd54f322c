// Each process is started anew: there is no call that makes a copy a sibling.
#include "cli/batch/pair_starter.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "absl/memory/memory.h"
#include "evaluator/base/os/posix/process_calls.h"

namespace onnxcmp::cli {
namespace {

constexpr int kCannotStart = 126;  // exit status, as a shell has it

void SetLimit(int resource, rlim_t most) {
  rlimit limit;
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max = std::min(limit.rlim_max, most);
  setrlimit(resource, &limit);
}

// Between fork and exec. Only calls that are safe there.
[[noreturn]] void Execute(char** words, const char* folder, int64_t memory, int errors) {
  setsid();
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGKILL && number != SIGSTOP) signal(number, SIG_DFL);
  }
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (memory > 0) SetLimit(RLIMIT_DATA, static_cast<rlim_t>(memory));
  SetLimit(RLIMIT_CORE, 0);
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

absl::StatusOr<std::unique_ptr<PairStarter>> PairStarter::Start(std::vector<std::string> program) {
  return absl::WrapUnique(new PairStarter(std::move(program)));
}

absl::Status PairStarter::StartProgram() { return absl::OkStatus(); }

void PairStarter::End() {}

PairStarter::~PairStarter() = default;

absl::StatusOr<pid_t> PairStarter::StartPair(const std::vector<std::string>& arguments,
                                             const std::string& folder, int64_t memory,
                                             int errors) {
  std::vector<char*> words;
  for (const std::string& word : program_) words.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) Execute(words.data(), folder.c_str(), memory, errors);
  if (pid < 0) return absl::ErrnoToStatus(errno, "a process cannot be started");
  return pid;
}

int ServePairs(absl::FunctionRef<int(const std::vector<std::string>& arguments)> /*run*/) {
  return 2;  // nobody asks for it
}

}  // namespace onnxcmp::cli
