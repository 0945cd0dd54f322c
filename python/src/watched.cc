#include "python/src/watched.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "evaluator/base/os/this_process.h"
#include "python/src/errors.h"

namespace onnxcmp::python {
namespace {

namespace nb = nanobind;

constexpr std::chrono::milliseconds kBetween(50);

// The work that is under way in this process.
class UnderWay {
 public:
  static UnderWay& Instance() {
    static auto* const instance = new UnderWay();
    return *instance;
  }
  // False: the process ends.
  bool Add(std::atomic<bool>* stop) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ForgetTheParents();
    if (!ended_) stops_.insert(stop);
    return !ended_;
  }
  void Remove(std::atomic<bool>* stop) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto found = stops_.find(stop); found != stops_.end()) stops_.erase(found);
    changed_.notify_all();
  }
  void End() {
    constexpr std::chrono::seconds kMost(10);
    std::unique_lock<std::mutex> lock(mutex_);
    ForgetTheParents();
    ended_ = true;
    if (stops_.empty()) return;
    for (std::atomic<bool>* stop : stops_) stop->store(true);
    changed_.wait_for(lock, kMost, [this] { return stops_.empty(); });
    lock.unlock();
    // The interpreter needs a moment for the exceptions of the stopped calls.
    constexpr std::chrono::milliseconds kRaising(200);
    std::this_thread::sleep_for(kRaising);
  }

 private:
  // A process that was forked has but the thread that did it.
  void ForgetTheParents() {
    if (process_ != ProcessNumber()) stops_.clear();
    process_ = ProcessNumber();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  int process_ = ProcessNumber();
  std::multiset<std::atomic<bool>*> stops_;
};

// From before the lock is given up until it is held again.
class Registration {
 public:
  explicit Registration(std::atomic<bool>* stop) : stop_(stop) {
    if (!UnderWay::Instance().Add(stop)) throw StatusError{absl::CancelledError("Python ends")};
  }
  ~Registration() { UnderWay::Instance().Remove(stop_); }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  std::atomic<bool>* stop_;
};

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
  const Registration registration(stop);
  const nb::gil_scoped_release release;
  Worker worker;
  const bool looks = watch.signals || !watch.tick.is_none();
  const absl::Time deadline = absl::Now() + watch.time;
  if ((!looks && watch.time == absl::InfiniteDuration()) || !worker.Start(work)) {
    work();
    return;
  }
  std::exception_ptr raised;
  while (!worker.IsDone()) {
    if (raised != nullptr) {
      stop->store(true);  // again: work that waited for its turn clears it when it begins
      continue;
    }
    if (absl::Now() >= deadline) {
      raised = std::make_exception_ptr(StatusError{absl::DeadlineExceededError(
          absl::StrCat("the comparison takes longer than --max-time allows, ",
                       absl::FormatDuration(watch.time)))});
      stop->store(true);
      continue;
    }
    if (!looks) continue;
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

bool SignalLook::Raised() {
  if (!signals_ || raised_ != nullptr) return raised_ != nullptr;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kBetween) return false;
  last_ = now;
  const nb::gil_scoped_acquire acquire;
  try {
    Look({}, nullptr);
  } catch (...) {
    raised_ = std::current_exception();
  }
  return raised_ != nullptr;
}

void SignalLook::Rethrow() const {
  if (raised_ != nullptr) std::rethrow_exception(raised_);
}

void StopAllWork() {
  const nb::gil_scoped_release release;
  UnderWay::Instance().End();
}

}  // namespace onnxcmp::python
