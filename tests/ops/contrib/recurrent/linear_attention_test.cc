// Expected values are written out, or those of a NumPy transcription of the documentation.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Linear(int q_heads, int kv_heads) {
  OpTest test("LinearAttention", 1, "com.microsoft");
  test.Attr("update_rule", "linear").Attr("scale", 1.0f);
  return test.Attr("q_num_heads", q_heads).Attr("kv_num_heads", kv_heads).Outputs(2);
}

Tensor Steps(int64_t size, const std::vector<float>& values) {
  return Tensor::Of<float>({1, static_cast<int64_t>(values.size()) / size, size}, values);
}

TEST(ContribLinearAttention, OneQueryServesSeveralHeadsOfValues) {
  OpTest test = Linear(1, 2);
  test.Input(Steps(1, {2, 3})).Input(Steps(2, {1, 2, 1, 2})).Input(Steps(2, {5, 7, 1, -1}));
  ExpectOutputs(test, {Steps(2, {10, 28, 18, 36}), Tensor::Of<float>({1, 2, 1, 1}, {6, 12})});
  // And one head of keys.
  OpTest shared = Linear(1, 2);
  shared.Input(Steps(1, {2, 3})).Input(Steps(1, {1, 2})).Input(Steps(2, {5, 7, 1, -1}));
  ExpectOutputs(shared, {Steps(2, {10, 14, 21, 15}), Tensor::Of<float>({1, 2, 1, 1}, {7, 5})});
}

TEST(ContribLinearAttention, KeepsAWindowOfStates) {
  const auto window = [](const std::vector<float>& states) {
    return Tensor::Of<float>({3, 1, 1, 1, 1}, states);
  };
  const auto run = [&](const std::vector<float>& steps) {
    const Tensor x = Tensor::Of<float>({1, static_cast<int64_t>(steps.size()), 1}, steps);
    OpTest test = Linear(1, 1).Attr("state_window", 3);
    return test.Input(x).Input(x).Input(x).Input(window({50, 60, 100}));
  };
  ExpectOutputs(run({1, 2, 3, 4}),
                {Tensor::Of<float>({1, 4, 1}, {101, 210, 342, 520}), window({105, 114, 130})});
  ExpectOutputs(run({1}), {Tensor::Of<float>({1, 1, 1}, {101}), window({0, 0, 101})});
  ExpectOutputs(run({}), {Iota({1, 0, 1}), window({0, 0, 0})});
  ExpectError(run({1}).Attr("state_window", 9).Run().status(), kInvalid, "state_window is 9");
  ExpectError(run({1}).Attr("state_window", 2).Run().status(), kInvalid, "past_state");
}

TEST(ContribLinearAttention, RefusesHeadsThatDoNotFit) {
  const auto run = [](int q_heads, int kv_heads, int64_t keys) {
    return Linear(q_heads, kv_heads)
        .Input(Iota({1, 1, q_heads}))
        .Input(Iota({1, 1, keys}))
        .Input(Iota({1, 1, kv_heads}))
        .Run()
        .status();
  };
  ExpectError(run(3, 2, 2), kInvalid, "cannot share");
  ExpectError(run(2, 4, 3), kInvalid, "key has shape");
  ExpectError(run(2, 4, 0), kInvalid, "key has shape");
}

}  // namespace
}  // namespace onnxcmp::testing
