// Weights that are in memory only while somebody looks at them.
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/string_view.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/shared_weights.h"
#include "evaluator/tensor/tensor.h"
#include "gtest/gtest.h"
#include "tests/support/load_test.h"

namespace onnxcmp {
namespace {

using testing::TestFolder;

constexpr int64_t kLarge = (int64_t{17} << 20) + 12;

std::string Numbers(int64_t size) {
  std::string bytes(static_cast<size_t>(size), '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 + i / 253);
  return bytes;
}

class StoredBytesTest : public ::testing::Test {
 protected:
  Tensor Take(int64_t offset, int64_t size) {
    const auto file = weights_->Open(path_);
    auto buffer = weights_->Take({*file, offset, size}, 4);
    EXPECT_TRUE(buffer.ok()) << buffer.status();
    const absl::StatusOr<Tensor> tensor = Tensor::FromBuffer(DType::kFloat, {size / 4}, *buffer);
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    return *tensor;
  }

  // The bytes of a tensor from that offset on.
  void ExpectBytes(const Tensor& tensor, int64_t offset) const {
    const absl::string_view expected = absl::string_view(bytes_).substr(
        static_cast<size_t>(offset), static_cast<size_t>(tensor.byte_size()));
    EXPECT_EQ(std::memcmp(tensor.raw_data(), expected.data(), expected.size()), 0);
  }

  TestFolder folder_;
  const std::string bytes_ = Numbers(kLarge + 16);
  const std::string path_ = folder_.Write("weights", bytes_);
  std::shared_ptr<SharedWeights> weights_ = std::make_shared<SharedWeights>();
};

TEST_F(StoredBytesTest, UnalignedOnesAreCopiedForAsLongAsSomebodyHoldsThem) {
  const Tensor stored = Take(1, kLarge);
  ASSERT_TRUE(stored.stored());
  const ThreadPool pool(2);
  {
    const Tensor first = *stored.InMemory(&pool);
    EXPECT_FALSE(first.stored());
    EXPECT_NE(first.buffer()->address(), stored.buffer()->address());
    ExpectBytes(first, 1);
    // Who comes while it is there gets the same.
    EXPECT_EQ(stored.InMemory(nullptr)->buffer(), first.buffer());
    EXPECT_EQ(first.InMemory(nullptr)->buffer(), first.buffer());
  }
  ExpectBytes(*stored.InMemory(nullptr), 1);
  // Views are as much in memory as what they are views of.
  const Tensor view = stored.InMemory(nullptr)->Reshaped({1, kLarge / 4});
  ExpectBytes(view, 1);
  const Tensor tail = stored.Strided({3}, {1}, 5);
  ASSERT_TRUE(tail.stored());
  ExpectBytes(*tail.InMemory(nullptr), 1 + 5 * 4);
}

TEST_F(StoredBytesTest, ACopyTakesTheMemoryOfTheOneBefore) {
  const Tensor large = Take(1, kLarge);
  const Tensor less = Take(2, kLarge / 2 / 4 * 4);
  const uintptr_t place = large.InMemory(nullptr)->buffer()->address();
  EXPECT_EQ(less.InMemory(nullptr)->buffer()->address(), place);
}

TEST_F(StoredBytesTest, WhoLooksWithoutAskingKeepsThem) {
  const Tensor stored = Take(1, kLarge);
  ExpectBytes(stored, 1);
  const Tensor kept = *stored.InMemory(nullptr);
  EXPECT_EQ(kept.raw_data(), stored.raw_data());
  ExpectBytes(kept, 1);
}

TEST_F(StoredBytesTest, AlignedOnesAreReadUnlessTheyAreVeryLarge) {
  const Tensor stored = Take(4, int64_t{16} << 20);
  ASSERT_TRUE(stored.stored());
  const Tensor in_memory = *stored.InMemory(nullptr);
  EXPECT_NE(in_memory.raw_data(), stored.raw_data());
  ExpectBytes(in_memory, 4);
}

TEST_F(StoredBytesTest, VeryLargeAlignedOnesAreLookedAtWhereTheyLie) {
  const Tensor stored = Take(4, kLarge);
  ASSERT_TRUE(stored.stored());
  for (int i = 0; i < 2; ++i) {
    const Tensor in_memory = *stored.InMemory(nullptr);
    EXPECT_EQ(in_memory.raw_data(), stored.raw_data());
    ExpectBytes(in_memory, 4);
  }
  // Bytes that one reader lets go another may still read.
  const std::byte* bytes = stored.raw_data();
  { const Tensor in_memory = *stored.InMemory(nullptr); }
  EXPECT_EQ(std::memcmp(bytes, bytes_.data() + 4, kLarge), 0);
}

TEST_F(StoredBytesTest, SmallOnesStayInMemory) {
  for (const int64_t offset : {1, 4}) {
    const Tensor small = Take(offset, 32 << 10);
    EXPECT_FALSE(small.stored());
    EXPECT_EQ(small.InMemory(nullptr)->raw_data(), small.raw_data());
    ExpectBytes(small, offset);
  }
}

TEST_F(StoredBytesTest, TheyOutliveWhatTookThem) {
  const Tensor copied = Take(1, kLarge);
  const Tensor in_place = Take(8, kLarge);
  weights_ = nullptr;
  ExpectBytes(*copied.InMemory(nullptr), 1);
  ExpectBytes(*in_place.InMemory(nullptr), 8);
  ExpectBytes(copied, 1);
}

TEST_F(StoredBytesTest, ManyThreadsLookAtOnce) {
  const Tensor copied = Take(1, kLarge);
  const Tensor in_place = Take(8, kLarge);
  const ThreadPool pool(2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        ExpectBytes(*copied.InMemory(t % 2 == 0 ? &pool : nullptr), 1);
        ExpectBytes(*in_place.InMemory(nullptr), 8);
        if (t == 3 && i == 5) ExpectBytes(copied, 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace onnxcmp
