#include "evaluator/tensor/aligned_copies.h"

#include <sys/mman.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

constexpr size_t kCopyAlignment = 64;
constexpr size_t kLeastChunk = size_t{64} << 20;  // tensors share large pages

}  // namespace

AlignedCopies::~AlignedCopies() {
  for (const Chunk& chunk : chunks_) munmap(chunk.data, chunk.size);
}

absl::StatusOr<std::byte*> AlignedCopies::Reserve(int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t needed =
      (static_cast<size_t>(bytes) + 2 * kCopyAlignment - 1) / kCopyAlignment * kCopyAlignment;
  if (chunks_.empty() || chunks_.back().size - used_ < needed) {
    const size_t size = std::max(needed, kLeastChunk);
    void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, /*offset=*/0);
    if (data == MAP_FAILED) {
      return absl::ResourceExhaustedError(absl::StrCat("no memory for ", bytes, " bytes"));
    }
#ifdef MADV_HUGEPAGE
    madvise(data, size, MADV_HUGEPAGE);  // only a hint: may fail
#endif
    chunks_.push_back({static_cast<std::byte*>(data), size});
    used_ = 0;
  }
  std::byte* place = chunks_.back().data + used_;
  used_ += needed;
  return place;
}

absl::StatusOr<std::shared_ptr<Buffer>> BorrowAligned(
    const FileBytes& bytes, uintptr_t alignment, const std::shared_ptr<AlignedCopies>& copies) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignment == 0) {
    return Buffer::Borrow(bytes.data(), bytes.size, bytes.file);
  }
  OC_ASSIGN_OR_RETURN(std::byte * place, copies->Reserve(bytes.size));
  bytes.CopyTo(0, bytes.size, place);
  return Buffer::Borrow(place, bytes.size, copies);
}

}  // namespace onnxcmp
