// Memory for copies of tensors that lie unaligned in a file.
#ifndef ONNXCMP_EVALUATOR_TENSOR_ALIGNED_COPIES_H_
#define ONNXCMP_EVALUATOR_TENSOR_ALIGNED_COPIES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Tensors share large pages: page by page, the system takes longer to give memory than a copy
// takes. Its memory goes as a whole. Thread-safe.
class AlignedCopies {
 public:
  AlignedCopies() = default;
  ~AlignedCopies();
  AlignedCopies(const AlignedCopies&) = delete;
  AlignedCopies& operator=(const AlignedCopies&) = delete;

  // A place, 64-byte aligned, with as much after it as Buffer::Allocate leaves. It takes memory
  // only where it is written to. ResourceExhausted if the system gives none.
  absl::StatusOr<std::byte*> Reserve(int64_t bytes);

 private:
  struct Chunk {
    std::byte* data;
    size_t size;
  };
  std::mutex mutex_;  // of all below
  std::vector<Chunk> chunks_;
  size_t used_ = 0;  // of the last one
};

// A buffer over the bytes in their file, or over a copy if their address is no multiple of
// `alignment`.
absl::StatusOr<std::shared_ptr<Buffer>> BorrowAligned(const FileBytes& bytes, uintptr_t alignment,
                                                      const std::shared_ptr<AlignedCopies>& copies);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_ALIGNED_COPIES_H_
