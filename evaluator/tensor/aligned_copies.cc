#include "evaluator/tensor/aligned_copies.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/base/fresh_memory.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

constexpr size_t kCopyAlignment = 64;
constexpr size_t kLeastChunk = size_t{64} << 20;  // tensors share large pages
// Bytes below which weights are copied once and for all: malloc gives such memory again without
// asking the system.
constexpr int64_t kLeastStored = int64_t{64} << 10;
// Reading into memory that is there takes two thirds of mapping; but larger ones would hold memory
// of our own, which the system could take back from a mapping.
constexpr int64_t kMostRead = int64_t{16} << 20;
// Bytes that one thread copies at a time.
constexpr int64_t kCopied = int64_t{1} << 20;

bool IsAligned(const FileBytes& bytes, uintptr_t alignment) {
  return reinterpret_cast<uintptr_t>(bytes.data()) % alignment == 0;
}

}  // namespace

AlignedCopies::AlignedCopies(std::shared_ptr<SpareMemory> spare)
    : passing_(std::make_shared<MemoryAccount>(
          std::numeric_limits<int64_t>::max(),
          spare != nullptr ? std::move(spare) : std::make_shared<SpareMemory>())) {}

AlignedCopies::~AlignedCopies() {
  for (const Chunk& chunk : chunks_) UnmapPages(chunk.data, chunk.size);
}

absl::StatusOr<std::byte*> AlignedCopies::Reserve(int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t needed =
      (static_cast<size_t>(bytes) + 2 * kCopyAlignment - 1) / kCopyAlignment * kCopyAlignment;
  if (chunks_.empty() || chunks_.back().size - used_ < needed) {
    const size_t size = std::max(needed, kLeastChunk);
    std::byte* data = MapPages(size);
    if (data == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat("no memory for ", bytes, " bytes"));
    }
    passing_->spare()->large_pages().Prefer(data, size);
    chunks_.push_back({data, size});
    used_ = 0;
  }
  std::byte* place = chunks_.back().data + used_;
  used_ += needed;
  return place;
}

StoredBytes::StoredBytes(FileBytes bytes, std::byte* place, std::shared_ptr<AlignedCopies> copies)
    : bytes_(std::move(bytes)), place_(place), copies_(std::move(copies)) {}

void StoredBytes::Keep() {
  if (place_ == nullptr || kept_.load(std::memory_order_acquire)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (kept_.load(std::memory_order_relaxed)) return;
  bytes_.CopyTo(0, bytes_.size, place_);
  kept_.store(true, std::memory_order_release);
}

absl::StatusOr<std::shared_ptr<Buffer>> StoredBytes::InMemory(const ThreadPool* pool) {
  if (kept_.load(std::memory_order_acquire)) return Buffer::Borrow(place_, bytes_.size, copies_);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::shared_ptr<Buffer> in_memory = in_memory_.lock()) return in_memory;
  }
  // Without the lock: a thread that waits for others of the pool may do their work meanwhile, which
  // may need the same bytes.
  std::shared_ptr<Buffer> made;
  if (place_ == nullptr && bytes_.size > kMostRead) {
    made = Buffer::Borrow(bytes_.data(), bytes_.size,
                          std::make_shared<MappedPages>(bytes_.file, bytes_.offset, bytes_.size));
  } else {
    OC_ASSIGN_OR_RETURN(made, Copy(pool));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (std::shared_ptr<Buffer> in_memory = in_memory_.lock()) return in_memory;
  in_memory_ = made;
  return made;
}

absl::StatusOr<std::shared_ptr<Buffer>> StoredBytes::Copy(const ThreadPool* pool) const {
  OC_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> copy,
                      Buffer::Allocate(bytes_.size, copies_->passing()));
  std::byte* to = copy->mutable_data();
  const auto task = [&](int64_t i) {
    const int64_t first = i * kCopied;
    bytes_.CopyTo(first, std::min(kCopied, bytes_.size - first), to + first);
  };
  const int64_t count = (bytes_.size + kCopied - 1) / kCopied;
  if (pool != nullptr && count > 1) {
    pool->ParallelFor(count, task);
  } else {
    for (int64_t i = 0; i < count; ++i) task(i);
  }
  return copy;
}

absl::StatusOr<std::shared_ptr<Buffer>> BorrowAligned(
    const FileBytes& bytes, uintptr_t alignment, const std::shared_ptr<AlignedCopies>& copies) {
  if (IsAligned(bytes, alignment)) return Buffer::Borrow(bytes.data(), bytes.size, bytes.file);
  OC_ASSIGN_OR_RETURN(std::byte * place, copies->Reserve(bytes.size));
  bytes.CopyTo(0, bytes.size, place);
  return Buffer::Borrow(place, bytes.size, copies);
}

absl::StatusOr<std::shared_ptr<Buffer>> StoreAligned(const FileBytes& bytes, uintptr_t alignment,
                                                     const std::shared_ptr<AlignedCopies>& copies) {
  if (bytes.size < kLeastStored) return BorrowAligned(bytes, alignment, copies);
  std::byte* place = nullptr;
  if (!IsAligned(bytes, alignment)) {
    OC_ASSIGN_OR_RETURN(place, copies->Reserve(bytes.size));
  }
  return Buffer::OfStored(std::make_shared<StoredBytes>(bytes, place, copies));
}

}  // namespace onnxcmp
