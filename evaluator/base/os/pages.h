// Memory in pages, and files mapped into it.
#ifndef ONNXCMP_EVALUATOR_BASE_OS_PAGES_H_
#define ONNXCMP_EVALUATOR_BASE_OS_PAGES_H_

#include <cstddef>
#include <cstdint>

namespace onnxcmp {

// Memory goes back to the system in whole pages.
size_t PageSize();

// Whole pages of zeros, which take memory only where they are written to; null if the system has
// none left.
std::byte* MapMemory(size_t bytes);
void UnmapMemory(std::byte* data, size_t bytes);
// Gives the memory back and keeps the addresses; anything may be in it afterwards.
void DiscardPages(std::byte* data, size_t bytes);

// Only hints. Large pages for memory not yet written to; pages for it at once.
void PreferLargePages(std::byte* data, size_t bytes);
void BackPages(std::byte* data, size_t bytes);

// A file's bytes, read-only; null, with errno set. `bytes` is more than 0.
const std::byte* MapFile(int file, int64_t bytes);
void UnmapFile(const std::byte* data, int64_t bytes);
// Only hints. Brings pages of a mapped file into the mapping; takes them out of it.
void BringFilePages(const std::byte* data, int64_t bytes);
void DropFilePages(const std::byte* data, int64_t bytes);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_OS_PAGES_H_
