#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Values: NumPy in double.
TEST(SigmoidTest, Values) {
  const Tensor x = Tensor::Of<float>({7}, {-3, -1, -0.5f, 0, 0.5f, 1, 3});
  const Tensor want = Tensor::Of<float>({7}, {0.04742587318f, 0.2689414214f, 0.3775406688f, 0.5f,
                                              0.6224593312f, 0.7310585786f, 0.9525741268f});
  ExpectTensor(OpTest("Sigmoid", 13).Input(x).Run(), want, 2e-7, 1e-9);
  ExpectTensor(OpTest("Sigmoid", 13).Input(Convert(x, DType::kDouble)).Run(),
               Convert(want, DType::kDouble), 1e-6, 1e-9);
  ExpectTensor(OpTest("Sigmoid", 13).Input(Convert(x, DType::kFloat16)).Run(),
               Convert(want, DType::kFloat16), 1e-3);
  ExpectTensor(OpTest("Sigmoid", 13).Input(Tensor::Of<float>({0}, {})).Run(),
               Tensor::Of<float>({0}, {}));
}

TEST(SigmoidTest, SpecialValues) {
  ExpectTensor(
      OpTest("Sigmoid", 13).Input(Tensor::Of<float>({4}, {NAN, INFINITY, -INFINITY, 0})).Run(),
      Tensor::Of<float>({4}, {NAN, 1, 0, 0.5f}));
}

}  // namespace
}  // namespace onnxcmp::testing
