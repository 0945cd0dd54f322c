#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(PowTest, Floats) {
  ExpectTensor(OpTest("Pow", 15)
                   .Input(Tensor::Of<float>({5}, {2.5f, -8, 0, NAN, INFINITY}))
                   .Input(Tensor::Of<float>({5}, {1.5f, 3, -1, 0, -1}))
                   .Run(),
               Tensor::Of<float>({5}, {3.9528470752f, -512, INFINITY, 1, 0}), 1e-6);
}

TEST(PowTest, ExponentOfAnotherType) {
  const Tensor base = Tensor::Of<float>({3}, {1, 2, 3});
  ExpectTensor(OpTest("Pow", 15).Input(base).Input(Tensor::Of<int64_t>({3}, {4, 5, 6})).Run(),
               Tensor::Of<float>({3}, {1, 32, 729}));
  ExpectTensor(OpTest("Pow", 15).Input(base).Input(Tensor::Of<uint8_t>({1}, {2})).Run(),
               Tensor::Of<float>({3}, {1, 4, 9}));
  ExpectTensor(OpTest("Pow", 15).Input(base).Input(Tensor::Scalar<double>(0.5)).Run(),
               Tensor::Of<float>({3}, {1, 1.4142135f, 1.7320508f}), 1e-7);
  // An odd exponent that is even as a float.
  ExpectTensor(OpTest("Pow", 15)
                   .Input(Tensor::Scalar<float>(-1))
                   .Input(Tensor::Scalar<int32_t>((1 << 24) + 1))
                   .Run(),
               Tensor::Scalar<float>(-1));
  ExpectTensor(OpTest("Pow", 15)
                   .Input(Convert(base, DType::kBfloat16))
                   .Input(Tensor::Scalar<float>(3))
                   .Run(),
               Convert(Tensor::Of<float>({3}, {1, 8, 27}), DType::kBfloat16));
}

// x * x rounded once, as everybody writes squares, wherever the exponent comes from.
TEST(PowTest, SquaresAreExactProducts) {
  const Tensor x = RandomFloats({100}, 1);
  absl::StatusOr<Tensor> want = OpTest("Mul", 14).Input(x).Input(x).Run();
  ASSERT_TRUE(want.ok());
  ExpectSameBits(OpTest("Pow", 15).Input(x).Input(Tensor::Scalar<float>(2)).Run(), *want);
  ExpectSameBits(OpTest("Pow", 15).Input(x).Input(Tensor::Scalar<int64_t>(2)).Run(), *want);
  ExpectSameBits(
      OpTest("Pow", 15).Input(x).Input(Tensor::Of<float>({100}, std::vector<float>(100, 2))).Run(),
      *want);
}

TEST(PowTest, IntegersAreExactAndWrapAround) {
  ExpectTensor(OpTest("Pow", 15)
                   .Input(Tensor::Of<int64_t>({4}, {3, -3, 2, 10}))
                   .Input(Tensor::Of<int64_t>({4}, {39, 39, 64, 0}))
                   .Run(),
               Tensor::Of<int64_t>({4}, {4052555153018976267, -4052555153018976267, 0, 1}));
  ExpectTensor(OpTest("Pow", 15)
                   .Input(Tensor::Of<int32_t>({2}, {7, -2}))
                   .Input(Tensor::Of<uint8_t>({2}, {3, 31}))
                   .Run(),
               Tensor::Of<int32_t>({2}, {343, std::numeric_limits<int32_t>::min()}));
  ExpectTensor(OpTest("Pow", 15)
                   .Input(Tensor::Of<int64_t>({1}, {-1}))
                   .Input(Tensor::Of<uint64_t>({1}, {~uint64_t{0}}))
                   .Run(),
               Tensor::Of<int64_t>({1}, {-1}));
}

TEST(PowTest, IntegersToNegativePowers) {
  ExpectTensor(OpTest("Pow", 15)
                   .Input(Tensor::Of<int64_t>({6}, {1, -1, -1, 2, -2, 0}))
                   .Input(Tensor::Of<int64_t>(
                       {6}, {-5, -3, std::numeric_limits<int64_t>::min(), -1, -1, -1}))
                   .Run(),
               Tensor::Of<int64_t>({6}, {1, -1, 1, 0, 0, 0}));
}

TEST(PowTest, IntegersToFloatPowersTruncate) {
  ExpectTensor(OpTest("Pow", 15)
                   .Input(Tensor::Of<int32_t>({3}, {2, 9, 10}))
                   .Input(Tensor::Of<float>({3}, {0.5f, 0.5f, 3}))
                   .Run(),
               Tensor::Of<int32_t>({3}, {1, 3, 1000}));
}

TEST(PowTest, AxisBeforeOpset7) {
  ExpectTensor(OpTest("Pow", 1)
                   .Attr("broadcast", 1)
                   .Attr("axis", 0)
                   .Input(Tensor::Of<float>({2, 2}, {2, 3, 2, 3}))
                   .Input(Tensor::Of<float>({2}, {1, 2}))
                   .Run(),
               Tensor::Of<float>({2, 2}, {2, 3, 4, 9}));
}

}  // namespace
}  // namespace onnxcmp::testing
