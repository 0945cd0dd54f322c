#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Values: NumPy in double.
TEST(TanhTest, Values) {
  const Tensor x = Tensor::Of<float>({7}, {-3, -1, -0.5f, 0, 0.5f, 1, 3});
  const Tensor want = Tensor::Of<float>({7}, {-0.9950547537f, -0.761594156f, -0.4621171573f, 0,
                                              0.4621171573f, 0.761594156f, 0.9950547537f});
  ExpectTensor(OpTest("Tanh", 13).Input(x).Run(), want, 2e-7, 1e-9);
  ExpectTensor(OpTest("Tanh", 13).Input(Convert(x, DType::kDouble)).Run(),
               Convert(want, DType::kDouble), 1e-6, 1e-9);
  ExpectTensor(OpTest("Tanh", 13).Input(Convert(x, DType::kFloat16)).Run(),
               Convert(want, DType::kFloat16), 1e-3);
  ExpectTensor(OpTest("Tanh", 13).Input(Tensor::Of<float>({0}, {})).Run(),
               Tensor::Of<float>({0}, {}));
}

TEST(TanhTest, SpecialValues) {
  ExpectTensor(
      OpTest("Tanh", 13).Input(Tensor::Of<float>({4}, {NAN, INFINITY, -INFINITY, -0.0f})).Run(),
      Tensor::Of<float>({4}, {NAN, 1, -1, -0.0f}));
}

}  // namespace
}  // namespace onnxcmp::testing
