#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Two steps, two sequences, two inputs, two hidden units. Expected values are onnxruntime 1.31's.
OpTest Rnn(int64_t directions, int opset = 14, DType dtype = DType::kFloat) {
  OpTest test("RNN", opset);
  test.Outputs(2).Attr("hidden_size", 2);
  for (const Tensor& input :
       {Pattern({2, 2, 2}, 7, 11), Pattern({directions, 2, 2}, 5, 13),
        Pattern({directions, 2, 2}, 3, 17), Pattern({directions, 4}, 11, 19)}) {
    test.Input(Convert(input, dtype));
  }
  return test;
}

std::vector<Tensor> Forward() {
  return {Tensor::Of<float>({2, 1, 2, 2}, {-0.5325296f, 0.17092264f, -0.6294608f, 0.17092264f,
                                           -0.5442129f, 0.50277567f, -0.6115291f, 0.5112479f}),
          Tensor::Of<float>({1, 2, 2}, {-0.5442129f, 0.50277567f, -0.6115291f, 0.5112479f})};
}

TEST(RNNTest, EveryVersion) {
  for (int opset : {1, 7, 14, 22}) ExpectOutputs(Rnn(1, opset), Forward(), 2e-6);
  const std::vector<Tensor> want = Forward();
  ExpectOutputs(Rnn(1, 14, DType::kDouble),
                {Convert(want[0], DType::kDouble), Convert(want[1], DType::kDouble)}, 2e-6);
  ExpectOutputs(Rnn(1, 14, DType::kFloat16),
                {Convert(want[0], DType::kFloat16), Convert(want[1], DType::kFloat16)}, 2e-3);
}

TEST(RNNTest, BothDirectionsWithActivationsAndClip) {
  OpTest test = Rnn(2);
  test.Attr("direction", "bidirectional").Attr("clip", 0.25f);
  test.Attr("activations", std::vector<std::string>{"Relu", "Sigmoid"});
  ExpectOutputs(
      test,
      {Tensor::Of<float>({2, 2, 2, 2}, {0.0f, 0.17261687f, 0.0f, 0.17261687f, 0.5478633f,
                                        0.45474508f, 0.5621765f, 0.4566053f, 0.0f, 0.25f, 0.0f,
                                        0.25f, 0.4378235f, 0.48077872f, 0.4675649f, 0.48601764f}),
       Tensor::Of<float>(
           {2, 2, 2}, {0.0f, 0.25f, 0.0f, 0.25f, 0.5478633f, 0.45474508f, 0.5621765f, 0.4566053f})},
      2e-6, 1e-7);
}

// By the formula, in NumPy: one sequence, one input, one hidden unit.
TEST(RNNTest, ReverseFromAnInitialState) {
  OpTest test("RNN", 14);
  test.Outputs(2).Attr("hidden_size", 1).Attr("direction", "reverse");
  test.Input(Tensor::Of<double>({3, 1, 1}, {1, 2, -1})).Input(Tensor::Of<double>({1, 1, 1}, {-1}));
  test.Input(Tensor::Of<double>({1, 1, 1}, {0.5})).Input(Tensor::Of<double>({1, 2}, {-0.5, 0.25}));
  ExpectOutputs(test,
                {Tensor::Of<double>({3, 1, 1, 1},
                                    {-0.938992619842212, -0.9589290060201029, 0.6351489523872873}),
                 Tensor::Of<double>({1, 1, 1}, {-0.938992619842212})},
                1e-14);
}

TEST(RNNTest, RefusesWrongShapes) {
  OpTest test("RNN", 14);
  test.Outputs(2).Input(Iota({1, 1, 1})).Input(Iota({1, 2, 1})).Input(Iota({1, 1, 1}));
  ExpectError(test.Run().status(), kInvalid, "W has shape");
}

}  // namespace
}  // namespace onnxcmp::testing
