#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(AbsTest, Values) {
  ExpectSameBits(
      OpTest("Abs", 13).Input(Tensor::Of<float>({4}, {-1.5f, -0.0f, -INFINITY, 2})).Run(),
      Tensor::Of<float>({4}, {1.5f, 0, INFINITY, 2}));
  ExpectTensor(OpTest("Abs", 13).Input(Tensor::Scalar<float>(NAN)).Run(),
               Tensor::Scalar<float>(NAN));
  ExpectTensor(OpTest("Abs", 13).Input(Tensor::Of<int8_t>({3}, {-5, 5, -128})).Run(),
               Tensor::Of<int8_t>({3}, {5, 5, -128}));
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  ExpectTensor(OpTest("Abs", 13).Input(Tensor::Of<int64_t>({2}, {kMin, kMin + 1})).Run(),
               Tensor::Of<int64_t>({2}, {kMin, -(kMin + 1)}));
  ExpectTensor(OpTest("Abs", 6).Input(Tensor::Scalar<uint64_t>(~uint64_t{0})).Run(),
               Tensor::Scalar<uint64_t>(~uint64_t{0}));
}

}  // namespace
}  // namespace onnxcmp::testing
