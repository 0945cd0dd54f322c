#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Conv(const Tensor& x, const Tensor& x_zero, const Tensor& w, const Tensor& w_scale,
            const Tensor& w_zero, const Tensor& y_zero) {
  OpTest test("QLinearConv", 10);
  test.Input(x).Input(Tensor::Scalar(0.5f)).Input(x_zero);
  test.Input(w).Input(w_scale).Input(w_zero);
  test.Input(Tensor::Scalar(2.0f)).Input(y_zero);
  return test;
}

TEST(QLinearConv, PadsWithTheZeroPoint) {
  const Tensor x = Tensor::Of<uint8_t>({1, 1, 4}, {11, 12, 13, 14});  // 1 2 3 4
  const Tensor w = Tensor::Of<int8_t>({2, 1, 3}, {1, 2, 3, 101, 101, 101});
  const Tensor w_scale = Tensor::Of<float>({2}, {4, 8});
  const Tensor w_zero = Tensor::Of<int8_t>({2}, {0, 100});
  const Tensor bias = Tensor::Of<int32_t>({2}, {0, -1});
  // Sums (8 14 20 11) * 0.5 * 4 / 2 and (3 6 9 7) - 1 times 0.5 * 8 / 2.
  ExpectTensor(Conv(x, Tensor::Scalar<uint8_t>(10), w, w_scale, w_zero, Tensor::Scalar<int8_t>(-5))
                   .Attr("pads", std::vector<int64_t>{1, 1})
                   .Input(bias)
                   .Run(),
               Tensor::Of<int8_t>({1, 2, 4}, {3, 9, 15, 6, -1, 5, 11, 7}));
}

TEST(QLinearConv, IsExactInGroupsAndBlocks) {
  // 512 channels in 2 groups, 3 x 3: sums of 2304 products of 255 and -255 by 1 and 255.
  const int64_t n = 512 * 4 * 5;
  const Tensor x = Tensor::Of<uint8_t>({1, 512, 4, 5}, std::vector<uint8_t>(n, 255));
  const Tensor w = Tensor::Of<uint8_t>({4, 256, 3, 3}, std::vector<uint8_t>(4 * 256 * 9, 255));
  std::vector<int64_t> pads = {0, 0, 0, 0};
  // (255 * 255 * 2304) * 0.5 * 2^-20 / 2 = 35.7
  ExpectTensor(Conv(x, Tensor::Scalar<uint8_t>(0), w, Tensor::Scalar(1.0f / (1 << 20)),
                    Tensor::Scalar<uint8_t>(0), Tensor::Scalar<uint8_t>(0))
                   .Attr("group", 2)
                   .Attr("pads", pads)
                   .Run(),
               Tensor::Of<uint8_t>({1, 4, 2, 3}, std::vector<uint8_t>(24, 36)));
}

TEST(QLinearConv, RefusesWhatDoesNotFit) {
  const Tensor x = Tensor::Of<uint8_t>({1, 1, 4}, {1, 2, 3, 4});
  const Tensor w = Tensor::Of<uint8_t>({2, 1, 1}, {1, 2});
  ExpectError(Conv(x, Tensor::Scalar<uint8_t>(0), w, Tensor::Of<float>({3}, {1, 1, 1}),
                   Tensor::Scalar<uint8_t>(0), Tensor::Scalar<uint8_t>(0))
                  .Run()
                  .status(),
              kInvalid, "there are 2 output channels");
}

}  // namespace
}  // namespace onnxcmp::testing
