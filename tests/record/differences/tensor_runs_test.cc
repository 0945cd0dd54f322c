#include "record/differences/tensor_runs.h"

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/types/span.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;

// 0, 1, 2, ... as a tensor of that shape and those strides.
Tensor View(const Shape& shape, const Shape& strides) {
  std::vector<float> numbers(1000);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  return Tensor::Of<float>({1000}, numbers).Strided(shape, strides, 0);
}

// The positions of the elements of a block, in order.
void AddPositions(int64_t position, absl::Span<const int64_t> sizes,
                  absl::Span<const int64_t> strides, std::vector<int64_t>* positions) {
  if (sizes.empty()) {
    positions->push_back(position);
    return;
  }
  for (int64_t i = 0; i < sizes[0]; ++i) {
    AddPositions(position + i * strides[0], sizes.subspan(1), strides.subspan(1), positions);
  }
}

struct Blocks {
  std::vector<int64_t> positions;
  std::vector<std::vector<int64_t>> sizes;
};

Blocks BlocksOf(const TensorRuns& runs, int64_t first, int64_t count) {
  Blocks blocks;
  runs.ForEachBlock(
      first, count,
      [&](int64_t position, absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides) {
        AddPositions(position, sizes, strides, &blocks.positions);
        blocks.sizes.emplace_back(sizes.begin(), sizes.end());
      });
  return blocks;
}

TEST(TensorRunsTest, BlocksHaveTheElementsOfRunsInTheirOrder) {
  for (const Tensor& view : {View({4, 5, 6}, {1, 4, 20}), View({4, 5, 6}, {60, 6, 1}),
                             View({7, 3}, {1, 0}), View({120}, {1}), View({2, 1, 60}, {1, 7, 2})}) {
    const TensorRuns runs(view);
    const int64_t size = view.num_elements();
    for (int64_t first = 0; first < size; ++first) {
      for (int64_t count = 0; count <= size - first; ++count) {
        std::vector<int64_t> positions;
        runs.ForEach(first, count, [&](int64_t position, int64_t stride, int64_t n) {
          for (int64_t i = 0; i < n; ++i) positions.push_back(position + i * stride);
        });
        ASSERT_EQ(BlocksOf(runs, first, count).positions, positions) << first << " " << count;
      }
    }
  }
}

TEST(TensorRunsTest, BlocksAreAsLargeAsTheyCanBe) {
  const TensorRuns runs(View({4, 5, 6}, {1, 4, 20}));
  EXPECT_THAT(BlocksOf(runs, 0, 120).sizes, ElementsAre(ElementsAre(4, 5, 6)));
  EXPECT_THAT(BlocksOf(runs, 30, 60).sizes, ElementsAre(ElementsAre(2, 5, 6)));
  EXPECT_THAT(BlocksOf(runs, 4, 100).sizes,
              ElementsAre(ElementsAre(2), ElementsAre(4, 6), ElementsAre(2, 5, 6),
                          ElementsAre(2, 6), ElementsAre(2)));
}

}  // namespace
}  // namespace onnxcmp
