#include "cli/process/interruption.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace onnxcmp::cli {

struct Interruption::State {
  std::mutex mutex;
  std::vector<std::string> folders;
  bool clear_line = false;
  std::function<void()> call;
};

Interruption::Interruption() : state_(std::make_shared<State>()) {
  sigset_t signals;
  sigemptyset(&signals);
  bool any = false;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // If the program was started with a signal ignored (nohup), it stays ignored.
    struct sigaction action;
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
      sigaddset(&signals, number);
      any = true;
    }
  }
  if (!any || pthread_sigmask(SIG_BLOCK, &signals, nullptr) != 0) {
    return;
  }
  std::thread([signals, state = state_] {
    int number = 0;
    if (sigwait(&signals, &number) != 0) {
      return;
    }
    const std::lock_guard<std::mutex> lock(state->mutex);
    std::error_code ignored;
    for (const std::string& folder : state->folders) {
      std::filesystem::remove_all(folder, ignored);
    }
    if (state->clear_line) {
      constexpr char kClear[] = "\r\x1b[K";
      [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kClear, sizeof(kClear) - 1);
    }
    if (state->call) state->call();
    // The action was the default all along; now the signal is unblocked.
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    raise(number);
  }).detach();
}

Interruption::Interruption(Never /*never*/) : state_(std::make_shared<State>()) {}

void Interruption::RemoveOnSignal(const std::string& folder) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->folders.push_back(folder);
}

void Interruption::ClearLineOnSignal() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->clear_line = true;
}

void Interruption::CallOnSignal(std::function<void()> call) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->call = std::move(call);
}

}  // namespace onnxcmp::cli
