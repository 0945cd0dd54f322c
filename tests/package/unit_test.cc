// A unit test outside the project.
#include "onnxcmp/testing.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace {

using onnxcmp::Tensor;
using onnxcmp::testing::IsCloseTo;
using onnxcmp::testing::ModelText;
using onnxcmp::testing::Outputs;
using onnxcmp::testing::RunModel;

const auto kSum = ModelText(R"(<ir_version: 10, opset_import: ["": 21]>
    g (float[2] x) => (float[2] y) { y = Add(x, x) })");
const auto kProduct = ModelText(R"(<ir_version: 10, opset_import: ["": 21]>
    g (float[2] x) => (float[2] y) <float two = {2}> { y = Mul(x, two) })");
const auto kSquare = ModelText(R"(<ir_version: 10, opset_import: ["": 21]>
    g (float[2] x) => (float[2] y) { y = Mul(x, x) })");

TEST(UnitTest, OfAModel) {
  EXPECT_THAT(RunModel(kSum, {{"x", Tensor::Of<float>({2}, {1, 2})}}),
              Outputs(IsCloseTo(Tensor::Of<float>({2}, {2, 4}))));
}

TEST(UnitTest, OfTwo) {
  EXPECT_MODELS_AGREE(kSum, kProduct);
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(kSum, kSquare), "\nexit 1\n");
}

}  // namespace
