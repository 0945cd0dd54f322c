#include "compare/repair/likeness.h"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

double LikenessOf(const std::vector<float>& left, const std::vector<float>& right) {
  const auto of = [](const std::vector<float>& elements) {
    return Measure(Tensor::Of<float>({static_cast<int64_t>(elements.size())}, elements));
  };
  return ConstantLikeness(of(left), of(right));
}

TEST(ConstantLikenessTest, IsTheShareOfEqualElementsInAnyOrder) {
  EXPECT_EQ(LikenessOf({1, 2, 3, 4}, {1, 2, 3, 5e9f}), 0.75);
  EXPECT_EQ(LikenessOf({1, 20, 3, 40, 5}, {40, 5, 20, 1, 3}), 1);
  EXPECT_EQ(LikenessOf({1, 20, 3, 40, 5}, {40, 5, 20, 7, 9}), 0.6);
}

// A NaN is equal to nothing and has no place in an order.
TEST(ConstantLikenessTest, NaNsAreLikeNothing) {
  EXPECT_EQ(LikenessOf({kNaN, kNaN}, {kNaN, kNaN}), 0);
  EXPECT_EQ(LikenessOf({3, kNaN, 20, 1, kNaN, 40, 5, 60}, {60, kNaN, 1, kNaN, 5, 20, 3, 40}), 0.75);
}

}  // namespace
}  // namespace onnxcmp
