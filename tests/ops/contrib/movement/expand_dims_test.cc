#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest ExpandDims(const Tensor& x, int32_t axis) {
  OpTest test("ExpandDims", 1, "com.microsoft");
  test.Input(x).Input(Tensor::Scalar<int32_t>(axis));
  return test;
}

TEST(ContribExpandDimsTest, AxesOfTheOutput) {
  ExpectTensor(ExpandDims(Iota({2, 3}), 0).Run(), Iota({1, 2, 3}));
  ExpectTensor(ExpandDims(Iota({2, 3}), 2).Run(), Iota({2, 3, 1}));
  ExpectTensor(ExpandDims(Iota({2, 3}), -1).Run(), Iota({2, 3, 1}));
  ExpectTensor(ExpandDims(AsStridedView(Iota({2, 3})), -2).Run(), Iota({2, 1, 3}));
  ExpectTensor(ExpandDims(Iota({}), 0).Run(), Iota({1}));
}

TEST(ContribExpandDimsTest, WrongAxes) {
  ExpectError(ExpandDims(Iota({2}), 2).Run().status(), kInvalid, "axis 2");
  ExpectError(ExpandDims(Iota({2}), INT32_MIN).Run().status(), kInvalid, "axis -2147483648");
  OpTest two("ExpandDims", 1, "com.microsoft");
  two.Input(Iota({2})).Input(Tensor::Of<int32_t>({1, 1}, {0}));
  ExpectError(two.Run().status(), kInvalid, "scalar");
}

}  // namespace
}  // namespace onnxcmp::testing
