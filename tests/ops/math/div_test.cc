#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(DivTest, Floats) {
  ExpectTensor(OpTest("Div", 14)
                   .Input(Tensor::Of<float>({4}, {1, -1, 0, 7}))
                   .Input(Tensor::Of<float>({4}, {0, 0, 0, 2}))
                   .Run(),
               Tensor::Of<float>({4}, {INFINITY, -INFINITY, NAN, 3.5f}));
}

TEST(DivTest, IntegersTruncateTowardsZero) {
  ExpectTensor(OpTest("Div", 14)
                   .Input(Tensor::Of<int32_t>({4}, {7, -7, 7, -7}))
                   .Input(Tensor::Of<int32_t>({4}, {2, 2, -2, -2}))
                   .Run(),
               Tensor::Of<int32_t>({4}, {3, -3, -3, 3}));
  ExpectTensor(OpTest("Div", 14)
                   .Input(Tensor::Scalar<uint64_t>(~uint64_t{0}))
                   .Input(Tensor::Scalar<uint64_t>(2))
                   .Run(),
               Tensor::Scalar<uint64_t>(std::numeric_limits<int64_t>::max()));
  ExpectTensor(OpTest("Div", 14)
                   .Input(Tensor::Scalar<int64_t>((int64_t{1} << 53) + 3))
                   .Input(Tensor::Scalar<int64_t>(1))
                   .Run(),
               Tensor::Scalar<int64_t>((int64_t{1} << 53) + 3));
}

// NumPy's results where C is undefined.
TEST(DivTest, IntegersByZeroAndMinusOne) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  ExpectTensor(OpTest("Div", 14)
                   .Input(Tensor::Of<int64_t>({4}, {5, kMin, kMin, 0}))
                   .Input(Tensor::Of<int64_t>({4}, {0, -1, 0, 0}))
                   .Run(),
               Tensor::Of<int64_t>({4}, {0, kMin, 0, 0}));
  ExpectTensor(OpTest("Div", 14)
                   .Input(Tensor::Of<int8_t>({1}, {-128}))
                   .Input(Tensor::Of<int8_t>({1}, {-1}))
                   .Run(),
               Tensor::Of<int8_t>({1}, {-128}));
  ExpectTensor(OpTest("Div", 14)
                   .Input(Tensor::Of<uint8_t>({1}, {9}))
                   .Input(Tensor::Of<uint8_t>({1}, {0}))
                   .Run(),
               Tensor::Of<uint8_t>({1}, {0}));
}

}  // namespace
}  // namespace onnxcmp::testing
