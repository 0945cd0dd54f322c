#include "record/differences/mask_numbers.h"

#include <cmath>
#include <limits>
#include <optional>

#include <gtest/gtest.h>
#include <Eigen/Core>

#include "evaluator/tensor/tensor.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using Eigen::half;

constexpr float kLowest = std::numeric_limits<float>::lowest();
constexpr float kInfinite = std::numeric_limits<float>::infinity();

Tensor Halves(float a, float b) { return Tensor::Of<half>({2}, {half(a), half(b)}); }

TEST(MaskNumbers, ANarrowTypeHasItsOwn) {
  const Tensor wide = Tensor::Of<float>({2}, {1, kLowest});
  // The least number, that with a small number added, minus infinity.
  for (const float mask : {-65504.0F, -65440.0F, -kInfinite}) {
    const std::optional<Tensor> masked = WithMasksOf(wide, Halves(1, mask), nullptr);
    ASSERT_TRUE(masked.has_value()) << mask;
    EXPECT_EQ(masked->data<float>()[0], 1);
    EXPECT_EQ(masked->data<float>()[1], mask);
  }
}

TEST(MaskNumbers, OtherNumbersAreNone) {
  const Tensor wide = Tensor::Of<float>({2}, {1, kLowest});
  EXPECT_FALSE(WithMasksOf(wide, Halves(1, -10000), nullptr).has_value());
  EXPECT_FALSE(WithMasksOf(wide, Halves(1, 65504), nullptr).has_value());
  // A number that overflows is no mask.
  EXPECT_FALSE(
      WithMasksOf(Tensor::Of<float>({2}, {1, -70000}), Halves(1, -65504), nullptr).has_value());
  // Nor is the wide type's own business the narrow one's.
  EXPECT_FALSE(WithMasksOf(Halves(1, -65504), wide, nullptr).has_value());
}

}  // namespace
}  // namespace onnxcmp
