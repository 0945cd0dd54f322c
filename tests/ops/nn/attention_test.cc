#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are those of a NumPy transcription of the schema's text, in double.

Tensor Softcapped() {
  return Tensor::Of<float>({1, 2, 2, 3}, {-0.454507525f, -0.07220381f, -0.072621063f, -0.352514999f,
                                          0.098273551f, 0.039002143f, -0.456278936f, -0.096649283f,
                                          -0.077581013f, -0.322531845f, 0.088919975f, 0.06345357f});
}

// Two heads share one of keys and values; one key lies in the past.
OpTest Cached(DType dtype = DType::kFloat) {
  OpTest test("Attention", 23);
  test.Outputs(4).Attr("scale", 0.5f).Attr("softcap", 0.5f).Attr("is_causal", 1);
  for (const Tensor& input :
       {Pattern({1, 2, 2, 2}, 7, 11), Pattern({1, 1, 2, 2}, 5, 13), Pattern({1, 1, 2, 3}, 3, 17),
        Pattern({2, 3}, 3, 5), Pattern({1, 1, 1, 2}, 11, 19, 2), Pattern({1, 1, 1, 3}, 5, 7)}) {
    test.Input(Convert(input, dtype));
  }
  return test;
}

TEST(AttentionTest, SharesHeadsCapsAndLooksBack) {
  for (DType dtype : {DType::kFloat, DType::kDouble}) {
    ExpectOutputs(
        Cached(dtype),
        {Convert(Softcapped(), dtype),
         Convert(Tensor::Of<float>({1, 1, 3, 2}, {-0.947368443f, 0.210526317f, -0.461538464f,
                                                  -0.07692308f, 0.307692319f, -0.307692319f}),
                 dtype),
         Convert(Tensor::Of<float>({1, 1, 3, 3},
                                   {-0.428571433f, 0.285714298f, 0.0f, -0.470588237f, -0.294117659f,
                                    -0.117647059f, 0.05882353f, 0.235294119f, 0.411764711f}),
                 dtype)},
        1e-5, 1e-7);
  }
  ExpectOutputs(Cached(DType::kFloat16), {Convert(Softcapped(), DType::kFloat16)}, 2e-2, 1e-3);
}

TEST(AttentionTest, ShowsTheScoresAtEachStage) {
  const std::vector<Tensor> want = {
      Tensor::Of<float>({1, 2, 2, 3}, {0.234449773f, 0.097902101f, -0.097902104f, 0.133971298f,
                                       0.024475525f, -0.097902104f, -0.071770338f, -0.010489511f,
                                       0.05594406f, -0.172248813f, -0.083916087f, 0.05594406f}),
      Tensor::Of<float>({1, 2, 2, 3}, {0.21865487f, 0.09666983f, -0.096669833f, 0.130854691f,
                                       0.024455994f, -0.096669833f, -0.07128145f, -0.010487972f,
                                       0.055711769f, -0.165743378f, -0.083136958f, 0.055711769f}),
      Tensor::Of<float>({1, 2, 2, 3}, {-0.181345136f, 0.296669833f, -kInf, 0.530854697f,
                                       0.024455994f, -0.496669839f, -0.471281456f, 0.189512031f,
                                       -kInf, 0.234256628f, -0.083136958f, -0.344288237f}),
      Tensor::Of<float>({1, 2, 2, 3}, {0.382720971f, 0.617279029f, 0.0f, 0.51005995f, 0.30739377f,
                                       0.18254628f, 0.340561388f, 0.659438612f, 0.0f, 0.43691822f,
                                       0.318095754f, 0.244986026f})};
  for (size_t mode = 0; mode < want.size(); ++mode) {
    OpTest test = Cached();
    test.Attr("qk_matmul_output_mode", static_cast<int64_t>(mode));
    ExpectTensor(test.Run(3), want[mode], 1e-5, 1e-7);
  }
}

