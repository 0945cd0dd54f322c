#include "evaluator/tensor/shared_weights.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

// Bytes that two weights must have in common to be compared: read without a page fault, and
// different for nearly any two weights that are not alike.
std::string ProbesOf(const FileBytes& bytes) {
  constexpr int64_t kProbes = 8;
  constexpr int64_t kProbe = 16;
  std::string probes(sizeof(bytes.size) + kProbes * kProbe, '\0');
  std::memcpy(probes.data(), &bytes.size, sizeof(bytes.size));
  auto* to = reinterpret_cast<std::byte*>(probes.data() + sizeof(bytes.size));
  const int64_t size = std::min(kProbe, bytes.size);
  for (int64_t i = 0; i < kProbes; ++i) {
    bytes.CopyTo((bytes.size - size) / (kProbes - 1) * i, size, to + i * kProbe);
  }
  return probes;
}

// The most weights with the same probes that one is compared with: a file may hold thousands that
// differ at its last byte.
constexpr size_t kMostCompared = 8;

}  // namespace

// Bytes and the buffer over them, which the first who needs it makes.
struct SharedWeights::Entry {
  explicit Entry(const FileBytes& source) : bytes(source) {}

  absl::StatusOr<std::shared_ptr<Buffer>> Get(uintptr_t alignment,
                                              const std::shared_ptr<AlignedCopies>& copies) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (buffer == nullptr) {
      OC_ASSIGN_OR_RETURN(buffer, StoreAligned(bytes, alignment, copies));
    }
    return buffer;
  }

  const FileBytes bytes;
  std::mutex mutex;
  std::shared_ptr<Buffer> buffer;  // null: not made yet
};

SharedWeights::SharedWeights(int threads, std::shared_ptr<SpareMemory> spare)
    : pool_(threads), copies_(std::make_shared<AlignedCopies>(std::move(spare))) {}
SharedWeights::~SharedWeights() = default;

absl::StatusOr<std::shared_ptr<const MappedFile>> SharedWeights::Open(const std::string& path) {
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> opened, MappedFile::Open(path));
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& file : files_) {
    if (file->identity() == opened->identity()) return file;
  }
  files_.push_back(opened);
  return opened;
}

absl::Status SharedWeights::CheckUnchanged() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& file : files_) {
    if (file->IsUnchanged()) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(Quoted(file->path()), " was written to while it was in use"));
  }
  return absl::OkStatus();
}

bool SharedWeights::Same(const FileBytes& a, const FileBytes& b) {
  if (a.size != b.size) return false;
  if (a.file->identity() == b.file->identity() && a.offset == b.offset) return true;
  // Read part by part into the cache: mapping pages takes twice as long as copying them there.
  constexpr int64_t kPart = int64_t{4} << 20;
  constexpr int64_t kBlock = int64_t{64} << 10;
  std::atomic<bool> same = true;
  pool_.ParallelRanges(a.size, kPart, [&](int64_t begin, int64_t end) {
    if (!same.load(std::memory_order_relaxed)) return;
    bytes_seen_.fetch_add(end - begin, std::memory_order_relaxed);
    std::vector<std::byte> of_a(kBlock);
    std::vector<std::byte> of_b(kBlock);
    for (int64_t i = begin; i < end; i += kBlock) {
      const int64_t count = std::min(kBlock, end - i);
      a.CopyTo(i, count, of_a.data());
      b.CopyTo(i, count, of_b.data());
      if (std::memcmp(of_a.data(), of_b.data(), static_cast<size_t>(count)) == 0) continue;
      same.store(false, std::memory_order_relaxed);
      return;
    }
  });
  return same.load(std::memory_order_relaxed);
}

absl::StatusOr<std::shared_ptr<Buffer>> SharedWeights::Take(const FileBytes& bytes,
                                                            uintptr_t alignment) {
  const std::string probes = ProbesOf(bytes);
  size_t compared = 0;
  while (true) {
    std::shared_ptr<Entry> candidate;
    bool is_new = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      auto& entries = entries_[probes];
      is_new = compared == std::min(entries.size(), kMostCompared);
      candidate = is_new ? entries.emplace_back(std::make_shared<Entry>(bytes)) : entries[compared];
    }
    if (is_new) {
      bytes_seen_.fetch_add(bytes.size, std::memory_order_relaxed);
    } else if (++compared; !Same(candidate->bytes, bytes)) {
      continue;
    }
    OC_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer, candidate->Get(alignment, copies_));
    // The same bytes may be elements of a type that needs less.
    if (buffer->address() % alignment == 0) return buffer;
  }
}

}  // namespace onnxcmp
