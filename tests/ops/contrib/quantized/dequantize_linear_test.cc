#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(ContribDequantizeLinearTest, FourBits) {
  OpTest test = Contrib("DequantizeLinear");
  test.Input(Convert(Floats({-8, 7, 1}), DType::kInt4)).Input(Tensor::Scalar(0.5f));
  ExpectTensor(test.Input(Convert(Tensor::Scalar(-1.0f), DType::kInt4)).Run(),
               Floats({-3.5f, 4, 1}));
}

}  // namespace
}  // namespace onnxcmp::testing
