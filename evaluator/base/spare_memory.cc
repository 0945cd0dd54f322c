#include "evaluator/base/spare_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <new>

// Clang has it in a package of its own.
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#endif

namespace onnxcmp {
namespace {

// A block serves if this part of it at most is left over.
constexpr size_t kSlack = 8;
// What part of the most that was used at a time may be held besides.
constexpr size_t kMore = 8;

// What malloc does not keep but takes from the system and gives back each time (glibc: at most 32
// MB) has page faults all over: they took half of LogSoftmax's time. Large pages have few.
void PreferLargePages([[maybe_unused]] std::byte* data, [[maybe_unused]] size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr size_t kLeast = size_t{32} << 20;
  constexpr uintptr_t kPage = uintptr_t{2} << 20;
  if (bytes < kLeast) return;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(data);
  const uintptr_t first = (begin + kPage - 1) / kPage * kPage;
  const uintptr_t last = (begin + bytes) / kPage * kPage;
  madvise(data + (first - begin), last - first, MADV_HUGEPAGE);  // only a hint: may fail
#endif
}

// The address sanitizer holds that nobody touches what waits.
void Forbid([[maybe_unused]] std::byte* data, [[maybe_unused]] size_t bytes) {
#ifdef ASAN_POISON_MEMORY_REGION
  ASAN_POISON_MEMORY_REGION(data, bytes);
#endif
}
void Allow([[maybe_unused]] std::byte* data, [[maybe_unused]] size_t bytes) {
#ifdef ASAN_UNPOISON_MEMORY_REGION
  ASAN_UNPOISON_MEMORY_REGION(data, bytes);
#endif
}

}  // namespace

std::byte* TakeFromSystem(size_t bytes) {
  void* memory = ::operator new(bytes, kMemoryAlignment, std::nothrow);
  if (memory == nullptr) return nullptr;
  auto* data = static_cast<std::byte*>(memory);
  PreferLargePages(data, bytes);
  return data;
}

void GiveToSystem(std::byte* data) { ::operator delete(data, kMemoryAlignment); }

SpareMemory::~SpareMemory() {
  while (!waiting_.empty()) Release(waiting_.begin());
}

SpareMemory::Block SpareMemory::Take(size_t bytes) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = waiting_.lower_bound(bytes);
    if (it != waiting_.end() &&
        (fit_ == BlockFit::kAny || it->first - bytes <= it->first / kSlack)) {
      const Block block = {it->second, it->first};
      waiting_.erase(it);
      waiting_bytes_ -= block.capacity;
      used_bytes_ += block.capacity;
      Allow(block.data, block.capacity);
      return block;
    }
    used_bytes_ += bytes;
    most_used_ = std::max(most_used_, used_bytes_);
    Shrink();
  }
  std::byte* data = TakeFromSystem(bytes);
  if (data != nullptr) return {data, bytes};
  const std::lock_guard<std::mutex> lock(mutex_);
  used_bytes_ -= bytes;
  return {};
}

void SpareMemory::Give(const Block& block) {
  Forbid(block.data, block.capacity);
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_.emplace(block.capacity, block.data);
  waiting_bytes_ += block.capacity;
  used_bytes_ -= block.capacity;
}

size_t SpareMemory::waiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return waiting_bytes_;
}

void SpareMemory::Shrink() {
  const size_t most = most_used_ + most_used_ / kMore;
  while (!waiting_.empty() && used_bytes_ + waiting_bytes_ > most) {
    const auto enough = waiting_.lower_bound(used_bytes_ + waiting_bytes_ - most);
    Release(enough != waiting_.end() ? enough : std::prev(waiting_.end()));
  }
}

void SpareMemory::Release(std::multimap<size_t, std::byte*>::iterator block) {
  Allow(block->second, block->first);
  GiveToSystem(block->second);
  waiting_bytes_ -= block->first;
  waiting_.erase(block);
}

}  // namespace onnxcmp
