// MatMulInteger and QLinearMatMul. Expected values are the formula's, computed by hand or with
// NumPy in int64 and float64.
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

Tensor Bytes(const Shape& shape, const std::vector<uint8_t>& values) {
  return Tensor::Of<uint8_t>(shape, values);
}
Tensor SignedBytes(const Shape& shape, const std::vector<int8_t>& values) {
  return Tensor::Of<int8_t>(shape, values);
}

TEST(MatMulInteger, SubtractsZeroPointsOfRowsAndColumns) {
  const Tensor a = Bytes({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = SignedBytes({3, 2}, {1, -1, 2, -2, 3, -3});
  ExpectTensor(OpTest("MatMulInteger", 10).Input(a).Input(b).Run(),
               Tensor::Of<int32_t>({2, 2}, {14, -14, 32, -32}));
  ExpectTensor(OpTest("MatMulInteger", 10).Input(a).Input(b).Input(Bytes({}, {1})).Run(),
               Tensor::Of<int32_t>({2, 2}, {8, -8, 26, -26}));
  ExpectTensor(OpTest("MatMulInteger", 10)
                   .Input(AsStridedView(a))
                   .Input(b)
                   .Input(Bytes({2}, {1, 4}))
                   .Input(SignedBytes({2}, {1, 0}))
                   .Run(),
               Tensor::Of<int32_t>({2, 2}, {5, -8, 5, -8}));
  ExpectTensor(OpTest("MatMulInteger", 10)
                   .Input(a.Reshaped({1, 2, 3}))
                   .Input(b)
                   .Input(Bytes({1, 2, 1}, {1, 4}))
                   .Input(SignedBytes({1, 2}, {1, 0}))
                   .Run(),
               Tensor::Of<int32_t>({1, 2, 2}, {5, -8, 5, -8}));
  ExpectTensor(
      OpTest("MatMulInteger", 10).Input(Bytes({2}, {3, 4})).Input(Bytes({2}, {5, 6})).Run(),
      Tensor::Scalar<int32_t>(39));
}

TEST(MatMulInteger, LargeProductsAreExact) {
  // 255 * 127 * 2 does not fit into 16 bits, where some processors saturate.
  const int64_t k = 301;
  const Tensor a = Bytes({20, k}, std::vector<uint8_t>(20 * k, 255));
  const Tensor b = SignedBytes({k, 40}, std::vector<int8_t>(k * 40, 127));
  const auto y =
      OpTest("MatMulInteger", 10).Input(a).Input(b).NoInput().Input(SignedBytes({}, {-128})).Run();
  ExpectTensor(y, Tensor::Of<int32_t>({20, 40}, std::vector<int32_t>(20 * 40, 255 * 255 * 301)));
}

TEST(MatMulInteger, BatchesBroadcast) {
  const Tensor a = Bytes({2, 1, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Bytes({2, 3, 1}, {1, 1, 1, 2, 2, 2});
  ExpectTensor(OpTest("MatMulInteger", 10)
                   .Input(a.Reshaped({2, 1, 1, 3}))
                   .Input(b)
                   .NoInput()
                   .Input(Bytes({2, 1, 1}, {0, 1}))
                   .Run(),
               Tensor::Of<int32_t>({2, 2, 1, 1}, {6, 6, 15, 15}));
}

TEST(MatMulInteger, RefusesZeroPointsThatDoNotFit) {
  ExpectError(OpTest("MatMulInteger", 10)
                  .Input(Bytes({2, 2}, {1, 2, 3, 4}))
                  .Input(Bytes({2, 2}, {1, 2, 3, 4}))
                  .Input(Bytes({3}, {1, 2, 3}))
                  .Run()
                  .status(),
              kInvalid, "one for each row");
}

OpTest QLinear(const Tensor& a, const Tensor& a_scale, const Tensor& a_zero, const Tensor& b,
               const Tensor& b_scale, const Tensor& b_zero, float y_scale, const Tensor& y_zero) {
  OpTest test("QLinearMatMul", 21);
  test.Input(a).Input(a_scale).Input(a_zero).Input(b).Input(b_scale).Input(b_zero);
  test.Input(Tensor::Scalar(y_scale)).Input(y_zero);
  return test;
}

TEST(QLinearMatMul, RoundsToEvenAndSaturates) {
  const Tensor one = Tensor::Scalar(1.0f);
  // Sums 5, 7, 1000, -1000 over 2, plus 10.
  const Tensor a = Bytes({4, 1}, {129, 128, 255, 0});
  const Tensor b = SignedBytes({1, 1}, {7});
  const auto y =
      QLinear(a, one, Bytes({}, {128}), b, one, SignedBytes({}, {0}), 2, SignedBytes({}, {10}))
          .Run();
  // 7 / 2 = 3.5 -> 4; 0; 889 / 2 and -896 / 2 saturate.
  ExpectTensor(y, SignedBytes({4, 1}, {14, 10, 127, -128}));
}

TEST(QLinearMatMul, ScalesOfRowsAndColumns) {
  const Tensor a = Bytes({2, 2}, {1, 2, 3, 4});
  const Tensor b = Bytes({2, 2}, {1, 2, 3, 4});
  // The product is (7, 10; 15, 22).
  ExpectTensor(QLinear(a, Tensor::Of<float>({2}, {1, 2}), Bytes({2}, {0, 0}), b,
                       Tensor::Of<float>({2}, {1, 0.5f}), Bytes({2}, {0, 0}), 1, Bytes({}, {1}))
                   .Run(),
               Bytes({2, 2}, {8, 6, 31, 23}));
  // Another scale for every matrix of the batch.
  ExpectTensor(
      QLinear(a.Reshaped({2, 1, 2}), Tensor::Of<float>({2, 1, 1}, {1, 2}), Bytes({2, 1, 1}, {0, 0}),
              b.Reshaped({2, 2, 1}), Tensor::Of<float>({2, 1, 1}, {1, 3}), Bytes({2, 1, 1}, {0, 0}),
              1, Bytes({}, {0}))
          .Run(),
      Bytes({2, 1, 1}, {5, 150}));
}

TEST(QLinearMatMul, Float8) {
  const auto f8 = [](const Tensor& x) { return Convert(x, DType::kFloat8E4M3FN); };
  const Tensor half = Tensor::Scalar(0.5f);
  const Tensor zero = f8(Tensor::Scalar(0.0f));
  const Tensor a = f8(Tensor::Of<float>({1, 2}, {1.5f, -2}));
  const Tensor b = f8(Tensor::Of<float>({2, 1}, {4, 1}));
  // (0.75 * 2 - 1 * 0.5) / 0.25
  ExpectTensor(QLinear(a, half, zero, b, half, zero, 0.25f, zero).Run(),
               f8(Tensor::Of<float>({1, 1}, {4})));
}

}  // namespace
}  // namespace onnxcmp::testing
