// The memory of a run's tensors: how much they hold together, how much they may, where it is from.
#ifndef ONNXCMP_EVALUATOR_BASE_MEMORY_ACCOUNT_H_
#define ONNXCMP_EVALUATOR_BASE_MEMORY_ACCOUNT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "evaluator/base/spare_memory.h"

namespace onnxcmp {

// The bytes that a run holds. An allocation charges it, its end credits it; from any thread.
class MemoryAccount {
 public:
  // In bytes; without spare memory all comes from the system.
  explicit MemoryAccount(int64_t limit, std::shared_ptr<SpareMemory> spare = nullptr)
      : limit_(limit), spare_(std::move(spare)) {}

  int64_t limit() const { return limit_; }
  const std::shared_ptr<SpareMemory>& spare() const { return spare_; }

  // False, and nothing is charged, if it would come to more than the limit.
  bool Charge(int64_t bytes) {
    int64_t held = held_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit_ - held) return false;
    } while (!held_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
    return true;
  }
  void Credit(int64_t bytes) { held_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  const int64_t limit_;
  const std::shared_ptr<SpareMemory> spare_;
  std::atomic<int64_t> held_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_MEMORY_ACCOUNT_H_
