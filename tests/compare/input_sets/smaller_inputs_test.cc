#include "compare/input_sets/smaller_inputs.h"

#include <gtest/gtest.h>

#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

// Inputs of two types are one input of both sides.
TEST(SmallerInputsTest, KeepsTheTypeOfEachSide) {
  FedInputs fed;
  fed.left["x"] = Tensor::Of<float>({2}, {1.5F, 2.5F});
  fed.right["x"] = Tensor::Of<double>({2}, {1.5, 2.5});
  InputMapping mapping;
  MappedInput& pair = mapping.pairs.emplace_back();
  pair.left = pair.right = "x";
  pair.left_is_input = pair.right_is_input = true;
  const FedInputs smaller = MadeSmaller(fed, mapping, 10, [](const FedInputs& other) {
    return other.right.at("x").tensor().dtype() == DType::kDouble;
  });
  EXPECT_EQ(smaller.left.at("x").tensor().dtype(), DType::kFloat);
  EXPECT_EQ(smaller.left.at("x").tensor().data<float>()[0], 0);
  EXPECT_EQ(smaller.right.at("x").tensor().dtype(), DType::kDouble);
  EXPECT_EQ(smaller.right.at("x").tensor().data<double>()[1], 0);
}

}  // namespace
}  // namespace onnxcmp
