#include "compare/causes/repair/constant_similarity.h"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

double SimilarityOf(const std::vector<float>& left, const std::vector<float>& right) {
  const auto of = [](const std::vector<float>& elements) {
    return Measure(Tensor::Of<float>({static_cast<int64_t>(elements.size())}, elements));
  };
  return ConstantSimilarity(of(left), of(right));
}

TEST(ConstantSimilarityTest, IsTheShareOfEqualElementsInAnyOrder) {
  EXPECT_EQ(SimilarityOf({1, 2, 3, 4}, {1, 2, 3, 5e9f}), 0.75);
  EXPECT_EQ(SimilarityOf({1, 20, 3, 40, 5}, {40, 5, 20, 1, 3}), 1);
  EXPECT_EQ(SimilarityOf({1, 20, 3, 40, 5}, {40, 5, 20, 7, 9}), 0.6);
}

// How the elements round must not say which of two is the likelier.
TEST(ConstantSimilarityTest, AFactorLeavesAllAlike) {
  const std::vector<float> elements = {0.3f, -1.7f, 2.9f, 0.11f, -0.57f, 1.3f, 7.1f, -3.3f, 0.9f};
  for (const float factor : {0.7f, 0.999995f, 1.00001f, 1.1f, 1.3f}) {
    std::vector<float> scaled = elements;
    for (float& element : scaled) element *= factor;
    EXPECT_EQ(SimilarityOf(elements, scaled), 1) << factor;
  }
}

// A NaN is equal to nothing and has no place in an order.
TEST(ConstantSimilarityTest, NaNsAreLikeNothing) {
  EXPECT_EQ(SimilarityOf({kNaN, kNaN}, {kNaN, kNaN}), 0);
  EXPECT_EQ(SimilarityOf({3, kNaN, 20, 1, kNaN, 40, 5, 60}, {60, kNaN, 1, kNaN, 5, 20, 3, 40}),
            0.75);
}

}  // namespace
}  // namespace onnxcmp
