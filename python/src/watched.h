// Long work beside an interpreter that wants to go on.
#ifndef ONNXCMP_PYTHON_SRC_WATCHED_H_
#define ONNXCMP_PYTHON_SRC_WATCHED_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <nanobind/nanobind.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp::python {

using Stop = std::shared_ptr<std::atomic<bool>>;

// How far runs are, told by their observers and asked for by another thread.
class ProgressState {
 public:
  void Start(absl::string_view run);
  void Node(int64_t index, int64_t total, absl::string_view node);

  struct Now {
    std::string run;
    int64_t index = 0;
    int64_t total = 0;
    std::string node;
  };
  Now now() const;

 private:
  mutable std::mutex mutex_;
  Now now_;
};

// Tells of a run.
class ProgressObserver : public Observer {
 public:
  ProgressObserver(std::shared_ptr<ProgressState> state, absl::string_view run);
  void OnNodeStart(const NodeStart& start) override;
  absl::Status OnResult(const Result& /*result*/, std::optional<Value>* /*replacement*/) override {
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<ProgressState> state_;
};

// Does short work without the interpreter's lock.
template <typename Work>
auto WithoutLock(const Work& work) {
  const nanobind::gil_scoped_release release;
  return work();
}

// How work is watched: `tick`, called with (run, index, total, node), shows its progress; None:
// nothing is shown. `signals`: this is the main thread, on which Python handles signals. `time`:
// how long it may take.
struct Watch {
  nanobind::object tick = nanobind::none();
  bool signals = false;
  absl::Duration time = absl::InfiniteDuration();
};

// Does `work` without the interpreter's lock. Where something is to be watched, it is done on
// another thread: when a signal's handler raises (KeyboardInterrupt), or tick does, or the time is
// over (DeadlineExceeded), *stop becomes true, the work is waited for, and the exception goes on.
// The lock is held before and after.
void DoWatched(const Watch& watch, const ProgressState* progress, std::atomic<bool>* stop,
               const std::function<void()>& work);

// The same for work on this thread that can look for itself. A thread for each run of a small model
// takes longer than the run.
class SignalLook {
 public:
  // `signals`: as in Watch; false: there is nothing to look for.
  explicit SignalLook(bool signals) : signals_(signals) {}
  // True if a signal's handler has raised, now or before. To be called now and then, without the
  // interpreter's lock.
  bool Raised();
  // Throws what it raised.
  void Rethrow() const;

 private:
  bool signals_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::exception_ptr raised_;
};

// Stops all work of DoWatched(), and waits for it for a while: an interpreter that ends takes its
// lock from the threads that wait for it, and the process with them. Work that comes later is not
// begun. The lock is held.
void StopAllWork();

}  // namespace onnxcmp::python

#endif  // ONNXCMP_PYTHON_SRC_WATCHED_H_
