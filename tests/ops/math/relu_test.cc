#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// NaN at every place of a packet and of the rest that fills none.
TEST(ReluTest, NanStays) {
  for (size_t place = 0; place < 19; ++place) {
    std::vector<float> x(19, -1);
    std::vector<float> want(19, 0);
    x[place] = want[place] = NAN;
    ExpectTensor(OpTest("Relu", 14).Input(Tensor::Of<float>({19}, x)).Run(),
                 Tensor::Of<float>({19}, want));
  }
}

TEST(ReluTest, Values) {
  ExpectTensor(
      OpTest("Relu", 6).Input(Tensor::Of<float>({4}, {-1, 2.5f, INFINITY, -INFINITY})).Run(),
      Tensor::Of<float>({4}, {0, 2.5f, INFINITY, 0}));
  ExpectTensor(OpTest("Relu", 13).Input(Tensor::Of<double>({2}, {-1, NAN})).Run(),
               Tensor::Of<double>({2}, {0, NAN}));
  ExpectTensor(
      OpTest("Relu", 14).Input(Tensor::Of<int64_t>({2}, {-1, (int64_t{1} << 53) + 1})).Run(),
      Tensor::Of<int64_t>({2}, {0, (int64_t{1} << 53) + 1}));
  ExpectTensor(OpTest("Relu", 14).Input(Tensor::Of<int8_t>({2}, {-128, 127})).Run(),
               Tensor::Of<int8_t>({2}, {0, 127}));
}

}  // namespace
}  // namespace onnxcmp::testing
