#include "compare/causes/forced/shaken_value.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

constexpr double kEpsilon = 2.5e-7;

bool Moves(float number) {
  const Value shaken = Shake(Tensor::Of<float>({1}, {number}), kEpsilon, /*seed=*/1);
  return ElementsOf(shaken.tensor())[0] != static_cast<double>(number);
}

TEST(Shake, NumbersMoveByTheirLastPlace) {
  EXPECT_TRUE(Moves(0.7F));
  EXPECT_TRUE(Moves(-3.25F));
  EXPECT_TRUE(Moves(1e9F));  // a square, a time in seconds
}

TEST(Shake, IntegersAndFillsOfMasksStay) {
  for (const float number : {0.0F, 3.0F, -1e4F, -1e7F, -1e8F, -1e9F, -1e20F, -3.4e38F}) {
    EXPECT_FALSE(Moves(number)) << number;
  }
}

}  // namespace
}  // namespace onnxcmp
