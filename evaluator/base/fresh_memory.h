// Memory as the system hands it out: it clears each page that is written to for the first time.
#ifndef ONNXCMP_EVALUATOR_BASE_FRESH_MEMORY_H_
#define ONNXCMP_EVALUATOR_BASE_FRESH_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <new>

#include "absl/time/time.h"

namespace onnxcmp {

// Cache lines, and more than any vector register.
inline constexpr std::align_val_t kMemoryAlignment{64};

// Aligned memory with anything in it; null if the system has none left.
std::byte* TakeFromSystem(size_t bytes);
void GiveToSystem(std::byte* data);

// Whole pages of zeros, which take memory only where they are written to; null if the system has
// none left.
std::byte* MapPages(size_t bytes);
void UnmapPages(std::byte* data, size_t bytes);

// Memory in large pages. Filling it takes few faults, and a machine clears large pages several
// times faster than as many small ones. Not so where a hypervisor takes back what lies free in
// large pieces, and has to find it again when it is written to: there they come ten times slower
// than small pages, for which there are pieces left that were too small to be taken back.
// Thread-safe.
class LargePages {
 public:
  // One that takes longer than `slow` of the processor's time is slow.
  explicit LargePages(absl::Duration slow = absl::Milliseconds(1)) : slow_(slow) {}

  // Asks for large pages wherever a whole one lies in memory not yet written to, unless
  // one was slow before. Has the first few of them made at once; if one of these is slow, the rest
  // is left to small ones.
  void Prefer(std::byte* data, size_t bytes);

  // True as long as none was slow.
  bool pay() const { return pay_; }

 private:
  const absl::Duration slow_;
  std::atomic<bool> pay_ = true;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_FRESH_MEMORY_H_
