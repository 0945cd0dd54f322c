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

// Two keys of one head of size 1.
Tensor TwoKeys(const std::vector<float>& values) { return Tensor::Of<float>({1, 1, 2, 1}, values); }

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

// ONNX 1.23's text: zero in Y and in mode 3, decided by what is added to the scores alone, so that
// an infinite score does not make it NaN.
TEST(AttentionTest, ARowThatIsMaskedThroughoutIsZero) {
  const auto masked = [](float query, const Tensor& mask, float key = kInf) {
    OpTest test("Attention", 24);
    test.Outputs(4).Attr("qk_matmul_output_mode", 3).Attr("scale", 1.0f);
    test.Input(Tensor::Of<float>({1, 1, 1, 1}, {query})).Input(TwoKeys({1, key}));
    return test.Input(TwoKeys({5, 7})).Input(mask);
  };
  const Tensor zero = Tensor::Of<float>({1, 1, 1, 1}, {0});
  for (const Tensor& mask : {Bools({1, 2}, {0, 0}), Tensor::Of<float>({1, 2}, {-kInf, -kInf})}) {
    ExpectTensor(masked(1, mask).Run(), zero);
    ExpectTensor(masked(1, mask).Run(3), Tensor::Of<float>({1, 1, 1, 2}, {0, 0}));
  }
  // A mask that ends early leaves the other keys out.
  ExpectTensor(masked(1, Bools({1, 1}, {0})).Run(), zero);
  ExpectTensor(masked(1, Bools({1, 1}, {1}), 2).Run(), Tensor::Of<float>({1, 1, 1, 1}, {5}));
  // Not masked: scores of -inf are what they are.
  ExpectTensor(masked(-kInf, Bools({1, 2}, {1, 1})).Run(), Tensor::Of<float>({1, 1, 1, 1}, {kNaN}));
}

// One head; all scores are equal, so that Y is the mean of the keys that a query sees: 0 to keys-1.
OpTest Means(int opset, int64_t batch, int64_t queries, int64_t keys) {
  OpTest test("Attention", opset);
  std::vector<float> values;
  for (int64_t i = 0; i < batch * keys; ++i) values.push_back(static_cast<float>(i % keys));
  const Tensor zeros = Tensor::Of<float>({batch, 1, queries, 1},
                                         std::vector<float>(static_cast<size_t>(batch * queries)));
  test.Input(zeros).Input(Tensor::Of<float>({batch, 1, keys, 1}, values));
  return test.Input(Tensor::Of<float>({batch, 1, keys, 1}, values));
}

// ONNX 1.23's text: query i sees key j if j <= i + nonpad_kv_seqlen - queries.
TEST(AttentionTest, CausalityIsAlignedToTheLastKeyInUse) {
  OpTest test = Means(24, 3, 2, 4);
  test.Attr("is_causal", 1).NoInput().NoInput().NoInput().Input(Ints({2, 4, 1}));
  ExpectTensor(test.Run(), Tensor::Of<float>({3, 1, 2, 1}, {0, 0.5f, 1, 1.5f, 0, 0}));
  OpTest huge = Means(24, 3, 2, 4);
  huge.Attr("is_causal", 1).NoInput().NoInput().NoInput().Input(Ints({INT64_MAX, INT64_MIN, 0}));
  ExpectTensor(huge.Run(), Tensor::Of<float>({3, 1, 2, 1}, {1.5f, 1.5f, 0, 0, 0, 0}));
}

TEST(AttentionTest, WindowsBoundWhatAQuerySees) {
  ONNXCMP_NEEDS_OPSET(28);  // ONNX 1.23 brought version 25
  const auto windows = [](int64_t left, int64_t right, bool causal) {
    OpTest test = Means(25, 1, 4, 6);
    return test.Attr("left_window_size", left)
        .Attr("right_window_size", right)
        .Attr("is_causal", causal);
  };
  const auto rows = [](std::vector<float> values) {
    return Tensor::Of<float>({1, 1, 4, 1}, values);
  };
  // The picture in the text: q0 sees k0 and k1, q3 sees k1 to k4.
  ExpectTensor(windows(2, 1, false).Run(), rows({0.5f, 1, 1.5f, 2.5f}));
  ExpectTensor(windows(2, 1, true).Run(), rows({0, 0.5f, 1, 2}));
  ExpectTensor(windows(-1, 0, false).Run(), rows({0, 0.5f, 1, 1.5f}));
  ExpectTensor(windows(0, -1, false).Run(), rows({2.5f, 3, 3.5f, 4}));
  ExpectTensor(windows(INT64_MAX, INT64_MAX, false).Run(), rows({2.5f, 2.5f, 2.5f, 2.5f}));
  OpTest padded = Means(25, 1, 4, 6);
  padded.Attr("left_window_size", 1).Attr("right_window_size", 0);
  padded.NoInput().NoInput().NoInput().Input(Ints({5}));
  ExpectTensor(padded.Run(), rows({0.5f, 1.5f, 2.5f, 3.5f}));
  ExpectError(windows(-2, 0, false).Run().status(), kInvalid, "must be -1 or not negative");
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
