#include "compare/conversion/near_results.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "compare/quantization/dequantized_view.h"
#include "compare/quantization/quant_params.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

// Steps of 0.5 from -1 to 126.5.
DequantizedView Stepped(const std::vector<uint8_t>& integers) {
  QuantParamValues params;
  params.scales = {0.5};
  params.zero_points = {2};
  params.least = 0;
  params.most = 255;
  return {Tensor::Of<uint8_t>({static_cast<int64_t>(integers.size())}, integers), params};
}

Tensor Numbers(const std::vector<double>& numbers) {
  return Tensor::Of<double>({static_cast<int64_t>(numbers.size())}, numbers);
}

TEST(IsNearestStep, EitherOfTwoStepsIsNearest) {
  EXPECT_TRUE(IsNearestStep(Numbers({1.25, 1.25, 1.75}), Stepped({4, 5, 5})));
}

TEST(IsNearestStep, NumbersBeyondTheRangeAreAtItsEnds) {
  EXPECT_TRUE(IsNearestStep(Numbers({-9, 1000}), Stepped({0, 255})));
  EXPECT_FALSE(IsNearestStep(Numbers({-9, 1000}), Stepped({1, 255})));
}

TEST(IsNearestStep, AnyOtherStepIsNot) {
  EXPECT_FALSE(IsNearestStep(Numbers({1.25, 1.2}), Stepped({4, 5})));
}

TEST(IsNearestStep, AnotherNumberOfElementsIsNot) {
  EXPECT_FALSE(IsNearestStep(Numbers({1.25}), Stepped({4, 5})));
}

}  // namespace
}  // namespace onnxcmp
