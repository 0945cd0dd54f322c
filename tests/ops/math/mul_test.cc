#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(MulTest, FloatsAndWrappingIntegers) {
  ExpectTensor(OpTest("Mul", 14)
                   .Input(Tensor::Of<float>({3}, {1.5f, 0, -2}))
                   .Input(Tensor::Of<float>({3}, {2, INFINITY, 3}))
                   .Run(),
               Tensor::Of<float>({3}, {3, NAN, -6}));
  ExpectTensor(OpTest("Mul", 14)
                   .Input(Tensor::Of<int8_t>({2}, {100, -128}))
                   .Input(Tensor::Of<int8_t>({2}, {3, -1}))
                   .Run(),
               Tensor::Of<int8_t>({2}, {44, -128}));
  ExpectTensor(OpTest("Mul", 14)
                   .Input(Tensor::Scalar<int64_t>(3037000500))
                   .Input(Tensor::Scalar<int64_t>(3037000500))
                   .Run(),
               Tensor::Scalar<int64_t>(-9223372036709301616));
  ExpectTensor(OpTest("Mul", 7)
                   .Input(Tensor::Scalar<int32_t>(65536))
                   .Input(Tensor::Scalar<int32_t>(65536))
                   .Run(),
               Tensor::Scalar<int32_t>(0));
}

}  // namespace
}  // namespace onnxcmp::testing
