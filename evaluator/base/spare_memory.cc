#include "evaluator/base/spare_memory.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "evaluator/base/os/pages.h"

// Clang has it in a package of its own.
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#endif

namespace onnxcmp {
namespace {

// One part in so many of the most that was used at a time may be held besides.
constexpr size_t kMore = 8;
constexpr size_t kLargePage = size_t{2} << 20;
// Bytes of the first region, which models of small tensors do not fill: a large page takes longer
// to clear than they run. Each further region is as large as those before together.
constexpr size_t kFirstRegion = size_t{4} << 20;
constexpr size_t kMostOfRegion = size_t{1} << 30;
// Blocks that are looked at for one that has pages already.
constexpr int kCandidates = 8;
// From this size on a first block comes in large pages.
constexpr size_t kLeastLarge = size_t{32} << 20;

size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

// The address sanitizer checks that nothing touches what waits, nor what lies behind a block.
void Forbid([[maybe_unused]] std::byte* data, [[maybe_unused]] size_t bytes) {
#ifdef ASAN_POISON_MEMORY_REGION
  ASAN_POISON_MEMORY_REGION(data, bytes);
#endif
}
void Allow([[maybe_unused]] std::byte* data, [[maybe_unused]] size_t bytes) {
#ifdef ASAN_UNPOISON_MEMORY_REGION
  ASAN_UNPOISON_MEMORY_REGION(data, bytes);
#endif
}

}  // namespace

SpareMemory::~SpareMemory() {
  for (const auto& [data, size] : regions_) {
    Allow(data, size);
    UnmapPages(data, size);
  }
}

SpareMemory::Block SpareMemory::Take(size_t bytes) {
  if (bytes > SIZE_MAX / 2) return {};
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t capacity = RoundUp(bytes + static_cast<size_t>(kMemoryAlignment), PageSize());
  const auto place = Find(capacity);
  if (place == free_.end()) return {};
  std::byte* data = place->first;
  const Free free = Remove(place);
  Free rest;
  size_t taken = 0;
  for (const Run& run : free.runs) {
    const size_t part = std::min(run.size, capacity - taken);
    taken += part;
    if (run.size > part) rest.Append({run.size - part, run.waits});
  }
  if (rest.size > 0) Insert(data + capacity, std::move(rest));
  used_bytes_ += capacity;
  most_used_ = std::max(most_used_, used_bytes_);
  Shrink();
  Allow(data, bytes);
  return {data, capacity};
}

void SpareMemory::Give(const Block& block) {
  Forbid(block.data, block.capacity);
  const std::lock_guard<std::mutex> lock(mutex_);
  used_bytes_ -= block.capacity;
  Free free;
  free.Append({block.capacity, /*waits=*/true});
  Insert(block.data, std::move(free));
}

size_t SpareMemory::waiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return waiting_bytes_;
}

void SpareMemory::Free::Append(const Run& run) {
  size += run.size;
  if (run.waits) waiting += run.size;
  if (!runs.empty() && runs.back().waits == run.waits) {
    runs.back().size += run.size;
  } else {
    runs.push_back(run);
  }
}

size_t SpareMemory::Free::FreshWithin(size_t bytes) const {
  size_t fresh = 0;
  size_t passed = 0;
  for (const Run& run : runs) {
    const size_t part = std::min(run.size, bytes - passed);
    passed += part;
    if (!run.waits) fresh += part;
  }
  return fresh;
}

void SpareMemory::Insert(std::byte* data, Free free) {
  const auto region = std::prev(regions_.upper_bound(data));
  const auto after = free_.lower_bound(data);
  std::byte* end = data + free.size;
  if (after != free_.end() && after->first == end && end != region->first + region->second) {
    for (const Run& run : Remove(after).runs) free.Append(run);
  }
  const auto next = free_.lower_bound(data);
  if (next != free_.begin() && data != region->first) {
    const auto before = std::prev(next);
    if (before->first + before->second.size == data) {
      data = before->first;
      Free joined = Remove(before);
      for (const Run& run : free.runs) joined.Append(run);
      free = std::move(joined);
    }
  }
  by_size_.emplace(free.size, data);
  if (free.waiting > 0) by_waiting_.emplace(free.waiting, data);
  waiting_bytes_ += free.waiting;
  free_.emplace(data, std::move(free));
}

SpareMemory::Free SpareMemory::Remove(FreeBlocks::iterator block) {
  by_size_.erase({block->second.size, block->first});
  by_waiting_.erase({block->second.waiting, block->first});
  waiting_bytes_ -= block->second.waiting;
  Free free = std::move(block->second);
  free_.erase(block);
  return free;
}

SpareMemory::FreeBlocks::iterator SpareMemory::Find(size_t bytes) {
  if (by_size_.lower_bound({bytes, nullptr}) == by_size_.end() && !AddRegion(bytes)) {
    return free_.end();
  }
  // The least block that is large enough leaves the others whole: the one that none was cut from
  // yet is mostly the largest.
  FreeBlocks::iterator found = free_.end();
  size_t least = SIZE_MAX;
  auto candidate = by_size_.lower_bound({bytes, nullptr});
  for (int i = 0; i < kCandidates && candidate != by_size_.end() && least > 0; ++i, ++candidate) {
    const auto block = free_.find(candidate->second);
    const size_t fresh = block->second.FreshWithin(bytes);
    if (fresh >= least) continue;
    least = fresh;
    found = block;
  }
  return found;
}

bool SpareMemory::AddRegion(size_t bytes) {
  size_t size =
      RoundUp(std::max(bytes, std::clamp(region_bytes_, kFirstRegion, kMostOfRegion)), kLargePage);
  std::byte* data = MapPages(size);
  if (data == nullptr) {  // there may be a limit, and just enough
    size = bytes;
    data = MapPages(size);
  }
  if (data == nullptr) return false;
  if (region_bytes_ > 0 || bytes >= kLeastLarge) large_pages_.Prefer(data, size);
  Forbid(data, size);
  regions_.emplace(data, size);
  region_bytes_ += size;
  Free free;
  free.Append({size, /*waits=*/false});
  Insert(data, std::move(free));
  return true;
}

void SpareMemory::Shrink() {
  const size_t most = most_used_ + most_used_ / kMore;
  while (!by_waiting_.empty() && used_bytes_ + waiting_bytes_ > most) {
    std::byte* data = by_waiting_.rbegin()->second;
    Free free = Remove(free_.find(data));
    // From the end, which would be taken last; large pages as a whole.
    size_t excess = RoundUp(used_bytes_ + waiting_bytes_ + free.waiting - most, kLargePage);
    std::vector<Run> kept = std::move(free.runs);
    std::byte* end = data + free.size;
    size_t gone = 0;  // at the end, of which nothing waits
    while (!kept.empty() && excess > 0) {
      Run& last = kept.back();
      const size_t part = last.waits ? std::min(last.size, excess) : last.size;
      if (last.waits) {
        DiscardPages(end - gone - part, part);
        excess -= part;
      }
      gone += part;
      last.size -= part;
      if (last.size == 0) kept.pop_back();
    }
    const auto region = regions_.find(data);
    // A region for something large serves few other sizes.
    if (kept.empty() && region != regions_.end() && region->second == free.size) {
      Allow(data, region->second);
      UnmapPages(data, region->second);
      region_bytes_ -= region->second;
      regions_.erase(region);
      continue;
    }
    Free rest;
    for (const Run& run : kept) rest.Append(run);
    rest.Append({gone, /*waits=*/false});
    Insert(data, std::move(rest));
  }
}

}  // namespace onnxcmp
