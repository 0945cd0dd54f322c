#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Multiply(const char* op_type, const Tensor& a, const Tensor& b) {
  OpTest test(op_type, 1, "com.microsoft");
  test.Input(a).Input(b);
  return test;
}

// (1 + 2i) and (3 - i), times (0 + i) and (2 + 3i); values: NumPy.
TEST(ContribComplexMulTest, ProductAndProductWithConjugate) {
  const Tensor a = Tensor::Of<float>({2, 2}, {1, 2, 3, -1});
  const Tensor b = Tensor::Of<float>({2, 2}, {0, 1, 2, 3});
  const Tensor want = Tensor::Of<float>({2, 2}, {-2, 1, 9, 7});
  ExpectTensor(Multiply("ComplexMul", a, b).Run(), want);
  ExpectTensor(Multiply("ComplexMulConj", a, b).Run(), Tensor::Of<float>({2, 2}, {2, -1, 3, -11}));
  ExpectTensor(Multiply("ComplexMul", Convert(a, DType::kDouble), Convert(b, DType::kDouble)).Run(),
               Convert(want, DType::kDouble));
  ExpectTensor(
      Multiply("ComplexMul", Convert(a, DType::kFloat16), Convert(b, DType::kFloat16)).Run(),
      Convert(want, DType::kFloat16));
}

TEST(ContribComplexMulTest, Broadcast) {
  const Tensor a = Tensor::Of<float>({2, 1, 2}, {1, 0, 0, 1});
  const Tensor b = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  ExpectTensor(Multiply("ComplexMul", a, b).Run(),
               Tensor::Of<float>({2, 2, 2}, {1, 2, 3, 4, -2, 1, -4, 3}));
  ExpectTensor(Multiply("ComplexMul", Iota({0, 2}), Iota({2})).Run(), Iota({0, 2}));
}

TEST(ContribComplexMulTest, PartsMustBeThere) {
  ExpectError(Multiply("ComplexMul", Iota({2}), Iota({3})).Run().status(), kInvalid,
              "imaginary part");
  ExpectError(Multiply("ComplexMul", Iota({}), Iota({2})).Run().status(), kInvalid,
              "imaginary part");
}

}  // namespace
}  // namespace onnxcmp::testing
