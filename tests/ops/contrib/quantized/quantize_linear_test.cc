#include <cstdint>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(ContribQuantizeLinearTest, Float16DividesInFloat) {
  const Tensor x = Convert(Floats({205.625f}), DType::kFloat16);
  const Tensor scale = Convert(Tensor::Scalar(0.1f), DType::kFloat16);
  const Tensor zero = Tensor::Scalar<int16_t>(0);
  // 205.625 / 0.0999755859375 = 2056.75; the nearest float16 is 2056.
  ExpectTensor(Contrib("QuantizeLinear").Input(x).Input(scale).Input(zero).Run(),
               Tensor::Of<int16_t>({1}, {2057}));
  OpTest rounded("QuantizeLinear", 21);
  ExpectTensor(rounded.Input(x).Input(scale).Input(zero).Run(), Tensor::Of<int16_t>({1}, {2056}));
}

TEST(ContribQuantizeLinearTest, AxisIsOneByDefault) {
  OpTest test = Contrib("QuantizeLinear");
  test.Input(Tensor::Of<float>({2, 2}, {1, 1, 2, -20})).Input(Floats({1, 0.5f}));
  ExpectTensor(test.Run(), Tensor::Of<uint8_t>({2, 2}, {1, 2, 2, 0}));
  ExpectTensor(test.Attr("axis", -2).Run(), Tensor::Of<uint8_t>({2, 2}, {1, 1, 4, 0}));
  ExpectError(test.Attr("axis", 2).Run().status(), kInvalid, "axis 2 is out of range");
}

}  // namespace
}  // namespace onnxcmp::testing
