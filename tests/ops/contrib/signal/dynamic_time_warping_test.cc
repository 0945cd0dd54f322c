#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Warping(const Tensor& costs) {
  OpTest test("DynamicTimeWarping", 1, "com.microsoft");
  test.Input(costs);
  return test;
}

// Values: onnxruntime 1.31.
TEST(ContribDynamicTimeWarpingTest, LeastCost) {
  const Tensor costs = Tensor::Of<float>({4, 3}, {1, 9, 9, 1, 1, 9, 9, 2, 1, 9, 9, 1});
  ExpectTensor(Warping(costs).Run(), Tensor::Of<int32_t>({2, 4}, {0, 1, 2, 3, 0, 1, 2, 2}));
}

// Values: onnxruntime 1.31.
TEST(ContribDynamicTimeWarpingTest, Ties) {
  ExpectTensor(Warping(Tensor::Of<float>({1, 2, 3}, {1, 1, 1, 1, 1, 1})).Run(),
               Tensor::Of<int32_t>({2, 3}, {0, 1, 1, 0, 1, 2}));
}

TEST(ContribDynamicTimeWarpingTest, OnePointAndNaN) {
  ExpectTensor(Warping(Tensor::Of<float>({1, 1}, {5})).Run(), Tensor::Of<int32_t>({2, 1}, {0, 0}));
  ExpectTensor(Warping(Tensor::Of<float>({2, 2}, {kNaN, kNaN, kNaN, kNaN})).Run(),
               Tensor::Of<int32_t>({2, 3}, {0, 1, 1, 0, 0, 1}));
}

TEST(ContribDynamicTimeWarpingTest, WrongShapes) {
  ExpectError(Warping(Tensor::Of<float>({0, 2}, {})).Run().status(), kInvalid, "not empty");
  ExpectError(Warping(Tensor::Of<float>({2, 1, 1}, {1, 2})).Run().status(), kInvalid, "M x N");
}

}  // namespace
}  // namespace onnxcmp::testing
