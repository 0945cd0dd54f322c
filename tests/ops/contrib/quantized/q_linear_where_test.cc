#include <cstdint>

#include "gtest/gtest.h"
#include "tests/ops/contrib/quantized/quantized_inputs.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(QLinearWhereTest, ConditionDecidesTheShapeToo) {
  OpTest test = Contrib("QLinearWhere");
  test.Input(Bools({2, 1}, {1, 0}));
  AddQuantized(test, Int8s({2}, {10, 20}), 0.5f, Tensor::Scalar<int8_t>(10));
  AddQuantized(test, Tensor::Scalar<int8_t>(4), 3.0f, Tensor::Scalar<int8_t>(0));
  test.Input(Tensor::Scalar(1.0f)).Input(Tensor::Scalar<int8_t>(1));
  ExpectTensor(test.Run(), Int8s({2, 2}, {1, 6, 13, 13}));
}

}  // namespace
}  // namespace onnxcmp::testing
