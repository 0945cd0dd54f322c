#include <utility>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest CausalConv(Tensor x, Tensor w) {
  OpTest test("CausalConvWithState", 27);
  test.Outputs(2).Input(std::move(x)).Input(std::move(w));
  return test;
}

TEST(CausalConvWithStateTest, ContinuesFromAState) {
  OpTest test = CausalConv(Tensor::Of<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6}),
                           Tensor::Of<float>({2, 1, 2}, {1, 2, -1, 1}));
  test.Input(Floats({10, 0})).Input(Tensor::Of<float>({1, 2, 1}, {9, 1}));
  ExpectOutputs(test, {Tensor::Of<float>({1, 2, 3}, {21, 15, 18, 3, 1, 1}),
                       Tensor::Of<float>({1, 2, 1}, {3, 6})});
}

TEST(CausalConvWithStateTest, BeginsWithZerosAndActivates) {
  // x * sigmoid(x) of -1, 0.5 and 2.
  OpTest test = CausalConv(Convert(Tensor::Of<float>({1, 1, 3}, {-1, 0.5f, 2}), DType::kFloat16),
                           Convert(Tensor::Of<float>({1, 1, 3}, {0, 0, 1}), DType::kFloat16));
  ExpectOutputs(test.Attr("activation", "silu"),
                {Convert(Tensor::Of<float>({1, 1, 3}, {-0.26894142f, 0.31122967f, 1.76159416f}),
                         DType::kFloat16),
                 Convert(Tensor::Of<float>({1, 1, 2}, {0.5f, 2}), DType::kFloat16)});
}

TEST(CausalConvWithStateTest, TakesShortInputs) {
  ExpectOutputs(
      CausalConv(Tensor::Of<float>({1, 1, 1}, {2}), Tensor::Of<float>({1, 1, 3}, {7, 8, 9})),
      {Tensor::Of<float>({1, 1, 1}, {18}), Tensor::Of<float>({1, 1, 2}, {0, 2})});
  ExpectOutputs(CausalConv(Iota({1, 1, 0}), Tensor::Of<float>({1, 1, 1}, {7})),
                {Iota({1, 1, 0}), Iota({1, 1, 0})});
}

TEST(CausalConvWithStateTest, RefusesWhatDoesNotFit) {
  ExpectError(CausalConv(Iota({1, 1, 1}), Iota({2, 1, 1})).Run().status(), kInvalid,
              "are not (N, C, L)");
  ExpectError(CausalConv(Iota({1, 1, 1}), Iota({1, 1, 0})).Run().status(), kInvalid,
              "are not (N, C, L)");
  ExpectError(
      CausalConv(Iota({1, 1, 1}), Iota({1, 1, 1})).Attr("activation", "gelu").Run().status(),
      kInvalid, "is none of silu");
  ExpectError(CausalConv(Iota({1, 1, 1}), Iota({1, 1, 1})).Input(Floats({1, 2})).Run().status(),
              kInvalid, "does not fit 1 channels");
}

}  // namespace
}  // namespace onnxcmp::testing
