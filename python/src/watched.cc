#include "python/src/watched.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace onnxcmp::python {
namespace {

namespace nb = nanobind;

constexpr std::chrono::milliseconds kBetween(50);

class Worker {
 public:
  // False: the system has no thread left, and nothing was done.
  bool Start(const std::function<void()>& work) {
    try {
      thread_ = std::thread([this, &work] {
        try {
          work();
        } catch (...) {
          thrown_ = std::current_exception();
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        done_ = true;
        changed_.notify_one();
      });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }
  bool IsDone() {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, kBetween, [this] { return done_; });
  }
  void Join() { thread_.join(); }
  std::exception_ptr thrown() const { return thrown_; }

 private:
  std::mutex mutex_;  // guards done_
  std::condition_variable changed_;
  bool done_ = false;
  std::exception_ptr thrown_;
  std::thread thread_;
};

// Throws what a signal's handler or `tick` raises.
void Look(const Watch& watch, const ProgressState* progress) {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (watch.tick.is_none() || progress == nullptr) return;
  const ProgressState::Now now = progress->now();
  watch.tick(nb::bytes(now.run.data(), now.run.size()), now.index, now.total,
             nb::bytes(now.node.data(), now.node.size()));
}

}  // namespace

void ProgressState::Start(absl::string_view run) {
  const std::lock_guard<std::mutex> lock(mutex_);
  now_ = {std::string(run), 0, 0, ""};
}

void ProgressState::Node(int64_t index, int64_t total, absl::string_view node) {
  const std::lock_guard<std::mutex> lock(mutex_);
  now_.index = index;
  now_.total = total;
  now_.node = std::string(node);
}

ProgressState::Now ProgressState::now() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return now_;
}

ProgressObserver::ProgressObserver(std::shared_ptr<ProgressState> state, absl::string_view run)
    : state_(std::move(state)) {
  state_->Start(run);
}

void ProgressObserver::OnNodeStart(const NodeStart& start) {
  state_->Node(start.index, start.total, absl::StrCat(start.node.op_type, " ", start.node.name));
}

void DoWatched(const Watch& watch, const ProgressState* progress, std::atomic<bool>* stop,
               const std::function<void()>& work) {
  const nb::gil_scoped_release release;
  Worker worker;
  if ((!watch.signals && watch.tick.is_none()) || !worker.Start(work)) {
    work();
    return;
  }
  std::exception_ptr raised;
  while (!worker.IsDone()) {
    if (raised != nullptr) continue;
    const nb::gil_scoped_acquire acquire;
    try {
      Look(watch, progress);
    } catch (...) {
      raised = std::current_exception();
      stop->store(true);
    }
  }
  worker.Join();
  if (raised != nullptr) std::rethrow_exception(raised);
  if (worker.thrown() != nullptr) std::rethrow_exception(worker.thrown());
}

}  // namespace onnxcmp::python
