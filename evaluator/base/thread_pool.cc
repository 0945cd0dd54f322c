#include "evaluator/base/thread_pool.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "absl/base/call_once.h"

#ifdef ONNXCMP_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace onnxcmp {
namespace {

// Signs for the thread sanitizer, which cannot see how the threading library, compiled without it,
// hands work over to other threads and waits for them.
void HandOver([[maybe_unused]] void* place) {
#ifdef ONNXCMP_THREAD_SANITIZER
  __tsan_release(place);
#endif
}
void TakeOver([[maybe_unused]] void* place) {
#ifdef ONNXCMP_THREAD_SANITIZER
  __tsan_acquire(place);
#endif
}

}  // namespace

// The library is asked for when there is work for it: its own start takes a millisecond, which is
// longer than small models run.
struct ThreadPool::Arena {
 public:
  explicit Arena(int threads) : threads_(threads) {}

  tbb::task_arena& Get() {
    // More threads than cores would gain nothing, and make the library warn on standard error.
    absl::call_once(once_,
                    [&] { arena_.emplace(std::min(threads_, tbb::info::default_concurrency())); });
    return *arena_;
  }

 private:
  const int threads_;
  absl::once_flag once_;
  std::optional<tbb::task_arena> arena_;
};

int ThreadCount(int wanted) {
  if (wanted > 0) return wanted;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadPool::ThreadPool(int threads, std::shared_ptr<SpareMemory> scratch)
    : threads_(std::max(threads, 1)),
      scratch_(scratch != nullptr ? std::move(scratch) : std::make_shared<SpareMemory>()) {
  if (threads_ > 1) arena_ = std::make_unique<Arena>(threads_);
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::ParallelFor(int64_t tasks, absl::FunctionRef<void(int64_t)> task) const {
  if (arena_ == nullptr || tasks <= 1) {
    for (int64_t i = 0; i < tasks; ++i) task(i);
    return;
  }
  char begun = 0;
  char done = 0;
  HandOver(&begun);
  arena_->Get().execute([&] {
    // One task a piece: the caller cut the work as it wants it.
    tbb::parallel_for(
        tbb::blocked_range<int64_t>(0, tasks, 1),
        [&](const tbb::blocked_range<int64_t>& range) {
          TakeOver(&begun);
          for (int64_t i = range.begin(); i != range.end(); ++i) task(i);
          HandOver(&done);
        },
        tbb::simple_partitioner());
  });
  TakeOver(&done);
}

void ThreadPool::ParallelRanges(int64_t count, int64_t grain,
                                absl::FunctionRef<void(int64_t, int64_t)> body) const {
  grain = std::max<int64_t>(grain, 1);
  int64_t tasks = count / grain + (count % grain != 0 ? 1 : 0);
  ParallelFor(tasks, [&](int64_t i) {
    int64_t begin = i * grain;
    body(begin, begin + std::min(grain, count - begin));
  });
}

}  // namespace onnxcmp
