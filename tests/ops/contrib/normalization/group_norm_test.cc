#include <gtest/gtest.h>

#include "tests/support/op_test.h"

// Expected values: the definition in NumPy, in double. No processor kernel of onnxruntime has
// these.
namespace onnxcmp::testing {
namespace {

OpTest GroupNorm(const char* name, int activation, int channels_last) {
  OpTest test(name, 1, "com.microsoft");
  test.Attr("groups", 2).Attr("epsilon", 0.25f).Attr("activation", activation);
  test.Attr("channels_last", channels_last);
  return test;
}

Tensor Gamma() { return Pattern({4}, 3, 5); }
Tensor Beta() { return Pattern({4}, 2, 5); }

TEST(GroupNorm, ChannelsLast) {
  OpTest test = GroupNorm("GroupNorm", 0, 1);
  test.Input(AsStridedView(Pattern({1, 2, 1, 4}, 3, 7))).Input(Gamma()).Input(Beta());
  ExpectTensor(
      test.Run(),
      Tensor::Of<float>({1, 2, 1, 4}, {-0.1745593f, 0.03757346f, 0.255537f, -0.2963087f,
                                       -0.6755387f, -0.06262243f, 0.3518457f, -0.4889261f}),
      1e-5, 1e-6);
}

TEST(GroupNorm, Silu) {
  OpTest last = GroupNorm("GroupNorm", 1, 1);
  last.Input(Pattern({1, 2, 1, 4}, 3, 7)).Input(Gamma()).Input(Beta());
  ExpectTensor(
      last.Run(),
      Tensor::Of<float>({1, 2, 1, 4}, {-0.07968118f, 0.01913963f, 0.144005f, -0.1263638f,
                                       -0.2278307f, -0.03033114f, 0.2065563f, -0.1858636f}),
      1e-5, 1e-6);
  OpTest first = GroupNorm("GroupNorm", 1, 0);
  first.Input(Convert(Pattern({1, 4, 2, 1}, 3, 7), DType::kDouble));
  first.Input(Convert(Gamma(), DType::kDouble)).Input(Convert(Beta(), DType::kDouble));
  ExpectTensor(first.Run(),
               Tensor::Of<double>({1, 4, 2, 1}, {-0.06196238, -0.1678052, 0.08519261, -0.01789164,
                                                 0.1575023, 0.2920348, -0.02546169, -0.1741312}),
               1e-6);
}

TEST(SkipGroupNorm, AddsBeforeItNormalizes) {
  for (const Shape& skip : {Shape{1, 4}, Shape{1, 1, 1, 4}}) {
    OpTest test = GroupNorm("SkipGroupNorm", 1, 1);
    test.Input(Pattern({1, 2, 1, 4}, 3, 7)).Input(Gamma()).Input(Beta());
    test.Input(Pattern(skip, 5, 7)).Input(Pattern({4}, 4, 5)).Outputs(2);
    ExpectOutputs(
        test,
        {Tensor::Of<float>({1, 2, 1, 4}, {0.03595085f, 0.1028731f, 0.121379f, -0.1629752f,
                                          -0.1062137f, 0.06692007f, 0.1697205f, -0.2041024f}),
         Tensor::Of<float>({1, 2, 1, 4}, {-1.257143f, 0.6857143f, 0.6285714f, -0.4285714f,
                                          -0.5428571f, 0.4f, 0.3428572f, -0.7142857f})},
        1e-5, 1e-6);
  }
}

TEST(SkipGroupNorm, NoBiasAndFullSkip) {
  OpTest test = GroupNorm("SkipGroupNorm", 0, 1);
  test.Input(Pattern({1, 2, 1, 4}, 3, 7)).Input(Gamma()).Input(Beta());
  test.Input(AsStridedView(Tensor::Of<float>(
      {1, 2, 1, 4}, {-3 / 7.0f, 2 / 7.0f, 0, -2 / 7.0f, -3 / 7.0f, 2 / 7.0f, 0, -2 / 7.0f})));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({1, 2, 1, 4}, {0.01523236f, 0.1420532f, 0.2304003f, -0.3695997f,
                                                -0.4218543f, 0.05463584f, 0.3152002f, -0.5391993f}),
               1e-5, 1e-6);
}

TEST(SkipGroupNorm, ChannelsFirst) {
  OpTest test = GroupNorm("SkipGroupNorm", 0, 0);
  test.Input(Pattern({1, 4, 2, 1}, 3, 7)).Input(Gamma()).Input(Beta());
  test.Input(Pattern({1, 4, 1, 1}, 5, 7)).Input(Pattern({4}, 4, 5)).Outputs(2);
  ExpectOutputs(
      test,
      {Tensor::Of<float>({1, 4, 2, 1}, {0.02179887f, -0.1353933f, 0.2239988f, 0.119204f, 0.2170885f,
                                        0.3912899f, -0.2174201f, -0.565823f}),
       Tensor::Of<float>({1, 4, 2, 1}, {-1.257143f, -0.8285714f, 1.114286f, 0.5428572f, 0.4857143f,
                                        -0.0857143f, -0.1428571f, -0.7142857f})},
      1e-5, 1e-6);
}

// 2049 is not a float16; the group's mean is that of 2047 and 2049.
TEST(SkipGroupNorm, SumIsNormalizedUnrounded) {
  OpTest test("SkipGroupNorm", 1, "com.microsoft");
  test.Attr("groups", 1).Attr("epsilon", 0.0f).Attr("activation", 0).Outputs(2);
  test.Input(Convert(Tensor::Of<float>({1, 1, 1, 2}, {2048, 2048}), DType::kFloat16));
  test.Input(Floats({1, 1})).Input(Floats({0, 0}));
  test.Input(Convert(Tensor::Of<float>({1, 2}, {-1, 1}), DType::kFloat16));
  ExpectOutputs(test, {Convert(Tensor::Of<float>({1, 1, 1, 2}, {-1, 1}), DType::kFloat16),
                       Convert(Tensor::Of<float>({1, 1, 1, 2}, {2047, 2048}), DType::kFloat16)});
}

TEST(GroupNorm, BadInputs) {
  OpTest activation = GroupNorm("GroupNorm", 2, 1);
  activation.Input(Iota({1, 2, 1, 4})).Input(Gamma()).Input(Beta());
  ExpectError(activation.Run().status(), kInvalid, "activation must be 0 (none) or 1 (SiLU)");
  OpTest rank = GroupNorm("GroupNorm", 0, 1);
  rank.Input(Iota({1, 2, 4})).Input(Gamma()).Input(Beta());
  ExpectError(rank.Run().status(), kInvalid, "X has rank 3, not 4");
  OpTest groups = GroupNorm("GroupNorm", 0, 1);
  groups.Input(Iota({1, 2, 1, 3})).Input(Floats({1, 1, 1})).Input(Floats({1, 1, 1}));
  ExpectError(groups.Run().status(), kInvalid, "3 channels cannot be cut into 2 groups");
  OpTest skip = GroupNorm("SkipGroupNorm", 0, 1);
  skip.Input(Iota({1, 2, 1, 4})).Input(Gamma()).Input(Beta()).Input(Iota({1, 2}));
  ExpectError(skip.Run().status(), kInvalid, "does not fit to X");
  OpTest bias = GroupNorm("SkipGroupNorm", 0, 1);
  bias.Input(Iota({1, 2, 1, 4})).Input(Gamma()).Input(Beta()).Input(Iota({1, 4})).Input(Iota({3}));
  ExpectError(bias.Run().status(), kInvalid, "there are 4 channels");
}

}  // namespace
}  // namespace onnxcmp::testing
