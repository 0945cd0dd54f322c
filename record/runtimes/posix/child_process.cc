#include "record/runtimes/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "evaluator/base/os/posix/process_calls.h"
#include "evaluator/base/os/posix/spawn.h"
#include "evaluator/base/os/processes.h"

namespace onnxcmp {
namespace {

constexpr size_t kKeptErrors = 16384;  // bytes
constexpr size_t kMaxLine = size_t{256} << 20;
constexpr int64_t kStopMilliseconds = 100;  // how often it is looked whether to stop
constexpr absl::Duration kTimeToDie = absl::Seconds(5);

// A descriptor that is closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }
  int Release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

std::string StatusText(int status) {
  if (WIFSIGNALED(status)) return absl::StrCat("ended by ", SignalText(WTERMSIG(status)));
  return absl::StrCat("ended with exit status ", WEXITSTATUS(status));
}

void CloseAll(std::initializer_list<int*> descriptors) {
  for (int* descriptor : descriptors) {
    if (*descriptor >= 0) close(std::exchange(*descriptor, -1));
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(
    const std::vector<std::string>& arguments) {
  std::array<int, 2> input{};
  std::array<int, 2> output{};
  std::array<int, 2> errors{};
  if (!MakeSockets(&input)) return absl::ErrnoToStatus(errno, "socketpair");
  Descriptor input_ours(input[0]);
  const Descriptor input_theirs(input[1]);
  if (!MakePipe(&output)) return absl::ErrnoToStatus(errno, "pipe");
  Descriptor output_ours(output[0]);
  const Descriptor output_theirs(output[1]);
  if (!MakePipe(&errors)) return absl::ErrnoToStatus(errno, "pipe");
  Descriptor errors_ours(errors[0]);
  const Descriptor errors_theirs(errors[1]);
  for (const int ours : {input_ours.get(), output_ours.get(), errors_ours.get()}) {
    if (fcntl(ours, F_SETFL, O_NONBLOCK) != 0) return absl::ErrnoToStatus(errno, "fcntl");
  }
  pid_t pid = 0;
  const SpawnSettings settings(input_theirs.get(), output_theirs.get(), errors_theirs.get());
  if (const int error = settings.Spawn(arguments, &pid); error != 0) {
    return absl::NotFoundError(
        absl::StrCat(arguments[0], " cannot be started: ", std::strerror(error)));
  }
  return absl::WrapUnique(
      new ChildProcess(pid, input_ours.Release(), output_ours.Release(), errors_ours.Release()));
}

ChildProcess::~ChildProcess() { Kill(); }

void ChildProcess::Kill() {
  CloseAll({&input_});
  if (pid_ > 0) {
    int status = 0;
    kill(pid_, SIGTERM);
    if (!Wait(kTimeToDie, &status)) {
      kill(pid_, SIGKILL);
      Wait(absl::InfiniteDuration(), &status);
    }
    // All that it has started, too.
    kill(-std::exchange(pid_, -1), SIGKILL);
  }
  while (error_output_ >= 0 && ReadErrors()) {
  }
  CloseAll({&output_, &error_output_});
}

bool ChildProcess::Wait(absl::Duration timeout, int* status) {
  const absl::Time deadline = absl::Now() + timeout;
  absl::Duration pause = absl::Microseconds(200);
  while (true) {
    const pid_t ended = waitpid(pid_, status, WNOHANG);
    if (ended == pid_ || (ended < 0 && errno != EINTR)) return true;
    if (absl::Now() >= deadline) return false;
    absl::SleepFor(pause);
    pause = std::min(pause * 2, absl::Milliseconds(20));
  }
}

void ChildProcess::Finish(absl::Duration timeout) {
  CloseAll({&input_});
  int status = 0;
  if (pid_ > 0 && Wait(timeout, &status)) pid_ = -1;
  Kill();
}

absl::Status ChildProcess::Ended() {
  int status = 0;
  if (!Wait(kTimeToDie, &status)) {
    Kill();
    return absl::AbortedError("closed its output");
  }
  const pid_t group = std::exchange(pid_, -1);
  kill(-group, SIGKILL);
  Kill();
  return absl::AbortedError(StatusText(status));
}

bool ChildProcess::ReadErrors() {
  char block[4096];
  const ssize_t got = read(error_output_, block, sizeof(block));
  if (got < 0) return errno == EINTR;
  if (got == 0) return false;
  errors_.append(block, static_cast<size_t>(got));
  if (errors_.size() > 2 * kKeptErrors) errors_.erase(0, errors_.size() - kKeptErrors);
  return true;
}

void ChildProcess::Send(absl::string_view* unsent) const {
  const ssize_t sent = SendQuietly(input_, *unsent);
  if (sent > 0) {
    unsent->remove_prefix(static_cast<size_t>(sent));
  } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
    *unsent = {};  // it is gone, as its output will tell
  }
}

absl::StatusOr<std::string> ChildProcess::Ask(absl::string_view line, absl::Duration timeout,
                                              const std::atomic<bool>* stop) {
  if (!alive()) return absl::AbortedError("has ended");
  const std::string message = absl::StrCat(line, "\n");
  absl::string_view unsent = message;
  const absl::Time deadline = absl::Now() + timeout;
  while (true) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) {
      Kill();
      return absl::DeadlineExceededError(
          absl::StrCat("gave no answer in ", absl::FormatDuration(timeout)));
    }
    if (stop != nullptr && stop->load()) {
      Kill();
      return absl::CancelledError("was stopped");
    }
    pollfd polled[] = {{output_, POLLIN, 0},
                       {error_output_, POLLIN, 0},
                       {unsent.empty() ? -1 : input_, POLLOUT, 0}};
    const int64_t longest = stop == nullptr ? 1 << 30 : kStopMilliseconds;
    const int64_t wait = std::min<int64_t>(absl::ToInt64Milliseconds(left) + 1, longest);
    if (poll(polled, 3, static_cast<int>(wait)) < 0) {
      if (errno == EINTR) continue;
      return absl::ErrnoToStatus(errno, "poll");
    }
    if (polled[1].revents != 0 && !ReadErrors()) CloseAll({&error_output_});
    if (polled[2].revents != 0) Send(&unsent);
    if (polled[0].revents == 0) continue;
    char block[65536];
    const ssize_t got = read(output_, block, sizeof(block));
    if (got == 0) return Ended();
    if (got < 0) continue;
    received_.append(block, static_cast<size_t>(got));
    const size_t end = received_.find('\n');
    if (end != std::string::npos) {
      std::string answer = received_.substr(0, end);
      received_.erase(0, end + 1);
      return answer;
    }
    if (received_.size() > kMaxLine) {
      Kill();
      return absl::AbortedError("gave an answer without an end");
    }
  }
}

}  // namespace onnxcmp
