#include "cli/process/heap.h"

#include <unistd.h>

#include <cstddef>
#include <memory>

#include "evaluator/base/fresh_memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace onnxcmp::cli {

#ifdef __GLIBC__

void GrowHeap(uint64_t bytes) {
  // More than the heap has left, less than malloc maps separately.
  constexpr size_t kFirst = size_t{512} << 10;
  // Two threads that load two models would have a heap each, of which only one is used again.
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TOP_PAD, static_cast<int>(bytes));
  const std::unique_ptr<char[]> first(new char[kFirst]);
  const auto begin = reinterpret_cast<uintptr_t>(first.get());
  const auto end = reinterpret_cast<uintptr_t>(sbrk(0));
  // Another allocator has its blocks elsewhere.
  if (end < begin || end - begin > 2 * bytes + kFirst) return;
  LargePages().Prefer(reinterpret_cast<std::byte*>(first.get()), end - begin);
}

void KeepLargeBlocksOutOfTheHeap() {
  constexpr int kLeastMapped = 1 << 20;  // bytes
  mallopt(M_MMAP_THRESHOLD, kLeastMapped);
}

#else

void GrowHeap(uint64_t /*bytes*/) {}
void KeepLargeBlocksOutOfTheHeap() {}

#endif

}  // namespace onnxcmp::cli
