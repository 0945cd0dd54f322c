#include "cli/process/heap.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <system_error>

#include "evaluator/base/fresh_memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#include <unistd.h>
#endif

namespace onnxcmp::cli {
namespace {

// Larger files are mostly weights, which lie elsewhere: a million nodes take 64 MB on both sides.
constexpr uint64_t kLeastOfNodes = uint64_t{170} << 10;
constexpr uint64_t kMostOfNodes = uint64_t{96} << 20;
// Bytes in the heap for each byte in a file of nodes, including a comparison's own blocks.
// Untouched memory costs nothing.
constexpr uint64_t kForEach = 112;
constexpr uint64_t kMost = uint64_t{2047} << 20;  // mallopt() takes an int

#ifdef __GLIBC__
// Lets the heap grow by that much at once, and requests large pages there: they are filled as the
// heap is, and cause few faults.
void Grow(uint64_t bytes) {
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
#else
void Grow(uint64_t /*bytes*/) {}
#endif

}  // namespace

void ExpectModels(absl::Span<const std::string> paths) {
  uint64_t bytes = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    const uint64_t size = std::filesystem::file_size(path, error);
    if (!error) bytes += size;
  }
  if (bytes >= kLeastOfNodes && bytes <= kMostOfNodes) Grow(std::min(kForEach * bytes, kMost));
}

}  // namespace onnxcmp::cli
