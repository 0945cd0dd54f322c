#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Values: NumPy in double.
TEST(CosTest, Values) {
  const Tensor x = Tensor::Of<float>({7}, {-3, -1, -0.5f, 0, 0.5f, 1, 3});
  const Tensor want = Tensor::Of<float>({7}, {-0.9899924966f, 0.5403023059f, 0.8775825619f, 1,
                                              0.8775825619f, 0.5403023059f, -0.9899924966f});
  ExpectTensor(OpTest("Cos", 22).Input(x).Run(), want, 2e-7, 1e-9);
  ExpectTensor(OpTest("Cos", 22).Input(Convert(x, DType::kDouble)).Run(),
               Convert(want, DType::kDouble), 1e-6, 1e-9);
  ExpectTensor(OpTest("Cos", 22).Input(Convert(x, DType::kFloat16)).Run(),
               Convert(want, DType::kFloat16), 1e-3);
  ExpectTensor(OpTest("Cos", 22).Input(Tensor::Of<float>({0}, {})).Run(),
               Tensor::Of<float>({0}, {}));
}

TEST(CosTest, SpecialValues) {
  ExpectTensor(OpTest("Cos", 22).Input(Tensor::Of<float>({4}, {NAN, INFINITY, -INFINITY, 0})).Run(),
               Tensor::Of<float>({4}, {NAN, NAN, NAN, 1}));
}

}  // namespace
}  // namespace onnxcmp::testing
