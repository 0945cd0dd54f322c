#include <cstdint>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Conv(const Tensor& x, const Tensor& w) {
  OpTest test("CausalConvWithState", 1, "com.microsoft");
  return test.Outputs(2).Input(x).Input(w);
}

// Channels 1 and 2 of four; states of three positions, of which the convolution reads the last.
OpTest Sliced(bool state_channels_last) {
  OpTest test("CausalConvWithState", 1, "com.microsoft");
  test.Outputs(3).Attr("channels_last", 1).Attr("input_channel_offset", 1);
  test.Attr("input_channels", 2).Attr("state_length", 3).Attr("state_update_capacity", 3);
  test.Attr("state_channels_last", state_channels_last ? 1 : 0);
  test.Input(Tensor::Of<float>({1, 2, 4}, {0, 1, 2, 0, 0, 3, 4, 0}));
  test.Input(Tensor::Of<float>({2, 1, 2}, {10, 1, 100, 1})).NoInput();
  return test.Input(state_channels_last ? Tensor::Of<float>({1, 3, 2}, {5, 6, 7, 8, 9, 11})
                                        : Tensor::Of<float>({1, 2, 3}, {5, 7, 9, 6, 8, 11}));
}

TEST(ContribCausalConvWithState, TapsMayLieApart) {
  OpTest test =
      Conv(Tensor::Of<float>({1, 1, 3}, {1, 2, 3}), Tensor::Of<float>({1, 1, 2}, {10, 1}));
  test.Attr("dilation", 2).Input(Floats({100})).Input(Tensor::Of<float>({1, 1, 2}, {7, 8}));
  ExpectOutputs(
      test, {Tensor::Of<float>({1, 1, 3}, {171, 182, 113}), Tensor::Of<float>({1, 1, 2}, {2, 3})});
}

TEST(ContribCausalConvWithState, ChannelsMayComeLast) {
  // Channels (2, 1) of two positions each.
  OpTest test = Conv(Tensor::Of<float>({1, 2, 2, 1}, {1, 2, 3, 4}),
                     Tensor::Of<float>({2, 1, 2}, {10, 1, 0, 1}));
  test.Attr("channels_last", 1).NoInput().Input(Tensor::Of<float>({1, 1, 2, 1}, {5, 6}));
  ExpectOutputs(test, {Tensor::Of<float>({1, 2, 2, 1}, {51, 2, 13, 4}),
                       Tensor::Of<float>({1, 1, 2, 1}, {3, 4})});
}

TEST(ContribCausalConvWithState, KeepsAWindowOfStates) {
  const auto run = [](const Tensor& x) {
    OpTest test = Conv(x, Tensor::Of<float>({1, 1, 3}, {1, 1, 1})).Attr("state_window", 2);
    return test.NoInput().Input(Tensor::Of<float>({2, 1, 1, 2}, {50, 60, 7, 8}));
  };
  ExpectOutputs(
      run(Tensor::Of<float>({1, 1, 2}, {1, 2})),
      {Tensor::Of<float>({1, 1, 2}, {16, 11}), Tensor::Of<float>({2, 1, 1, 2}, {8, 1, 1, 2})});
  ExpectOutputs(
      run(Tensor::Of<float>({1, 1, 1}, {1})),
      {Tensor::Of<float>({1, 1, 1}, {16}), Tensor::Of<float>({2, 1, 1, 2}, {0, 0, 8, 1})});
}

TEST(ContribCausalConvWithState, RefusesWhatDoesNotFit) {
  const auto status = [](const char* attribute, int64_t value) {
    return Conv(Iota({1, 1, 2}), Iota({1, 1, 2})).Attr(attribute, value).Run().status();
  };
  ExpectError(status("dilation", 0), kInvalid, "dilation is 0");
  ExpectError(status("state_window", 9), kInvalid, "state_window is 9");
  ExpectError(status("ndim", 4), kInvalid, "ndim is 4");
  ExpectError(status("ndim", 2), kUnimplemented, "ndim is 2");
  ExpectError(status("dilation", INT64_MAX), absl::StatusCode::kResourceExhausted, "");
  ExpectError(Conv(Iota({1, 1, 2}), Iota({1, 1, 3})).Attr("dilation", INT64_MAX).Run().status(),
              kInvalid, "is too large for a kernel of 3");
}

TEST(ContribCausalConvWithState, SlicesOfChannelsAndLongerStates) {
  const Tensor out = Tensor::Of<float>({1, 2, 2}, {91, 1102, 13, 204});
  const Tensor update = Tensor::Of<float>({1, 3, 2}, {1, 2, 3, 4, 0, 0});
  ExpectOutputs(Sliced(true), {out, Tensor::Of<float>({1, 3, 2}, {9, 11, 1, 2, 3, 4}), update});
  ExpectOutputs(Sliced(false), {out, Tensor::Of<float>({1, 2, 3}, {9, 1, 3, 11, 2, 4}), update});
  const auto status = [](const char* attribute, int value) {
    return Sliced(true).Attr(attribute, value).RunAll().status();
  };
  ExpectError(status("input_channel_offset", 3), kInvalid, "with 2 channels from 3 on");
  ExpectError(status("state_length", 9), kInvalid, "past_state has shape [1x3x2], not [1x9x2]");
  ExpectError(status("state_update_capacity", 9), kInvalid, "state_update_capacity 9");
  ExpectError(status("state_window", 1), kInvalid, "need channels_last 1 and state_window 0");
  ExpectError(status("dilation", 4), kInvalid, "state_length is 3, but 4 positions are needed");
}

}  // namespace
}  // namespace onnxcmp::testing
