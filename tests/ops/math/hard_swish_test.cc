#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(HardSwishTest, Values) {
  ExpectTensor(OpTest("HardSwish", 14).Input(Tensor::Of<float>({6}, {-4, -3, 0, 1, 3, 4})).Run(),
               Tensor::Of<float>({6}, {0, 0, 0, 2.0f / 3, 3, 4}), 1e-6);
  ExpectTensor(OpTest("HardSwish", 22).Input(Tensor::Of<double>({3}, {1.5, NAN, INFINITY})).Run(),
               Tensor::Of<double>({3}, {1.125, NAN, INFINITY}), 1e-15);
}

}  // namespace
}  // namespace onnxcmp::testing
