#include "cli/process/interruption.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "cli/process/failed_files.h"
#include "cli/process/messages.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"

namespace onnxcmp::cli {
namespace {

// Between two looks at the memory. In this time a thread fills some 10 MB of fresh pages.
constexpr absl::Duration kInterval = absl::Milliseconds(2);

// The memory of the process, as the system counts it.
class HeldMemory {
 public:
  HeldMemory() : statm_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}

  // Bytes in pages that belong to no file. 0 if the system does not tell.
  int64_t Bytes() const {
    std::array<char, 128> text{};
    if (page_ <= 0 || pread(statm_, text.data(), text.size() - 1, 0) <= 0) return 0;
    long long resident = 0;  // NOLINT(google-runtime-int): as sscanf has it
    long long shared = 0;    // NOLINT(google-runtime-int)
    // NOLINTNEXTLINE(cert-err34-c): the kernel's own numbers.
    if (std::sscanf(text.data(), "%*d %lld %lld", &resident, &shared) != 2) return 0;
    return (resident - shared) * page_;
  }

 private:
  const int statm_;
  const int64_t page_ = sysconf(_SC_PAGESIZE);
};

}  // namespace

struct Interruption::State {
  const absl::Time start = absl::Now();
  sigset_t signals;  // those that are blocked for the thread
  int64_t memory = 0;
  absl::Duration time = absl::InfiniteDuration();
  int status = 0;

  std::mutex mutex;  // guards the members below
  std::vector<std::string> folders;
  bool clear_line = false;
  std::function<void()> call;
  std::map<const void*, std::function<std::string()>> under_way;

  bool has_limits() const { return memory > 0 || time < absl::InfiniteDuration(); }

  // Waits for a signal, which it returns, or for a limit or a page that cannot be read: 0, and the
  // message.
  int Wait(std::string* message) const {
    std::optional<HeldMemory> held;
    if (memory > 0) held.emplace();
    while (true) {
      const absl::Duration left = start + time - absl::Now();
      if (left <= absl::ZeroDuration()) {
        *message = absl::StrCat("the command takes longer than --max-time allows, ",
                                absl::FormatDuration(time));
        return 0;
      }
      if (held.has_value() && held->Bytes() > memory + kOwnMemory) {
        *message = absl::StrCat("the program holds more than --max-memory allows, ", memory,
                                " bytes and ", kOwnMemory, " for itself");
        return 0;
      }
      int number = 0;
      siginfo_t info = {};
      if (!has_limits()) {
        number = sigwaitinfo(&signals, &info);
      } else {
        const timespec pause = absl::ToTimespec(memory > 0 ? std::min(left, kInterval)
                                                           : std::min(left, absl::Hours(1)));
        number = sigtimedwait(&signals, &info, &pause);
      }
      if (number > 0 && number == LostPageSignal()) {
        *message = LostPageText(info.si_value.sival_ptr);
        return 0;
      }
      if (number > 0) return number;
    }
  }

  // Requires the mutex.
  void CleanUp() const {
    std::error_code ignored;
    for (const std::string& folder : folders) std::filesystem::remove_all(folder, ignored);
    if (clear_line) {
      constexpr char kClear[] = "\r\x1b[K";
      [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kClear, sizeof(kClear) - 1);
    }
    if (call) call();
  }

  // Requires the mutex. " while left: 3 of 7 nodes, 12.0 s, Conv c", or nothing.
  std::string WhileText() const {
    constexpr size_t kLongest = 200;
    std::vector<std::string> texts;
    for (const auto& [owner, text] : under_way) {
      const std::string whole = text();
      texts.push_back(
          ShortenEnd(PrintableText(absl::StripAsciiWhitespace(whole)), kLongest, "..."));
    }
    std::erase(texts, "");
    return texts.empty() ? "" : absl::StrCat(" while ", absl::StrJoin(texts, "; "));
  }

  void Run() {
    std::string message;
    const int number = Wait(&message);
    const std::lock_guard<std::mutex> lock(mutex);
    if (number == 0) message = absl::StrCat(message, "; it ends here", WhileText());
    CleanUp();
    if (number == 0) {
      PrintError(message);
      _exit(status);
    }
    // The action was the default all along; now the signal is unblocked.
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    raise(number);
  }
};

Interruption::Interruption() : state_(std::make_shared<State>()) {
  sigemptyset(&state_->signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // If the program was started with a signal ignored (nohup), it stays ignored.
    struct sigaction action;
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
      sigaddset(&state_->signals, number);
    }
  }
  if (LostPageSignal() != 0) sigaddset(&state_->signals, LostPageSignal());
  pthread_sigmask(SIG_BLOCK, &state_->signals, nullptr);
}

Interruption::Interruption(Never /*never*/) : state_(std::make_shared<State>()) {}

void Interruption::Watch(int64_t memory, absl::Duration time, int status) {
  state_->memory = memory;
  state_->time = time;
  state_->status = status;
  std::thread([state = state_] { state->Run(); }).detach();
}

bool Interruption::has_limits() const { return state_->has_limits(); }

void Interruption::RemoveAtEnd(const std::string& folder) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->folders.push_back(folder);
}

void Interruption::ClearLineAtEnd() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->clear_line = true;
}

void Interruption::CallAtEnd(std::function<void()> call) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->call = std::move(call);
}

void Interruption::SetUnderWay(const void* owner, std::function<std::string()> text) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  if (text) {
    state_->under_way.insert_or_assign(owner, std::move(text));
  } else {
    state_->under_way.erase(owner);
  }
}

}  // namespace onnxcmp::cli
