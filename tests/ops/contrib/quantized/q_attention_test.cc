#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// onnxruntime's results are compared in tests/golden.

struct Quantized {
  int64_t weight_scales = 1;
  int64_t weight_zeros = 1;
  int64_t input_scales = 1;
  int shares = 0;
};

Tensor Ones(int64_t count) {
  return Tensor::Of<float>({count}, std::vector<float>(static_cast<size_t>(count), 1.0f));
}

// One head of one channel; the input is 3 - 1, the weights are 1 - 2, 2 - 2 and 4 - 2.
absl::StatusOr<Tensor> Attend(const Quantized& quantized) {
  OpTest test("QAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1).Attr("past_present_share_buffer", quantized.shares);
  test.Input(Tensor::Of<uint8_t>({1, 1, 1}, {3})).Input(Tensor::Of<int8_t>({1, 3}, {1, 2, 4}));
  test.Input(Floats({0, 0, 0})).Input(Ones(quantized.input_scales));
  test.Input(Ones(quantized.weight_scales)).NoInput().Input(Tensor::Of<uint8_t>({1}, {1}));
  test.Input(
      Tensor::Of<int8_t>({quantized.weight_zeros},
                         std::vector<int8_t>(static_cast<size_t>(quantized.weight_zeros), 2)));
  if (quantized.shares != 0) test.Input(Iota({2, 1, 1, 1, 1}));
  return test.Run();
}

TEST(ContribQAttentionTest, ScalesByTensorOrColumn) {
  ExpectTensor(Attend({}), Tensor::Of<float>({1, 1, 1}, {4}));
  ExpectTensor(Attend({.weight_scales = 3, .weight_zeros = 3}), Tensor::Of<float>({1, 1, 1}, {4}));
}

TEST(ContribQAttentionTest, RefusesWhatDoesNotFit) {
  ExpectError(Attend({.weight_scales = 2}).status(), kInvalid, "weight_scale has shape [2]");
  ExpectError(Attend({.weight_zeros = 3}).status(), kInvalid, "weight_zero_point has shape [3]");
  ExpectError(Attend({.input_scales = 3}).status(), kInvalid, "input_scale has shape [3]");
  ExpectError(Attend({.shares = 1}).status(), kUnimplemented, "past_present_share_buffer");
}

}  // namespace
}  // namespace onnxcmp::testing
