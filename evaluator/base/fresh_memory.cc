#include "evaluator/base/fresh_memory.h"

#include <algorithm>
#include <cstdint>

#include "evaluator/base/os/pages.h"
#include "evaluator/base/os/threads.h"

namespace onnxcmp {
namespace {

constexpr size_t kLargePage = size_t{2} << 20;
// From this size on malloc maps fresh pages for each block.
constexpr size_t kLeastLarge = size_t{32} << 20;

// The share and the greatest number of pages that are timed: those that will be filled first.
constexpr size_t kShareTried = 32;
constexpr size_t kMostTried = 8;

// The large pages that lie as a whole in some memory.
struct WholePages {
  std::byte* data = nullptr;
  size_t bytes = 0;
};

WholePages WholePagesIn(std::byte* data, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  const uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const uintptr_t last = (begin + bytes) / kLargePage * kLargePage;
  if (first >= last) return {};
  return {data + (first - begin), last - first};
}

// How long the system takes to back memory with pages, next to nothing if it has them or does not
// do so when asked.
absl::Duration TimeToBack(std::byte* data, size_t bytes) {
  const absl::Duration before = ThreadTime();
  BackPages(data, bytes);
  return ThreadTime() - before;
}

}  // namespace

std::byte* TakeFromSystem(size_t bytes) {
  void* memory = ::operator new(bytes, kMemoryAlignment, std::nothrow);
  if (memory == nullptr) return nullptr;
  auto* data = static_cast<std::byte*>(memory);
  // Page by page, faults take half of LogSoftmax's time.
  if (bytes >= kLeastLarge) {
    const WholePages pages = WholePagesIn(data, bytes);
    PreferLargePages(pages.data, pages.bytes);
  }
  return data;
}

void GiveToSystem(std::byte* data) { ::operator delete(data, kMemoryAlignment); }

std::byte* MapPages(size_t bytes) { return MapMemory(bytes); }

void UnmapPages(std::byte* data, size_t bytes) { UnmapMemory(data, bytes); }

void LargePages::Prefer(std::byte* data, size_t bytes) {
  const WholePages pages = WholePagesIn(data, bytes);
  if (pages.bytes == 0 || !pay_) return;
  // Several pages are timed: memory that went back to the host comes after memory that was free for
  // a short while only.
  const size_t tried = std::clamp(pages.bytes / kLargePage / kShareTried, size_t{1}, kMostTried);
  for (size_t i = 0; i < tried; ++i) {
    std::byte* const page = pages.data + i * kLargePage;
    PreferLargePages(page, kLargePage);
    if (TimeToBack(page, kLargePage) <= slow_) continue;
    pay_ = false;
    return;
  }
  PreferLargePages(pages.data + tried * kLargePage, pages.bytes - tried * kLargePage);
}

}  // namespace onnxcmp
