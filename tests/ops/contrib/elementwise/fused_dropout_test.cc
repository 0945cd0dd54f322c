// Expected values: the definition in NumPy, in double; no processor kernel of onnxruntime has it.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

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
