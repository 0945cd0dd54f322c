#include "cli/batch/pair_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace onnxcmp::cli {
namespace {

constexpr int kCannotStart = 126;       // exit status, as a shell has it
constexpr int64_t kKeptErrors = 16384;  // bytes

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

// Between fork and exec, where nothing may allocate memory.
[[noreturn]] void Become(char* const* arguments, const char* folder, int errors, rlim_t memory,
                         pid_t parent) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotStart);
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGKILL && number != SIGSTOP) signal(number, SIG_DFL);
  }
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // Memory that it allocates, and not files that it maps: those the system takes back.
  if (kCanLimitMemory && memory > 0) SetLimit(RLIMIT_DATA, memory);
  SetLimit(RLIMIT_CORE, 0);
  const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    [[maybe_unused]] const ssize_t written = write(score, "500", 3);
    close(score);
  }
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
      dup2(errors, STDERR_FILENO) < 0 || chdir(folder) != 0) {
    _exit(kCannotStart);
  }
  // Our parent's files must not be inherited.
  close_range(STDERR_FILENO + 1, ~0U, 0);
  execv(arguments[0], arguments);
  const char* reason = strerrordesc_np(errno);
  [[maybe_unused]] const ssize_t written =
      reason == nullptr ? 0 : write(STDERR_FILENO, reason, std::strlen(reason));
  _exit(kCannotStart);
}

std::string ReadErrorsOf(int file) {
  const off_t size = lseek(file, 0, SEEK_END);
  if (size <= 0) return "";
  const off_t from = std::max<off_t>(0, size - kKeptErrors);
  std::string text(static_cast<size_t>(size - from), '\0');
  const ssize_t got = pread(file, text.data(), text.size(), from);
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

}  // namespace

PairProcess::PairProcess(pid_t pid, int errors, absl::Duration time)
    : pid_(pid), errors_(errors), started_(absl::Now()), deadline_(started_ + time) {}

absl::StatusOr<std::unique_ptr<PairProcess>> PairProcess::Start(
    const std::vector<std::string>& arguments, const std::string& folder,
    const PairLimits& limits) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  const int errors = memfd_create("onnxcmp-errors", MFD_CLOEXEC);
  if (errors < 0) return absl::ErrnoToStatus(errno, "memfd_create");
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    Become(pointers.data(), folder.c_str(), errors, static_cast<rlim_t>(limits.memory), parent);
  }
  if (pid < 0) {
    const int error = errno;
    close(errors);
    return absl::ErrnoToStatus(error, "a process cannot be started");
  }
  return absl::WrapUnique(new PairProcess(pid, errors, limits.time));
}

PairProcess::~PairProcess() {
  if (pid_ > 0) {
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close(errors_);
}

bool PairProcess::HasEnded(PairEnd* end) {
  rusage usage;
  pid_t ended = wait4(pid_, &end->status, WNOHANG, &usage);
  if (ended == 0 && absl::Now() >= deadline_) {
    timed_out_ = true;
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    do {
      ended = wait4(pid_, &end->status, 0, &usage);
    } while (ended < 0 && errno == EINTR);
  }
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  if (ended == pid_) {
    end->peak_bytes = int64_t{usage.ru_maxrss} << 10;
    // Processes that it has started and left behind.
    kill(-pid_, SIGKILL);
  }
  end->timed_out = timed_out_;
  end->seconds = absl::ToDoubleSeconds(absl::Now() - started_);
  end->errors = ReadErrorsOf(errors_);
  pid_ = -1;
  return true;
}

}  // namespace onnxcmp::cli
