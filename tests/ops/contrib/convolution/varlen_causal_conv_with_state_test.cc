#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

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
