#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(SqrtTest, Values) {
  ExpectSameBits(OpTest("Sqrt", 13).Input(Tensor::Of<float>({4}, {4, 2, -0.0f, INFINITY})).Run(),
                 Tensor::Of<float>({4}, {2, 1.41421356f, -0.0f, INFINITY}));
  ExpectTensor(OpTest("Sqrt", 6).Input(Tensor::Of<float>({3}, {-1, -INFINITY, NAN})).Run(),
               Tensor::Of<float>({3}, {NAN, NAN, NAN}));
  ExpectSameBits(OpTest("Sqrt", 13).Input(Tensor::Scalar<double>(2)).Run(),
                 Tensor::Scalar<double>(1.4142135623730951));
}

}  // namespace
}  // namespace onnxcmp::testing
