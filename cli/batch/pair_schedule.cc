#include "cli/batch/pair_schedule.h"

#include "cli/process/free_memory.h"

namespace onnxcmp::cli {
namespace {

// Bytes of a comparison of two models that hold nothing, with its page.
constexpr int64_t kLeastMemory = int64_t{64} << 20;
constexpr int kMostOvertaken = 64;
constexpr int kMostTried = 4096;  // of a million that wait

}  // namespace

std::optional<size_t> PairSchedule::Start() {
  int tried = 0;
  for (auto it = waiting_.begin(); it != waiting_.end() && tried < kMostTried; ++it, ++tried) {
    const bool fits = running_ == 0 || used_ + it->memory <= memory_;
    if (!fits) {
      if (it == waiting_.begin() && overtaken_ >= kMostOvertaken) return std::nullopt;
      continue;
    }
    overtaken_ = it == waiting_.begin() ? 0 : overtaken_ + 1;
    const size_t pair = it->pair;
    used_ += it->memory;
    ++running_;
    waiting_.erase(it);
    return pair;
  }
  return std::nullopt;
}

void PairSchedule::End(int64_t memory) {
  used_ -= memory;
  --running_;
}

int64_t EstimatePairMemory(int64_t model_bytes) {
  // Weights stay in mapped files; what is converted, and results that are kept, grow with them.
  return kLeastMemory + 2 * model_bytes;
}

int64_t MemoryForPairs() {
  const int64_t free = FreeMemory();
  constexpr int64_t kUnknown = int64_t{4} << 30;
  return free == 0 ? kUnknown : free / 10 * 9;
}

}  // namespace onnxcmp::cli
