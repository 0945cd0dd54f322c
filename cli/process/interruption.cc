#include "cli/process/interruption.h"

#include <algorithm>
#include <cstdlib>
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
#include "cli/process/end_signals.h"
#include "cli/process/failed_files.h"
#include "cli/process/messages.h"
#include "evaluator/base/os/files.h"
#include "evaluator/base/os/terminal.h"
#include "evaluator/base/os/this_process.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"

namespace onnxcmp::cli {
namespace {

// Between two looks at the memory. In this time a thread fills some 10 MB of fresh pages.
constexpr absl::Duration kInterval = absl::Milliseconds(2);

}  // namespace

struct Interruption::State {
  const absl::Time start = absl::Now();
  EndSignals signals;
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
      const absl::Duration pause = !has_limits() ? absl::InfiniteDuration()
                                   : memory > 0  ? std::min(left, kInterval)
                                                 : std::min(left, absl::Hours(1));
      const void* lost_page = nullptr;
      const int number = signals.Wait(pause, &lost_page);
      if (number > 0 && number == LostPageSignal()) {
        *message = LostPageText(lost_page);
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
      [[maybe_unused]] const int failed = WriteAll(kErrorFile, "\r\x1b[K");
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
      std::_Exit(status);
    }
    signals.EndBy(number);
  }
};

Interruption::Interruption() : state_(std::make_shared<State>()) { state_->signals.Block(); }

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
