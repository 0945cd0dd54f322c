#include <cstdint>

#include "gtest/gtest.h"
#include "tests/ops/contrib/quantized/quantized_inputs.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(QLinearSigmoidTest, Extremes) {
  OpTest test = Contrib("QLinearSigmoid");
  AddQuantized(test, Int8s({3}, {-128, 0, 127}), 1.0f, Tensor::Scalar<int8_t>(0));
  test.Input(Tensor::Scalar(1.0f / 256)).Input(Tensor::Scalar<int8_t>(-128));
  ExpectTensor(test.Run(), Int8s({3}, {-128, 0, 127}));
}

}  // namespace
}  // namespace onnxcmp::testing
