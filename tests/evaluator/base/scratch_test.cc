#include "evaluator/base/scratch.h"

#include <cstddef>
#include <cstdint>
#include <memory>

#include "evaluator/base/spare_memory.h"
#include "evaluator/base/thread_pool.h"
#include "gtest/gtest.h"

namespace onnxcmp::testing {
namespace {

TEST(ScratchTest, TheNextGetsTheSameMemory) {
  const auto spare = std::make_shared<SpareMemory>();
  const ThreadPool pool(2, spare);
  const float* first = nullptr;
  const float* second = nullptr;
  {
    const Scratch<float> scratch(pool, int64_t{1} << 20);
    first = scratch.data();
    ASSERT_NE(first, nullptr);
    scratch.data()[(1 << 20) - 1] = 1;
    const Scratch<float> other(pool, int64_t{1} << 20);
    second = other.data();
    EXPECT_NE(second, first);
    EXPECT_EQ(spare->waiting(), 0U);
  }
  EXPECT_GE(spare->waiting(), size_t{8} << 20);
  const float* again = Scratch<float>(pool, int64_t{1} << 20).data();
  EXPECT_TRUE(again == first || again == second);
}

TEST(ScratchTest, APoolHasMemoryOfItsOwn) {
  const ThreadPool pool(1);
  EXPECT_NE(Scratch<double>(pool, 1).data(), nullptr);
  EXPECT_EQ(Scratch<double>(pool, int64_t{1} << 58).data(), nullptr);
}

}  // namespace
}  // namespace onnxcmp::testing
