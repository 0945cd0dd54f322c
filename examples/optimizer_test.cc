// Unit tests of an optimizer and of an operator. A failure prints the table that the program
// prints, with the cause of the difference.
#include <gtest/gtest.h>

#include "onnxcmp/testing.h"

using onnxcmp::Tensor;
using onnxcmp::testing::IsCloseTo;
using onnxcmp::testing::Outputs;

TEST(OptimizerTest, OutputsStayClose) {
  EXPECT_MODELS_AGREE("affine.onnxtxt", "affine_rewritten.onnxtxt");
}

TEST(OperatorTest, ReluCutsAtZero) {
  const auto relu = onnxcmp::testing::ModelText(R"(
      <ir_version: 10, opset_import: ["": 21]> g (float[n] x) => (float[n] y) { y = Relu(x) })");
  EXPECT_THAT(RunModel(relu, {{"x", Tensor::Of<float>({2}, {-1, 2})}}),
              Outputs(IsCloseTo(Tensor::Of<float>({2}, {0, 2}))));
}
