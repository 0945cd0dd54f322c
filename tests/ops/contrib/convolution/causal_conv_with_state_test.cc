// CausalConvWithState and VarlenCausalConvWithState of com.microsoft.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Conv(const Tensor& x, const Tensor& w) {
  OpTest test("CausalConvWithState", 1, "com.microsoft");
  return test.Outputs(2).Input(x).Input(w);
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

OpTest Varlen() {
  OpTest test("VarlenCausalConvWithState", 1, "com.microsoft");
  // Sequences of one and two tokens, two channels.
  test.Input(Tensor::Of<float>({3, 2}, {1, 10, 2, 20, 3, 30}));
  return test.Input(Tensor::Of<float>({2, 1, 2}, {100, 1, 0, 1}));
}

TEST(VarlenCausalConvWithState, KeepsSequencesApart) {
  OpTest test = Varlen().Outputs(3).Attr("state_update_capacity", 2);
  test.Input(Tensor::Of<int32_t>({3}, {0, 1, 3})).Input(Floats({0.5f, 0}));
  test.Input(Tensor::Of<float>({2, 2, 1}, {4, 5, 6, 7})).Input(Tensor::Of<int32_t>({2}, {7, 1}));
  ExpectOutputs(test, {Tensor::Of<float>({3, 2}, {401.5f, 10, 602.5f, 20, 203.5f, 30}),
                       Tensor::Of<float>({2, 2, 1}, {1, 10, 3, 30}),
                       Tensor::Of<float>({2, 2, 2}, {1, 10, 0, 0, 2, 20, 0, 0})});
}

// Two channels of one group; deltas 1 and 2 of three, the first being that of the present.
TEST(VarlenCausalConvWithState, TapsOfEveryToken) {
  const auto run = [](DType dtype, int group_size) {
    const auto as = [&](const Shape& shape, const std::vector<float>& values) {
      return Convert(Tensor::Of<float>(shape, values), dtype);
    };
    OpTest test("VarlenCausalConvWithState", 1, "com.microsoft");
    test.Outputs(2).Attr("delta_offset", 1).Attr("group_size", group_size);
    test.Input(as({3, 2}, {1, 10, 2, 20, 3, 30})).Input(as({2, 1, 2}, {100, 1, 0, 1}));
    test.Input(Tensor::Of<int32_t>({3}, {0, 1, 3})).NoInput().Input(as({2, 2, 1}, {4, 5, 6, 7}));
    test.NoInput().Input(as({3, 3, 1}, {9, 1, 2, 9, 3, 4, 9, 5, 6}));
    return test.Input(as({3, 1}, {1, 0.5f, 0}));
  };
  // (1 + 1) 1 + (100 + 2) 4, (1 + 1) 10 + 2 * 5, (1 + 3) 2 + (100 + 4) 6 / 2, ...
  ExpectOutputs(run(DType::kFloat, 2), {Tensor::Of<float>({3, 2}, {410, 30, 320, 94, 18, 180}),
                                        Tensor::Of<float>({2, 2, 1}, {1, 10, 3, 30})});
  ExpectError(run(DType::kFloat, 1).RunAll().status(), kInvalid, "input 6 is float[3,3,1]");
  ExpectError(run(DType::kFloat, 3).RunAll().status(), kInvalid, "whole groups of 3 channels");
  ExpectError(run(DType::kFloat, 2).Attr("delta_offset", 2).RunAll().status(), kInvalid,
              "lacks deltas 2 and 3");
  ExpectError(run(DType::kFloat, 2).Attr("activation", "silu").RunAll().status(), kInvalid,
              "kernel_delta goes with neither activation");
}

// (1 + 1 / 256) 256 - 256: 1 + 1 / 256 is no bfloat16.
TEST(VarlenCausalConvWithState, RoundsEveryStepOfTapsOfEveryToken) {
  const auto run = [](DType dtype) {
    const auto as = [&](const Shape& shape, const std::vector<float>& values) {
      return Convert(Tensor::Of<float>(shape, values), dtype);
    };
    OpTest test("VarlenCausalConvWithState", 1, "com.microsoft");
    test.Outputs(2).Input(as({1, 1}, {256})).Input(as({1, 1, 2}, {-1, 1}));
    test.Input(Tensor::Of<int32_t>({2}, {0, 1})).NoInput().Input(as({1, 1, 1}, {256})).NoInput();
    return test.Input(as({1, 2, 1}, {1.0f / 256, 0})).Input(as({1, 1}, {1})).Run();
  };
  ExpectTensor(run(DType::kFloat), Tensor::Of<float>({1, 1}, {1}));
  ExpectTensor(run(DType::kBfloat16), Convert(Tensor::Of<float>({1, 1}, {0}), DType::kBfloat16));
}

TEST(VarlenCausalConvWithState, RefusesWhatDoesNotFit) {
  const auto run = [](const std::vector<int32_t>& offsets, int capacity) {
    OpTest test = Varlen().Outputs(2).Attr("state_update_capacity", capacity);
    test.Input(Tensor::Of<int32_t>({static_cast<int64_t>(offsets.size())}, offsets)).NoInput();
    return test.Input(Iota({2, 2, 1})).Run().status();
  };
  ExpectError(run({0, 0, 3}, 0), kInvalid, "does not part the sequences of 3 tokens");
  ExpectError(run({0, 1, 4}, 0), kInvalid, "does not part");
  ExpectError(run({0, 3}, 0), kInvalid, "input 4 is float[2,2,1]");
  ExpectError(run({0, 1, 3}, 1), kInvalid, "capture_count");
  ExpectError(run({0, 1, 3}, 9), kInvalid, "is 9, not 0 to 8");
}

}  // namespace
}  // namespace onnxcmp::testing
