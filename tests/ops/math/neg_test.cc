#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(NegTest, Values) {
  ExpectSameBits(OpTest("Neg", 13).Input(Tensor::Of<float>({4}, {1, 0, -0.0f, INFINITY})).Run(),
                 Tensor::Of<float>({4}, {-1, -0.0f, 0, -INFINITY}));
  ExpectTensor(OpTest("Neg", 13).Input(Tensor::Of<int8_t>({3}, {5, -5, -128})).Run(),
               Tensor::Of<int8_t>({3}, {-5, 5, -128}));
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  ExpectTensor(OpTest("Neg", 6).Input(Tensor::Of<int64_t>({2}, {kMin, kMin + 1})).Run(),
               Tensor::Of<int64_t>({2}, {kMin, -(kMin + 1)}));
}

}  // namespace
}  // namespace onnxcmp::testing
