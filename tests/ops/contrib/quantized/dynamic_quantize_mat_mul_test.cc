// The usual cases are golden ones, from onnxruntime.
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(DynamicQuantizeMatMulTest, RangeHoldsZero) {
  // A is 51 ... 255 steps of 1 / 255 from 0.
  OpTest test = Contrib("DynamicQuantizeMatMul");
  test.Input(Floats({0.2f, 1})).Input(Int8s({2, 1}, {1, 2})).Input(Tensor::Scalar(255.0f));
  ExpectTensor(test.Run(), Floats({51 + 510}), 1e-6);
}

TEST(DynamicQuantizeMatMulTest, NothingAndZeros) {
  OpTest empty = Contrib("DynamicQuantizeMatMul");
  empty.Input(Tensor::Of<float>({2, 0}, {})).Input(Int8s({0, 1}, {})).Input(Tensor::Scalar(1.0f));
  ExpectTensor(empty.Run(), Tensor::Of<float>({2, 1}, {0, 0}));
  OpTest zeros = Contrib("DynamicQuantizeMatMul");
  zeros.Input(Floats({0, 0})).Input(Int8s({2, 1}, {1, 2})).Input(Tensor::Scalar(255.0f));
  ExpectTensor(zeros.NoInput().Input(Floats({7})).Run(), Floats({7}));
}

}  // namespace
}  // namespace onnxcmp::testing
