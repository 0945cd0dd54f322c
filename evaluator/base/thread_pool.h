// Threads for independent pieces of work.
#ifndef ONNXCMP_EVALUATOR_BASE_THREAD_POOL_H_
#define ONNXCMP_EVALUATOR_BASE_THREAD_POOL_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "evaluator/base/spare_memory.h"

namespace onnxcmp {

// As many threads as are asked for; 0 or less: one for each core.
int ThreadCount(int wanted);

// How work is cut into tasks must depend on shapes only, never on the number of threads: threads
// only pick tasks, so results are the same bits for any number of them.
class ThreadPool {
 public:
  // At least 1; 1 runs everything on the caller's thread. What tasks need besides while they run
  // (evaluator/base/scratch.h) comes from `scratch`; null: the pool has its own.
  explicit ThreadPool(int threads, std::shared_ptr<SpareMemory> scratch = nullptr);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  SpareMemory& scratch() const { return *scratch_; }

  // Calls task(0) ... task(tasks - 1), in any order, possibly at the same time; returns when all
  // have returned. Tasks must not throw and must write to disjoint memory. May be nested.
  void ParallelFor(int64_t tasks, absl::FunctionRef<void(int64_t)> task) const;

  // Cuts [0, count) into pieces of `grain` (the last may be shorter): body(begin, end).
  void ParallelRanges(int64_t count, int64_t grain,
                      absl::FunctionRef<void(int64_t, int64_t)> body) const;

 private:
  struct Arena;  // keeps the threading library out of this header
  int threads_;
  std::shared_ptr<SpareMemory> scratch_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_THREAD_POOL_H_
