// HyperConnectionLowRankMix of com.microsoft; its standard operators are in testdata/fusions.
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Two streams of one element, rank 1; a norm of one element is the sign times norm_scale.
OpTest Mix(DType dtype, const std::vector<float>& streams, const std::vector<float>& scale) {
  const auto as = [&](const Shape& shape, const std::vector<float>& values) {
    return Convert(Tensor::Of<float>(shape, values), dtype);
  };
  OpTest test = Contrib("HyperConnectionLowRankMix").Outputs(3).Attr("num_branches", 2);
  test.Attr("epsilon", 0.0f).Input(as({1, 2}, streams)).Input(as({2}, scale));
  test.Input(as({2, 1}, {1, 1})).Input(as({1, 2}, {0, 0})).Input(as({2, 2}, {1, 0, 0, 1}));
  return test;
}

TEST(HyperConnectionLowRankMix, WithoutAPrologue) {
  // hn = (2, -1), both gates 1 / 2; the injected logits are hn.
  OpTest test = Mix(DType::kFloat, {7, -3}, {2, 1}).Attr("reduction_scale", 3.0f);
  ExpectOutputs(
      test,
      {Tensor::Of<float>({1, 1}, {1.5f}), Tensor::Of<float>({1, 2}, {0.880797078f, 0.268941421f}),
       Tensor::Of<float>({1, 2}, {7, -3})},
      1e-6);
}

// 257 is no bfloat16: the streams are 256 after the prologue, and the sum of halves is rounded
// once.
TEST(HyperConnectionLowRankMix, RoundsTheStreams) {
  const auto bfloat = [](const Shape& shape, const std::vector<float>& values) {
    return Convert(Tensor::Of<float>(shape, values), DType::kBfloat16);
  };
  OpTest test = Mix(DType::kBfloat16, {256, 1}, {1, 1});
  test.Input(bfloat({1, 1}, {1})).Input(bfloat({1, 2}, {1, 2}));
  ExpectTensor(test.Run(2), bfloat({1, 2}, {256, 3}));
  ExpectTensor(test.Run(0), bfloat({1, 1}, {1}));
}

// Each of the streams, the product with silu_alpha and what the sigmoid scales shows in the result
// if it is not rounded. Expected: NumPy's, with ml_dtypes.
TEST(HyperConnectionLowRankMix, RoundsEveryStep) {
  const auto bfloat = [](const Shape& shape, const std::vector<float>& values) {
    return Convert(Tensor::Of<float>(shape, values), DType::kBfloat16);
  };
  OpTest test = Contrib("HyperConnectionLowRankMix").Outputs(2).Attr("num_branches", 1);
  test.Attr("epsilon", 0.0f).Attr("silu_alpha", 0.9f);
  test.Input(bfloat({1, 2}, {256, 1})).Input(bfloat({2}, {1, 75}));
  test.Input(bfloat({2, 1}, {2.3f, 2.3f})).Input(bfloat({1, 2}, {1.3f, -1.3f}));
  test.Input(bfloat({2, 1}, {0, 0})).Input(bfloat({1, 2}, {1, 0})).Input(bfloat({1, 1}, {1}));
  ExpectTensor(test.Run(), bfloat({1, 2}, {1.40625f, 0.00357056f}));
}

TEST(HyperConnectionLowRankMix, NoRows) {
  OpTest test = Contrib("HyperConnectionLowRankMix").Outputs(2).Attr("num_branches", 2);
  test.Input(Iota({0, 4})).Input(Iota({4})).Input(Iota({4, 3})).Input(Iota({3, 4}));
  ExpectOutputs(test.Input(Iota({4, 2})), {Iota({0, 2}), Iota({0, 2})});
}

TEST(HyperConnectionLowRankMix, RefusesWhatDoesNotFit) {
  const auto status = [](OpTest test) { return test.RunAll().status(); };
  const auto mix = [] { return Mix(DType::kFloat, {7, -3}, {2, 1}); };
  ExpectError(status(mix().Attr("gate_div", 0.0f)), kInvalid, "gate_div 0");
  ExpectError(status(Contrib("HyperConnectionLowRankMix")
                         .Outputs(2)
                         .Attr("num_branches", 3)
                         .Input(Iota({1, 4}))
                         .Input(Iota({4}))
                         .Input(Iota({4, 1}))
                         .Input(Iota({1, 4}))
                         .Input(Iota({4, 3}))),
              kInvalid, "float[1,4] does not hold branches with num_branches 3");
  ExpectError(status(Contrib("HyperConnectionLowRankMix")
                         .Outputs(2)
                         .Attr("num_branches", 2)
                         .Input(Iota({5, 0}))
                         .Input(Iota({0}))
                         .Input(Iota({0, 1}))
                         .Input(Iota({1, 0}))
                         .Input(Iota({0, 2}))),
              kInvalid, "without an element for each of 2 branches");
  ExpectError(status(mix().Input(Iota({1, 1}))), kInvalid, "come together");
  ExpectError(status(mix().Input(Iota({1, 1})).Input(Iota({1, 3}))), kInvalid,
              "prev_post_gate has shape [1x3], not [1x2]");
}

}  // namespace
}  // namespace onnxcmp::testing
