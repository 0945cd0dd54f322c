// Memory that a run gave back and takes again: the system clears what it hands out page by page,
// which takes longer than most operators need to fill it.
#ifndef ONNXCMP_EVALUATOR_BASE_SPARE_MEMORY_H_
#define ONNXCMP_EVALUATOR_BASE_SPARE_MEMORY_H_

#include <cstddef>
#include <map>
#include <mutex>
#include <new>

namespace onnxcmp {

// Cache lines, and more than any vector register.
inline constexpr std::align_val_t kMemoryAlignment{64};

// Aligned memory with anything in it; null if the system has none left.
std::byte* TakeFromSystem(size_t bytes);
void GiveToSystem(std::byte* data);

// Which blocks serve again: those of about the size that is asked for, or any that are large
// enough.
enum class BlockFit { kClose, kAny };

// The same by way of what waits, from any thread. What is in use and what waits together never take
// more than an eighth more than what was in use at some time.
class SpareMemory {
 public:
  // What is smaller malloc keeps by itself.
  static constexpr size_t kLeast = size_t{1} << 16;

  explicit SpareMemory(BlockFit fit = BlockFit::kClose) : fit_(fit) {}
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
  // Bytes that may be taken again.
  size_t waiting() const;

 private:
  // As much of what waits to the system as is held beyond what may be.
  void Shrink();
  void Release(std::multimap<size_t, std::byte*>::iterator block);

  const BlockFit fit_;
  mutable std::mutex mutex_;
  std::multimap<size_t, std::byte*> waiting_;  // by capacity
  size_t waiting_bytes_ = 0;
  size_t used_bytes_ = 0;
  size_t most_used_ = 0;  // at a time
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_SPARE_MEMORY_H_
