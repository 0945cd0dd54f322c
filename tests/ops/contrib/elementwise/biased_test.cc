// Operators that add a bias before something else. Expected values: the definitions in NumPy, in
// double; no processor kernel of onnxruntime has most of these.
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(BiasAdd, AddsAndRoundsOnce) {
  const Tensor x = Tensor::Of<float>({1, 2, 2}, {1, 2, 3, 4});
  const Tensor skip = AsStridedView(Tensor::Of<float>({1, 2, 2}, {10, 20, 30, 40}));
  ExpectTensor(Contrib("BiasAdd").Input(x).Input(Floats({0.5f, -0.5f})).Input(skip).Run(),
               Tensor::Of<float>({1, 2, 2}, {11.5f, 21.5f, 33.5f, 43.5f}));
  // 2048 + 1 is no float16, 2048 + 1 + 1 is.
  const auto half = [](float value) {
    return Convert(Tensor::Of<float>({1, 1, 1}, {value}), DType::kFloat16);
  };
  ExpectTensor(Contrib("BiasAdd")
                   .Input(half(2048))
                   .Input(Convert(Floats({1}), DType::kFloat16))
                   .Input(half(1))
                   .Run(),
               half(2050));
}

TEST(BiasAdd, BadInputs) {
  const auto run = [](const Shape& x, const Shape& bias, const Shape& skip) {
    return Contrib("BiasAdd").Input(Iota(x)).Input(Iota(bias)).Input(Iota(skip)).Run().status();
  };
  ExpectError(run({2, 2}, {2}, {2, 2}), kInvalid, "X has rank 2, not 3");
  ExpectError(run({1, 2, 2}, {1}, {1, 2, 2}), kInvalid, "the bias must be a vector");
  ExpectError(run({1, 2, 2}, {2}, {1, 1, 2}), kInvalid, "skip is [1x1x2], but X [1x2x2]");
}

TEST(BiasSplitGelu, Values) {
  const Tensor want = Tensor::Of<float>({1, 2, 2}, {-4.393114f, 0, 0.6020817f, 0.06080172f});
  const Tensor x = Pattern({1, 2, 4}, 3, 7, 4);
  const Tensor bias = Pattern({4}, 2, 5);
  ExpectTensor(Contrib("BiasSplitGelu").Input(AsStridedView(x)).Input(bias).Run(), want, 1e-6,
               1e-6);
  ExpectTensor(Contrib("BiasSplitGelu")
                   .Input(Convert(x, DType::kDouble))
                   .Input(Convert(bias, DType::kDouble))
                   .Run(),
               Convert(want, DType::kDouble), 1e-6, 1e-7);
}

TEST(BiasSplitGelu, OddWidth) {
  ExpectError(Contrib("BiasSplitGelu").Input(Iota({1, 1, 3})).Input(Iota({3})).Run().status(),
              kInvalid, "an even last dimension");
}

OpTest BiasSoftmax(int is_inner_broadcast, int axis, const Shape& bias) {
  OpTest test = Contrib("BiasSoftmax");
  test.Attr("axis", axis).Attr("is_inner_broadcast", is_inner_broadcast);
  test.Input(AsStridedView(Pattern({2, 2, 2}, 3, 7, 4)));
  test.Input(AsStridedView(Pattern(bias, 2, 5, 3)));
  return test;
}

TEST(BiasSoftmax, InnerRowsShareABias) {
  ExpectTensor(BiasSoftmax(1, -1, {2, 1, 2}).Run(),
               Tensor::Of<float>({2, 2, 2}, {0.05145187f, 0.9485481f, 0.7475738f, 0.2524262f,
                                             0.9834668f, 0.01653318f, 0.9834668f, 0.01653318f}),
               1e-6);
}

TEST(BiasSoftmax, OuterRowsShareABias) {
  ExpectTensor(BiasSoftmax(0, 2, {1, 2, 2}).Run(),
               Tensor::Of<float>({2, 2, 2}, {0.05145187f, 0.9485481f, 0.9834668f, 0.01653318f,
                                             0.7475738f, 0.2524262f, 0.9834668f, 0.01653318f}),
               1e-6);
}

TEST(BiasSoftmax, RowsOverSeveralAxes) {
  ExpectTensor(BiasSoftmax(0, 1, {1, 2, 2}).Run(),
               Tensor::Of<float>({2, 2, 2}, {0.00273956f, 0.05050554f, 0.931102f, 0.01565287f,
                                             0.1304241f, 0.04403905f, 0.8118881f, 0.01364875f}),
               2e-6);
}

