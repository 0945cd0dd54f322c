#include <cstdint>

#include "gtest/gtest.h"
#include "tests/ops/contrib/quantized/quantized_inputs.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(QLinearMulTest, Broadcast) {
  OpTest test = Contrib("QLinearMul");
  AddQuantized(test, Uint8s({2, 1}, {0, 14}), 0.5f, Tensor::Scalar<uint8_t>(10));
  AddQuantized(test, Uint8s({3}, {100, 103, 255}), 1.0f, Tensor::Scalar<uint8_t>(100));
  test.Input(Tensor::Scalar(2.0f)).Input(Tensor::Scalar<uint8_t>(128));
  // -5 and 2, times 0, 3, 155
  ExpectTensor(test.Run(), Uint8s({2, 3}, {128, 120, 0, 128, 131, 255}));
}

}  // namespace
}  // namespace onnxcmp::testing
