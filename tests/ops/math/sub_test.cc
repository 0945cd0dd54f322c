#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(SubTest, FloatsAndWrappingIntegers) {
  ExpectTensor(OpTest("Sub", 14)
                   .Input(Tensor::Of<float>({2}, {1, INFINITY}))
                   .Input(Tensor::Of<float>({2}, {3, INFINITY}))
                   .Run(),
               Tensor::Of<float>({2}, {-2, NAN}));
  ExpectTensor(OpTest("Sub", 14)
                   .Input(Tensor::Of<uint8_t>({2}, {3, 0}))
                   .Input(Tensor::Of<uint8_t>({2}, {1, 1}))
                   .Run(),
               Tensor::Of<uint8_t>({2}, {2, 255}));
  ExpectTensor(OpTest("Sub", 14)
                   .Input(Tensor::Scalar<int64_t>(std::numeric_limits<int64_t>::min()))
                   .Input(Tensor::Scalar<int64_t>(1))
                   .Run(),
               Tensor::Scalar<int64_t>(std::numeric_limits<int64_t>::max()));
}

TEST(SubTest, SecondInputIsPlacedByAxisBeforeOpset7) {
  ExpectTensor(OpTest("Sub", 6)
                   .Attr("broadcast", 1)
                   .Attr("axis", 0)
                   .Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 4}))
                   .Input(Tensor::Of<float>({2}, {1, 10}))
                   .Run(),
               Tensor::Of<float>({2, 2}, {0, 1, -7, -6}));
}

}  // namespace
}  // namespace onnxcmp::testing
