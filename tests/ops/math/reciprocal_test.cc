#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(ReciprocalTest, Values) {
  ExpectSameBits(
      OpTest("Reciprocal", 13).Input(Tensor::Of<float>({5}, {4, 0, -0.0f, INFINITY, 3})).Run(),
      Tensor::Of<float>({5}, {0.25f, INFINITY, -INFINITY, 0, 1.0f / 3.0f}));
  ExpectTensor(OpTest("Reciprocal", 1).Input(Tensor::Scalar<double>(8)).Run(),
               Tensor::Scalar<double>(0.125));
  ExpectTensor(OpTest("Reciprocal", 13).Input(Tensor::Scalar<float>(NAN)).Run(),
               Tensor::Scalar<float>(NAN));
}

}  // namespace
}  // namespace onnxcmp::testing