TEST(BiasSoftmax, BadInputs) {
  ExpectError(BiasSoftmax(0, 2, {1, 3, 2}).Run().status(), kInvalid, "does not repeat over 4 rows");
  ExpectError(BiasSoftmax(0, 2, {1}).Run().status(), kInvalid, "does not repeat");
  ExpectError(BiasSoftmax(0, 4, {1, 2, 2}).Run().status(), kInvalid, "axis 4 is out of range");
}

TEST(FastGelu, BadInputs) {
  ExpectError(Contrib("FastGelu").Input(Iota({2, 3})).Input(Iota({1, 3})).Run().status(), kInvalid,
              "the bias must be a vector");
  ExpectError(Contrib("FastGelu").Input(Iota({})).Run().status(), kInvalid,
              "a rank of at least 1, not 0");
}

// NumPy's RandomState(7).uniform(size=6) is 0.08, 0.78, 0.44, 0.72, 0.98, 0.54.
TEST(BiasDropout, DropsTheBiasedData) {
  OpTest test = Contrib("BiasDropout");
  test.Attr("seed", 7).Outputs(2);
  test.Input(Pattern({2, 3}, 3, 7)).Input(Pattern({3}, 2, 5)).Input(Pattern({2, 3}, 4, 7));
  test.Input(Tensor::Of<float>({}, {0.5f})).Input(Bools({}, {1}));
  ExpectOutputs(test,
                {Tensor::Of<float>(
                     {2, 3}, {-0.4285714f, 0.1428571f, -0.2857143f, -0.8f, 0.4285714f, 0.6571428f}),
                 Bools({2, 3}, {0, 1, 0, 1, 1, 1})},
                1e-6, 1e-7);
}

TEST(BiasDropout, InferenceAdds) {
  const Tensor data = Tensor::Of<float>({1, 2}, {1, 2});
  for (const Tensor& bias : {Floats({10, 20}), Tensor::Of<float>({1, 2}, {10, 20})}) {
    OpTest test = Contrib("BiasDropout");
    test.Input(data).Input(bias).NoInput().Input(Floats({0.75f})).Outputs(2);
    ExpectOutputs(test, {Tensor::Of<float>({1, 2}, {11, 22}), Bools({1, 2}, {1, 1})});
  }
}

TEST(BiasDropout, BadInputs) {
  const Tensor data = Iota({2, 2});
  ExpectError(Contrib("BiasDropout").Input(data).Input(Iota({2, 1})).Run().status(), kInvalid,
              "the bias must be a vector");
  ExpectError(Contrib("BiasDropout").Input(data).Input(Iota({2})).Input(Iota({2})).Run().status(),
              kInvalid, "residual is float[2]");
  ExpectError(Contrib("BiasDropout")
                  .Input(data)
                  .Input(Iota({2}))
                  .NoInput()
                  .Input(Tensor::Of<float>({}, {1}))
                  .Input(Bools({}, {1}))
                  .Run()
                  .status(),
              kInvalid, "ratio 1 is not in [0, 1)");
}

// The mask of 40 elements that NumPy's RandomState(7) draws, as bits.
TEST(BitmaskDropout, PacksTheMask) {
  OpTest test = Contrib("BitmaskDropout");
  test.Attr("seed", 7).Outputs(2).Input(Tensor::Of<float>({4, 10}, std::vector<float>(40, 1)));
  test.NoInput().Input(Bools({}, {1}));
  std::vector<float> want;
  const uint32_t words[] = {0x1db48c7a, 0x58};
  for (int i = 0; i < 40; ++i) want.push_back(words[i / 32] >> (i % 32) & 1 ? 2.0f : 0.0f);
  ExpectOutputs(
      test, {Tensor::Of<float>({4, 10}, want), Tensor::Of<uint32_t>({2}, {words[0], words[1]})});
}

TEST(BitmaskDropout, Inference) {
  OpTest plain = Contrib("BitmaskDropout");
  plain.Input(Iota({3})).Outputs(2);
  ExpectOutputs(plain, {Iota({3}), Tensor::Of<uint32_t>({1}, {7})});
  OpTest empty = Contrib("BitmaskBiasDropout");
  empty.Input(Iota({0, 2})).Input(Iota({2})).Outputs(2);
  ExpectOutputs(empty, {Iota({0, 2}), Tensor::Of<uint32_t>({0}, {})});
}

}  // namespace
}  // namespace onnxcmp::testing
