#include "evaluator/base/spare_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "evaluator/base/memory_account.h"
#include "evaluator/tensor/tensor.h"
#include "gtest/gtest.h"

namespace onnxcmp::testing {
namespace {

constexpr size_t kMega = size_t{1} << 20;

size_t AddressOf(const std::byte* data) { return reinterpret_cast<uintptr_t>(data); }

TEST(SpareMemoryTest, CutsWhatCameBackForWhatIsAskedFor) {
  SpareMemory spare;
  const SpareMemory::Block large = spare.Take(16 * kMega);
  ASSERT_NE(large.data, nullptr);
  EXPECT_EQ(AddressOf(large.data) % static_cast<size_t>(kMemoryAlignment), 0U);
  EXPECT_GE(large.capacity, 16 * kMega);
  spare.Give(large);
  const SpareMemory::Block first = spare.Take(5 * kMega);
  const SpareMemory::Block second = spare.Take(10 * kMega);
  EXPECT_EQ(first.data, large.data);
  EXPECT_EQ(second.data, first.data + first.capacity);
  EXPECT_LE(spare.waiting(), kMega);
  spare.Give(first);
  spare.Give(second);
}

TEST(SpareMemoryTest, JoinsWhatLiesSideBySide) {
  for (const std::vector<int>& order :
       std::vector<std::vector<int>>{{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}}) {
    SpareMemory spare;
    std::vector<SpareMemory::Block> blocks;
    blocks.reserve(3);
    for (int i = 0; i < 3; ++i) blocks.push_back(spare.Take(kMega));
    for (const int i : order) spare.Give(blocks[static_cast<size_t>(i)]);
    EXPECT_EQ(spare.waiting(), 3 * blocks[0].capacity);
    const SpareMemory::Block all = spare.Take(3 * kMega);
    EXPECT_EQ(all.data, blocks[0].data);
    spare.Give(all);
  }
}

// The smallest that is large enough is cut, so that large ones stay.
TEST(SpareMemoryTest, LeavesTheLargeWhole) {
  SpareMemory spare;
  const SpareMemory::Block large = spare.Take(2 * kMega);
  const SpareMemory::Block between = spare.Take(kMega / 8);
  const SpareMemory::Block small = spare.Take(kMega / 2);
  const SpareMemory::Block end = spare.Take(kMega / 8);
  spare.Give(large);
  spare.Give(small);
  const SpareMemory::Block again = spare.Take(kMega / 4);
  EXPECT_EQ(again.data, small.data);
  spare.Give(again);
  spare.Give(between);
  spare.Give(end);
}

// The rest of the region is smaller, but has no pages yet.
TEST(SpareMemoryTest, TakesWhatWaitsBeforeWhatTheSystemHasToGive) {
  SpareMemory spare;
  const SpareMemory::Block first = spare.Take(5 * kMega / 2);
  const SpareMemory::Block between = spare.Take(kMega / 8);
  spare.Give(first);
  const SpareMemory::Block again = spare.Take(kMega);
  EXPECT_EQ(again.data, first.data);
  EXPECT_EQ(spare.waiting(), first.capacity - again.capacity);
  spare.Give(again);
  spare.Give(between);
}

// Else what waits would come on top of what is in use.
TEST(SpareMemoryTest, GivesPagesBackBeforeItHoldsMore) {
  SpareMemory spare;
  const SpareMemory::Block first = spare.Take(16 * kMega);
  const SpareMemory::Block second = spare.Take(16 * kMega);
  std::memset(first.data, 0xAB, 16 * kMega);
  spare.Give(first);
  EXPECT_EQ(spare.waiting(), first.capacity);
  const SpareMemory::Block small = spare.Take(4 * kMega);
  EXPECT_EQ(small.data, first.data);
  EXPECT_EQ(spare.waiting(), first.capacity - small.capacity);
  // 40 MB are in use now and 45 MB may be held: of the 12 MB that wait, 8 go.
  const SpareMemory::Block more = spare.Take(20 * kMega);
  EXPECT_GT(spare.waiting(), 3 * kMega);
  EXPECT_LE(spare.waiting(), 5 * kMega);
  // Large pages go as a whole.
  EXPECT_EQ((first.capacity - small.capacity - spare.waiting()) % (2 * kMega), 0U);
  // The bytes that stayed hold what they held, those that went are clear.
  const SpareMemory::Block rest = spare.Take(12 * kMega - kMega / 16);
  EXPECT_EQ(rest.data, small.data + small.capacity);
  EXPECT_EQ(rest.data[0], std::byte{0xAB});
  EXPECT_EQ(rest.data[6 * kMega], std::byte{0});
  spare.Give(second);
  spare.Give(small);
  spare.Give(more);
  spare.Give(rest);
}

// The system gets pages back from the block in which most of them wait.
TEST(SpareMemoryTest, GivesBackOfTheLargest) {
  SpareMemory spare;
  const SpareMemory::Block large = spare.Take(16 * kMega);
  const SpareMemory::Block between = spare.Take(kMega / 16);
  const SpareMemory::Block small = spare.Take(kMega);
  const SpareMemory::Block end = spare.Take(kMega / 16);
  std::memset(small.data, 0xAB, kMega);
  spare.Give(large);
  spare.Give(small);
  const SpareMemory::Block more = spare.Take(24 * kMega);
  const SpareMemory::Block again = spare.Take(kMega);
  EXPECT_EQ(again.data, small.data);
  EXPECT_EQ(again.data[kMega / 2], std::byte{0xAB});
  spare.Give(between);
  spare.Give(end);
  spare.Give(more);
  spare.Give(again);
}

// Bytes that fill whole pages with what is added to them.
constexpr size_t Whole(size_t bytes) { return bytes - static_cast<size_t>(kMemoryAlignment); }

// The system mostly hands out regions that touch.
TEST(SpareMemoryTest, RegionsStayApart) {
  for (const bool first_comes_back_first : {true, false}) {
    SpareMemory spare;
    const SpareMemory::Block first = spare.Take(Whole(4 * kMega));
    const SpareMemory::Block second = spare.Take(Whole(4 * kMega));
    spare.Give(first_comes_back_first ? first : second);
    spare.Give(first_comes_back_first ? second : first);
    const SpareMemory::Block both = spare.Take(Whole(8 * kMega));
    EXPECT_NE(both.data, first.data);
    EXPECT_NE(both.data, second.data);
    spare.Give(both);
  }
}

bool IsMapped(std::byte* page) {
  unsigned char resident = 0;
  return mincore(page, 1, &resident) == 0;
}

TEST(SpareMemoryTest, ARegionOfWhichNothingStaysGoes) {
  SpareMemory spare;
  const SpareMemory::Block first = spare.Take(Whole(16 * kMega));
  const SpareMemory::Block second = spare.Take(Whole(16 * kMega));
  spare.Give(first);
  spare.Give(second);
  // 45 MB may be held: of the 32 MB that wait, 27 go.
  const SpareMemory::Block more = spare.Take(Whole(40 * kMega));
  EXPECT_NE(IsMapped(first.data), IsMapped(second.data));
  EXPECT_TRUE(IsMapped(more.data));
  spare.Give(more);
}

// Blocks never share a byte, and what is held stays within its bounds, in any order of sizes.
TEST(SpareMemoryTest, HandsNothingOutTwice) {
  SpareMemory spare;
  struct Held {
    SpareMemory::Block block;
    size_t bytes;
    unsigned char filling;
  };
  std::vector<Held> held;
  std::mt19937 random(7);
  size_t used = 0;
  size_t most = 0;
  for (int step = 0; step < 600; ++step) {
    if (held.size() < 5 || (held.size() < 60 && random() % 2 == 0)) {
      const size_t bytes = random() % 20 == 0 ? random() % (3 * kMega) : random() % (kMega / 4) + 1;
      const auto filling = static_cast<unsigned char>(step);
      held.push_back({spare.Take(bytes), bytes, filling});
      ASSERT_NE(held.back().block.data, nullptr);
      std::memset(held.back().block.data, filling, bytes);
      used += held.back().block.capacity;
      most = std::max(most, used);
      EXPECT_LE(used + spare.waiting(), most + most / 8);
    } else {
      std::swap(held[random() % held.size()], held.back());
      const auto* data = reinterpret_cast<const unsigned char*>(held.back().block.data);
      ASSERT_TRUE(std::all_of(data, data + held.back().bytes, [&](unsigned char byte) {
        return byte == held.back().filling;
      })) << step;
      spare.Give(held.back().block);
      used -= held.back().block.capacity;
      held.pop_back();
    }
  }
  for (const Held& last : held) spare.Give(last.block);
}

TEST(SpareMemoryTest, ATensorReturnsItsMemory) {
  const auto spare = std::make_shared<SpareMemory>();
  const auto account = std::make_shared<MemoryAccount>(INT64_MAX, spare);
  const auto elements = static_cast<int64_t>(kMega);
  const std::byte* data = nullptr;
  {
    const absl::StatusOr<Tensor> tensor = Tensor::Allocate(DType::kFloat, {elements}, account);
    ASSERT_TRUE(tensor.ok());
    data = tensor->raw_data();
    EXPECT_EQ(spare->waiting(), 0U);
  }
  EXPECT_GE(spare->waiting(), 4 * kMega);
  // Whoever holds a tensor answers for it, and its memory comes back all the same.
  {
    const absl::StatusOr<Tensor> tensor = Tensor::Allocate(DType::kFloat, {elements}, account);
    ASSERT_TRUE(tensor.ok());
    EXPECT_EQ(tensor->raw_data(), data);
    tensor->buffer()->LeaveAccount();
  }
  EXPECT_GE(spare->waiting(), 4 * kMega);
}

TEST(SpareMemoryTest, ATensorMayOutliveIt) {
  absl::StatusOr<Tensor> tensor;
  {
    const auto account =
        std::make_shared<MemoryAccount>(INT64_MAX, std::make_shared<SpareMemory>());
    tensor = Tensor::Allocate(DType::kFloat, {static_cast<int64_t>(kMega)}, account);
  }
  ASSERT_TRUE(tensor.ok());
  tensor->mutable_data<float>()[0] = 1;
  EXPECT_EQ(tensor->data<float>()[0], 1);
}

TEST(SpareMemoryTest, TellsWhenTheSystemHasNone) {
  SpareMemory spare;
  EXPECT_EQ(spare.Take(size_t{1} << 62).data, nullptr);
  EXPECT_EQ(spare.Take(SIZE_MAX).data, nullptr);
}

}  // namespace
}  // namespace onnxcmp::testing
