// Tensors that lie in a file, and copies of those that lie there unaligned.
#ifndef ONNXCMP_EVALUATOR_TENSOR_ALIGNED_COPIES_H_
#define ONNXCMP_EVALUATOR_TENSOR_ALIGNED_COPIES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/memory_account.h"
#include "evaluator/base/spare_memory.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Memory for copies. Tensors share large pages: page by page, the system takes longer to give
// memory than a copy takes. Its memory goes as a whole. Thread-safe.
class AlignedCopies {
 public:
  // `spare`: as passing() takes its memory from; null: from some of its own.
  explicit AlignedCopies(std::shared_ptr<SpareMemory> spare = nullptr);
  ~AlignedCopies();
  AlignedCopies(const AlignedCopies&) = delete;
  AlignedCopies& operator=(const AlignedCopies&) = delete;

  // A place, 64-byte aligned, with as much after it as Buffer::Allocate leaves. It takes memory
  // only where it is written to. ResourceExhausted if the system gives none.
  absl::StatusOr<std::byte*> Reserve(int64_t bytes);

  // The account of copies that go again: one takes the memory of the one before.
  const std::shared_ptr<MemoryAccount>& passing() const { return passing_; }

 private:
  struct Chunk {
    std::byte* data;
    size_t size;
  };
  std::mutex mutex_;  // of all below
  std::vector<Chunk> chunks_;
  size_t used_ = 0;  // of the last one
  const std::shared_ptr<MemoryAccount> passing_;
};

// Bytes of a file that are in memory only while they are looked at: copied, or where they lie in
// the mapped file. Thread-safe.
class StoredBytes {
 public:
  // `place`: what `copies` has reserved for them, or null if they can be used where they lie.
  StoredBytes(FileBytes bytes, std::byte* place, std::shared_ptr<AlignedCopies> copies);

  int64_t size() const { return bytes_.size; }
  const FileBytes& file_bytes() const { return bytes_; }
  // Where they are after Keep().
  const std::byte* place() const { return place_ != nullptr ? place_ : bytes_.data(); }
  void Keep();

  // As Buffer::InMemory.
  absl::StatusOr<std::shared_ptr<Buffer>> InMemory(const ThreadPool* pool);

 private:
  absl::StatusOr<std::shared_ptr<Buffer>> Copy(const ThreadPool* pool) const;

  const FileBytes bytes_;
  std::byte* const place_;
  const std::shared_ptr<AlignedCopies> copies_;
  std::mutex mutex_;
  std::atomic<bool> kept_ = false;
  std::weak_ptr<Buffer> in_memory_;
};

// A buffer over the bytes in their file, or over a copy if their address is no multiple of
// `alignment`.
absl::StatusOr<std::shared_ptr<Buffer>> BorrowAligned(const FileBytes& bytes, uintptr_t alignment,
                                                      const std::shared_ptr<AlignedCopies>& copies);

// The same, but large ones are stored() (see Buffer).
absl::StatusOr<std::shared_ptr<Buffer>> StoreAligned(const FileBytes& bytes, uintptr_t alignment,
                                                     const std::shared_ptr<AlignedCopies>& copies);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_ALIGNED_COPIES_H_
