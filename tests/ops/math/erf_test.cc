#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Values: NumPy in double.
TEST(ErfTest, Values) {
  const Tensor x = Tensor::Of<float>({7}, {-3, -1, -0.5f, 0, 0.5f, 1, 3});
  const Tensor want = Tensor::Of<float>({7}, {-0.9999779095f, -0.8427007929f, -0.5204998778f, 0,
                                              0.5204998778f, 0.8427007929f, 0.9999779095f});
  ExpectTensor(OpTest("Erf", 13).Input(x).Run(), want, 2e-7, 1e-9);
  ExpectTensor(OpTest("Erf", 13).Input(Convert(x, DType::kDouble)).Run(),
               Convert(want, DType::kDouble), 1e-6, 1e-9);
  ExpectTensor(OpTest("Erf", 13).Input(Convert(x, DType::kFloat16)).Run(),
               Convert(want, DType::kFloat16), 1e-3);
  ExpectTensor(OpTest("Erf", 13).Input(Tensor::Of<float>({0}, {})).Run(),
               Tensor::Of<float>({0}, {}));
}

TEST(ErfTest, SpecialValues) {
  ExpectTensor(
      OpTest("Erf", 13).Input(Tensor::Of<float>({4}, {NAN, INFINITY, -INFINITY, -0.0f})).Run(),
      Tensor::Of<float>({4}, {NAN, 1, -1, -0.0f}));
}

// erf of an integer is an integer again: only 0 and what rounds to 1 in double are not 0 after it.
TEST(ErfTest, IntegersOfVersion9) {
  ExpectTensor(OpTest("Erf", 9).Input(Tensor::Of<int32_t>({5}, {-7, -1, 0, 1, 7})).Run(),
               Tensor::Of<int32_t>({5}, {-1, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace onnxcmp::testing
