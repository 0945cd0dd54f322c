#include "evaluator/base/os/pages.h"

#include <sys/mman.h>
#include <unistd.h>

namespace onnxcmp {
namespace {

// Hints may fail, and Linux alone has all of them.
void Advise(const std::byte* data, size_t bytes, int advice) {
  madvise(const_cast<std::byte*>(data), bytes, advice);
}

}  // namespace

size_t PageSize() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

std::byte* MapMemory(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, /*offset=*/0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

void UnmapMemory(std::byte* data, size_t bytes) { munmap(data, bytes); }

void DiscardPages(std::byte* data, size_t bytes) {
#ifdef __APPLE__
  Advise(data, bytes, MADV_FREE);  // with the other one there they keep their bytes
#else
  Advise(data, bytes, MADV_DONTNEED);
#endif
}

void PreferLargePages([[maybe_unused]] std::byte* data, [[maybe_unused]] size_t bytes) {
#ifdef MADV_HUGEPAGE
  Advise(data, bytes, MADV_HUGEPAGE);
#endif
}

void BackPages([[maybe_unused]] std::byte* data, [[maybe_unused]] size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  Advise(data, bytes, MADV_POPULATE_WRITE);  // Linux 5.14 and later
#endif
}

const std::byte* MapFile(int file, int64_t bytes) {
  void* data =
      mmap(nullptr, static_cast<size_t>(bytes), PROT_READ, MAP_PRIVATE, file, /*offset=*/0);
  return data == MAP_FAILED ? nullptr : static_cast<const std::byte*>(data);
}

void UnmapFile(const std::byte* data, int64_t bytes) {
  munmap(const_cast<std::byte*>(data), static_cast<size_t>(bytes));
}

void BringFilePages([[maybe_unused]] const std::byte* data, [[maybe_unused]] int64_t bytes) {
#ifdef MADV_POPULATE_READ
  Advise(data, static_cast<size_t>(bytes), MADV_POPULATE_READ);
#endif
}

void DropFilePages(const std::byte* data, int64_t bytes) {
  Advise(data, static_cast<size_t>(bytes), MADV_DONTNEED);
}

}  // namespace onnxcmp
