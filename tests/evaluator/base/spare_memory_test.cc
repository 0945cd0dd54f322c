#include "evaluator/base/spare_memory.h"

#include <cstddef>
#include <cstdint>
#include <memory>

#include "evaluator/base/memory_account.h"
#include "evaluator/tensor/tensor.h"
#include "gtest/gtest.h"

namespace onnxcmp::testing {
namespace {

constexpr size_t kMega = size_t{1} << 20;

TEST(SpareMemoryTest, HandsOutWhatFitsAgain) {
  SpareMemory spare;
  const SpareMemory::Block large = spare.Take(16 * kMega);
  ASSERT_NE(large.data, nullptr);
  EXPECT_EQ(large.capacity, 16 * kMega);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(large.data) % static_cast<size_t>(kMemoryAlignment), 0U);
  spare.Give(large);
  const SpareMemory::Block again = spare.Take(15 * kMega);
  EXPECT_EQ(again.data, large.data);
  EXPECT_EQ(again.capacity, 16 * kMega);
  spare.Give(again);
}

// Else what waits would come on top of what is in use.
TEST(SpareMemoryTest, GivesBackWhatDoesNotFitBeforeItTakesMore) {
  SpareMemory spare;
  const SpareMemory::Block first = spare.Take(16 * kMega);
  const SpareMemory::Block second = spare.Take(16 * kMega);
  spare.Give(first);
  EXPECT_EQ(spare.waiting(), 16 * kMega);
  // 32 MB were in use at most, 36 MB may be held.
  const SpareMemory::Block small = spare.Take(4 * kMega);
  EXPECT_EQ(small.capacity, 4 * kMega);
  EXPECT_EQ(spare.waiting(), 16 * kMega);
  const SpareMemory::Block more = spare.Take(8 * kMega);
  EXPECT_EQ(spare.waiting(), 0U);
  spare.Give(second);
  spare.Give(small);
  spare.Give(more);
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
}

}  // namespace
}  // namespace onnxcmp::testing
