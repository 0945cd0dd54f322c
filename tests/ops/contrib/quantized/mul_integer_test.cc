#include <cstdint>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(MulIntegerTest, Values) {
  OpTest test = Contrib("MulInteger");
  test.Input(Uint8s({2, 1}, {10, 200})).Input(Tensor::Scalar<uint8_t>(20));
  test.Input(Uint8s({3}, {5, 0, 255})).Input(Tensor::Scalar<uint8_t>(100));
  ExpectTensor(test.Run(), Tensor::Of<int32_t>({2, 3}, {950, 1000, -1550, -17100, -18000, 27900}));
  OpTest plain = Contrib("MulInteger");
  plain.Input(Int8s({1}, {-128})).NoInput().Input(Int8s({1}, {-128}));
  ExpectTensor(plain.Run(), Tensor::Of<int32_t>({1}, {16384}));
}

}  // namespace
}  // namespace onnxcmp::testing
