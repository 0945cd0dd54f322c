// Memory that a run gave back and takes again: the system clears what it hands out page by page,
// which takes longer than most operators need to fill it.
#ifndef ONNXCMP_EVALUATOR_BASE_SPARE_MEMORY_H_
#define ONNXCMP_EVALUATOR_BASE_SPARE_MEMORY_H_

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "evaluator/base/fresh_memory.h"

namespace onnxcmp {

// Blocks of a few large regions, from any thread. What lies free there joins its free neighbours
// and is cut for what comes, whatever its size. What is in use and what waits together never take
// more than an eighth more than what was in use at some time: beyond it pages go back to the
// system.
class SpareMemory {
 public:
  // Bytes below which malloc keeps a block by itself.
  static constexpr size_t kLeast = size_t{1} << 16;

  SpareMemory() = default;
  SpareMemory(const SpareMemory&) = delete;
  SpareMemory& operator=(const SpareMemory&) = delete;
  ~SpareMemory();  // everything must have been given back

  // Memory of at least that many bytes with anything in it; null if the system has none left.
  struct Block {
    std::byte* data = nullptr;
    size_t capacity = 0;
  };
  Block Take(size_t bytes);
  void Give(const Block& block);
  // Bytes that may be taken again without asking the system.
  size_t waiting() const;
  // For memory of a similar kind.
  LargePages& large_pages() { return large_pages_; }

 private:
  // Bytes in a row that all may have pages of the system, or none.
  struct Run {
    size_t size;
    bool waits;
  };
  struct Free {
    size_t size = 0;
    size_t waiting = 0;     // bytes of the runs that wait
    std::vector<Run> runs;  // in order; neighbours differ
    void Append(const Run& run);
    // The bytes without pages among its first ones.
    size_t FreshWithin(size_t bytes) const;
  };
  using FreeBlocks = std::map<std::byte*, Free>;

  void Insert(std::byte* data, Free free);
  Free Remove(FreeBlocks::iterator block);
  // Where that many bytes are free, and most of them wait; the end if the system has none left.
  FreeBlocks::iterator Find(size_t bytes);
  bool AddRegion(size_t bytes);
  // As much of what waits to the system as is held beyond what may be.
  void Shrink();

  LargePages large_pages_;
  mutable std::mutex mutex_;
  std::map<std::byte*, size_t> regions_;                // where they begin, their bytes
  size_t region_bytes_ = 0;                             // of all
  FreeBlocks free_;                                     // no two touch within a region
  std::set<std::pair<size_t, std::byte*>> by_size_;     // the same
  std::set<std::pair<size_t, std::byte*>> by_waiting_;  // those of which something waits
  size_t waiting_bytes_ = 0;
  size_t used_bytes_ = 0;
  size_t most_used_ = 0;  // at a time
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_SPARE_MEMORY_H_
