#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

template <typename T>
void ExpectGreater(const std::vector<T>& a, const std::vector<T>& b,
                   const std::vector<uint8_t>& want) {
  const int64_t count = static_cast<int64_t>(a.size());
  ExpectTensor(
      OpTest("Greater", 13).Input(Tensor::Of<T>({count}, a)).Input(Tensor::Of<T>({count}, b)).Run(),
      Bools({count}, want));
}

TEST(GreaterTest, EveryComputeClass) {
  ExpectGreater<float>({1, 2, NAN, 1, -0.0f, INFINITY}, {2, 1, 1, NAN, 0, 1}, {0, 1, 0, 0, 0, 1});
  ExpectGreater<double>({1 + 0x1p-52}, {1}, {1});
  ExpectGreater<int64_t>({(int64_t{1} << 53) + 1, -1}, {int64_t{1} << 53, 0}, {1, 0});
  ExpectGreater<uint64_t>({~uint64_t{0}}, {1}, {1});
}

TEST(GreaterTest, AxisBeforeOpset7) {
  ExpectTensor(OpTest("Greater", 1)
                   .Attr("broadcast", 1)
                   .Attr("axis", 0)
                   .Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 4}))
                   .Input(Tensor::Of<float>({2}, {1, 3}))
                   .Run(),
               Bools({2, 2}, {0, 1, 0, 1}));
}

}  // namespace
}  // namespace onnxcmp::testing
