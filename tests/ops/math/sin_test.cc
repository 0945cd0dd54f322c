#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Values: NumPy in double.
TEST(SinTest, Values) {
  const Tensor x = Tensor::Of<float>({7}, {-3, -1, -0.5f, 0, 0.5f, 1, 3});
  const Tensor want = Tensor::Of<float>({7}, {-0.1411200081f, -0.8414709848f, -0.4794255386f, 0,
                                              0.4794255386f, 0.8414709848f, 0.1411200081f});
  ExpectTensor(OpTest("Sin", 22).Input(x).Run(), want, 2e-7, 1e-9);
  ExpectTensor(OpTest("Sin", 22).Input(Convert(x, DType::kDouble)).Run(),
               Convert(want, DType::kDouble), 1e-6, 1e-9);
  ExpectTensor(OpTest("Sin", 22).Input(Convert(x, DType::kFloat16)).Run(),
               Convert(want, DType::kFloat16), 1e-3);
  ExpectTensor(OpTest("Sin", 22).Input(Tensor::Of<float>({0}, {})).Run(),
               Tensor::Of<float>({0}, {}));
}

TEST(SinTest, SpecialValues) {
  ExpectTensor(
      OpTest("Sin", 22).Input(Tensor::Of<float>({4}, {NAN, INFINITY, -INFINITY, -0.0f})).Run(),
      Tensor::Of<float>({4}, {NAN, NAN, NAN, -0.0f}));
}

// A large argument changes the way in which SLEEF reduces the arguments beside it.
TEST(SinTest, LargeArgumentsBesideSmallOnes) {
  ExpectTensor(OpTest("Sin", 7).Input(Tensor::Of<float>({4}, {1e10f, 64.4398f, 1e30f, 1})).Run(),
               Tensor::Of<float>({4}, {-0.4875060251f, 0.99931015f, -0.7911634162f, 0.8414709848f}),
               1e-6);
}

}  // namespace
}  // namespace onnxcmp::testing