OpTest Joined(int opset, const Tensor& mask) {
  OpTest test("Attention", opset);
  test.Attr("q_num_heads", 2).Attr("kv_num_heads", 2);
  test.Input(AsStridedView(Pattern({1, 2, 4}, 7, 11))).Input(Pattern({1, 3, 4}, 5, 13));
  test.Input(Pattern({1, 3, 4}, 3, 17)).Input(mask);
  return test;
}

TEST(AttentionTest, TakesJoinedHeadsAndShortMasks) {
  const Tensor want =
      Tensor::Of<float>({1, 2, 4}, {-0.135955468f, 0.040515116f, -0.281718039f, -0.105247448f,
                                    -0.470588237f, -0.294117659f, -0.117647059f, 0.05882353f});
  ExpectTensor(Joined(24, Bools({2, 2}, {1, 1, 1, 0})).Run(), want, 1e-5, 1e-7);
  ExpectTensor(Joined(23, Bools({2, 3}, {1, 1, 0, 1, 0, 0})).Run(), want, 1e-5, 1e-7);
  EXPECT_FALSE(Joined(23, Bools({2, 2}, {1, 1, 1, 0})).Run().ok());
}

TEST(AttentionTest, LeavesPaddingOut) {
  OpTest test("Attention", 24);
  test.Input(Pattern({2, 1, 1, 2}, 7, 11)).Input(Pattern({2, 1, 3, 2}, 5, 13));
  test.Input(Pattern({2, 1, 3, 2}, 3, 17)).NoInput().NoInput().NoInput().Input(Ints({1, 2}));
  ExpectTensor(
      test.Run(),
      Tensor::Of<float>({2, 1, 1, 2}, {-0.470588237f, -0.294117659f, -0.239220228f, -0.062749637f}),
      1e-5, 1e-7);
}

TEST(AttentionTest, ARowWithoutKeysIsNaN) {
  OpTest test("Attention", 24);
  test.Input(Iota({1, 1, 1, 1})).Input(Iota({1, 1, 1, 1})).Input(Iota({1, 1, 1, 1}));
  ExpectTensor(test.Input(Bools({1}, {0})).Run(), Tensor::Of<float>({1, 1, 1, 1}, {kNaN}));
}

TEST(AttentionTest, TakesNoQueriesAndNoKeys) {
  OpTest queries("Attention", 23);
  queries.Input(Iota({1, 1, 0, 2})).Input(Iota({1, 1, 3, 2})).Input(Iota({1, 1, 3, 2}));
  ExpectTensor(queries.Run(), Iota({1, 1, 0, 2}));
  OpTest keys("Attention", 23);
  keys.Input(Iota({1, 1, 1, 2})).Input(Iota({1, 1, 0, 2})).Input(Iota({1, 1, 0, 2}));
  ExpectTensor(keys.Run(), Tensor::Of<float>({1, 1, 1, 2}, {0, 0}));
}

TEST(AttentionTest, RefusesWhatDoesNotFit) {
  OpTest heads("Attention", 23);
  heads.Input(Iota({1, 3, 1, 2})).Input(Iota({1, 2, 1, 2})).Input(Iota({1, 2, 1, 2}));
  ExpectError(heads.Run().status(), kInvalid, "cannot share 2 heads");
  OpTest joined("Attention", 23);
  joined.Input(Iota({1, 1, 4})).Input(Iota({1, 1, 4})).Input(Iota({1, 1, 4}));
  ExpectError(joined.Run().status(), kInvalid, "for 0 heads");
  OpTest mask("Attention", 23);
  mask.Input(Iota({1, 1, 1, 2})).Input(Iota({1, 1, 3, 2})).Input(Iota({1, 1, 3, 2}));
  EXPECT_FALSE(mask.Input(Iota({1, 4})).Run().ok());
  OpTest past("Attention", 23);
  past.Input(Iota({1, 1, 1, 2})).Input(Iota({1, 1, 1, 2})).Input(Iota({1, 1, 1, 2})).NoInput();
  ExpectError(past.Input(Iota({1, 1, 1, 2})).Run().status(), kInvalid, "come together");
}

}  // namespace
}  // namespace onnxcmp::testing
