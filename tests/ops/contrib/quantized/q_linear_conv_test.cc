// The usual cases are golden ones, from onnxruntime.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/contrib/quantized/quantized_inputs.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Two channels that are the sums and differences of two others, of 1 x 2 pixels.
TEST(QLinearConvTest, ChannelsLast) {
  for (const int channels_last : {0, 1}) {
    OpTest test = Contrib("QLinearConv");
    const Shape shape = channels_last != 0 ? Shape{1, 1, 2, 2} : Shape{1, 2, 1, 2};
    test.Attr("channels_last", channels_last);
    AddQuantized(test, Uint8s(shape, {11, 12, 13, 14}), Tensor::Scalar(1.0f),
                 Tensor::Scalar<uint8_t>(10));
    AddQuantized(test, Int8s({2, 2, 1, 1}, {1, 1, 1, -1}), Floats({1, 2}), Int8s({2}, {0, 0}));
    test.Input(Tensor::Scalar(0.5f)).Input(Tensor::Scalar<uint8_t>(100));
    test.Input(Tensor::Of<int32_t>({2}, {0, 1}));
    ExpectTensor(test.Run(),
                 Uint8s(shape, channels_last != 0 ? std::vector<uint8_t>{106, 100, 114, 100}
                                                  : std::vector<uint8_t>{108, 112, 96, 96}));
  }
}

TEST(QLinearConvTest, BadInputs) {
  OpTest test = Contrib("QLinearConv");
  test.Attr("channels_last", 1);
  AddQuantized(test, Uint8s({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::Scalar(1.0f),
               Tensor::Scalar<uint8_t>(10));
  AddQuantized(test, Int8s({1, 3}, {1, 1, 1}), Tensor::Scalar(1.0f), Tensor::Scalar<int8_t>(0));
  test.Input(Tensor::Scalar(0.5f)).Input(Tensor::Scalar<uint8_t>(100));
  EXPECT_EQ(test.Run().status().code(), kInvalid);
}

}  // namespace
}  // namespace onnxcmp::testing
