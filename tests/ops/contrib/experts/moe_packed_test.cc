// The values of formats are tested by onnxruntime's results (tests/golden/contrib/GatherPacked);
// here weights are plain float16 (format 1) or blocks whose values are easily seen.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/contrib/block_quantized/packed_rows.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Two tokens (1, 0) and (0, 2), three experts with one inner element: gate takes element 0 plus e
// times element 1, up is 1, 2, 3 times the sum; down gives h and -h.
struct Mixture {
  Tensor scores = Tensor::Of<float>({2, 3}, {1, 3, 3, kNaN, -kInf, 0});
  Tensor mixing = Tensor::Of<float>({2, 3}, {8, 1, 3, 5, 2, 6});
  OpTest Test(bool with_mixing = true, const char* activation = "swiglu") const {
    OpTest test = Contrib("MoEPacked").Attr("activation_type", activation);
    test.Attr("gate_type", kF16).Attr("down_type", kF16).Attr("up_type", kF16);
    test.Input(Halves({2, 2}, {1, 0, 0, 2})).Input(scores);
    test.Input(HalfBytes({3, 1, 2}, {1, 0, 1, 1, 1, 2}))
        .Input(HalfBytes({3, 1, 2}, {1, 1, 2, 2, 3, 3}));
    test.Input(HalfBytes({3, 2, 1}, {1, -1, 1, -1, 1, -1}));
    return with_mixing ? test.Input(mixing) : test;
  }
};

constexpr float kSilu1 = 0.731058579f, kSilu4 = 3.92805516f, kSilu0 = 0;

TEST(MoEPacked, ChoosesByScoresAndMixesByWeights) {
  // The first of equal scores is chosen, NaN is the least: experts 1 and 2.
  const auto rows = [](float a, float b) { return Halves({2, 2}, {a, -a, b, -b}); };
  OpTest one = Mixture().Test().Attr("normalize_routing_weights", 0);
  ExpectTensor(one.Run(), rows(1 * 2 * kSilu1, 6 * 6 * kSilu4), 1e-3);
  OpTest two = Mixture().Test().Attr("k", 2).Attr("routed_scaling_factor", 2.0f);
  two.Attr("routing_epsilon", 1.0f);
  // Token 0: (1 * 2 + 3 * 3) / 5, token 1: expert 2 (6) and 1 (2).
  const float silu2 = 1.76159416f;
  ExpectTensor(two.Run(), rows(2 * 11 * kSilu1 / 5, 2 * (36 * kSilu4 + 8 * silu2) / 9), 1e-3);
  EXPECT_EQ(kSilu0, 0);
}

TEST(MoEPacked, SoftmaxWithoutWeights) {
  Mixture m;
  m.scores = Tensor::Of<float>({2, 3}, {0, 1, 0, 2, 0, 0});
  const float first = 0.576116885f, second = 0.786986082f;  // of the softmax
  ExpectTensor(m.Test(false).Attr("normalize_routing_weights", 0).Run(),
               Halves({2, 2}, {first * 2 * kSilu1, -first * 2 * kSilu1, 0, 0}), 1e-3);
  EXPECT_GT(second, first);
  ExpectTensor(m.Test(false).Run(), Halves({2, 2}, {2 * kSilu1, -2 * kSilu1, 0, 0}), 1e-3);
}

// All points of IQ2_XXS' index 0 are 8: d = 1, scale 0 make it 1.
TEST(MoEPacked, SquaredRelu) {
  std::vector<uint8_t> block(66, 0);
  block[1] = 0x3C;  // 1 in float16
  std::vector<uint8_t> weights;
  for (int row = 0; row < 256; ++row) weights.insert(weights.end(), block.begin(), block.end());
  const Tensor packed = Tensor::Of<uint8_t>({1, 256, 66}, weights);
  OpTest test = Contrib("MoEPacked").Attr("activation_type", "relu2");
  test.Attr("gate_type", kIq2Xxs).Attr("down_type", kIq2Xxs);
  std::vector<float> x(256, 0);
  x[3] = 0.5f;
  test.Input(Halves({1, 256}, x)).Input(Tensor::Of<float>({1, 1}, {0})).Input(packed).NoInput();
  ExpectTensor(test.Input(packed).Run(), Halves({1, 256}, std::vector<float>(256, 64)));
}

TEST(MoEPacked, RefusesWhatDoesNotFit) {
  const auto status = [](OpTest test) { return test.Run().status(); };
  const Mixture m;
  ExpectError(status(m.Test().Attr("k", 33)), kInvalid, "k is 33, not 1 to 32");
  ExpectError(status(m.Test(false).Attr("k", 17)), kInvalid, "not 1 to 16 without router_weights");
  ExpectError(status(m.Test().Attr("k", 4)), kInvalid, "router_probs is float[2,3], not (2 tokens");
  ExpectError(status(m.Test(false).Attr("routing_epsilon", 1.0f)), kInvalid, "need router_weights");
  ExpectError(status(m.Test(true, "relu2")), kInvalid, "relu2 needs weights of IQ2_XXS");
  ExpectError(status(m.Test(true, "relu")), kInvalid, "\"relu\"");
  ExpectError(status(m.Test().Attr("up_type", -1)), kUnimplemented, "up_type is -1");
  ExpectError(status(m.Test().Attr("gate_type", 0)), kInvalid,
              "gate_experts_weights is uint8[3,1,4], but must be [3x1x8] in F32");
}

}  // namespace
}  // namespace onnxcmp::testing
