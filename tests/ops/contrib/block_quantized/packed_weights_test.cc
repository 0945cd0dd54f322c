// GatherPacked, MatMulPacked and MoEPacked of com.microsoft. What formats hold is tested by
// onnxruntime's values (tests/golden/contrib/GatherPacked); here weights are plain float16 (format
// 1) or blocks whose values are easily seen.
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr int kF16 = 1, kQ8 = 8, kIq2Xxs = 16;

// The bytes of float16 numbers.
Tensor Bytes(Shape shape, const std::vector<float>& values) {
  const Tensor halves = Convert(Floats(values), DType::kFloat16);
  const auto* raw = reinterpret_cast<const uint8_t*>(halves.raw_data());
  const std::vector<uint8_t> bytes(raw, raw + 2 * values.size());
  shape.back() *= 2;
  return Tensor::Of<uint8_t>(shape, bytes);
}
Tensor Half(const Shape& shape, const std::vector<float>& values) {
  return Convert(Tensor::Of<float>(shape, values), DType::kFloat16);
}

OpTest Gather(int type, int64_t columns, const Tensor& data) {
  OpTest test = Contrib("GatherPacked").Attr("K", columns).Attr("packed_type", type);
  return test.Attr("output_dtype", 1).Input(data).Input(Ints({1, -1, 5}));
}

TEST(GatherPacked, IndicesOutOfRangeNameTheFirstRow) {
  ExpectTensor(Gather(kF16, 2, Bytes({2, 2}, {1, 2, 3, 4})).Run(),
               Tensor::Of<float>({3, 2}, {3, 4, 1, 2, 1, 2}));
}

TEST(GatherPacked, RefusesWhatDoesNotFit) {
  const auto status = [](OpTest test) { return test.Run().status(); };
  ExpectError(status(Gather(kQ8, 33, Iota({1, 1}))), kInvalid, "");
  ExpectError(status(Gather(kQ8, 33, Bytes({1, 2}, {0, 0}))), kInvalid,
              "rows of 33 elements, which are not whole blocks of 32, as Q8_0 has");
  ExpectError(status(Gather(kF16, 3, Bytes({2, 2}, {1, 2, 3, 4}))), kInvalid,
              "data is uint8[2,4], but must be [2x6] in F16");
  ExpectError(status(Gather(40, 64, Bytes({1, 18}, std::vector<float>(18)))), kUnimplemented,
              "packed_type is 40, and the layouts that are known are those of 0 (F32), 1 (F16)");
  ExpectError(status(Gather(kF16, 0, Bytes({1, 0}, {}))), kInvalid, "K is 0");
  ExpectError(status(Gather(kF16, 1, Bytes({0, 1}, {}))), kInvalid, "data has no row");
  ExpectError(status(Gather(kF16, 1, Bytes({1, 1}, {1})).Attr("output_dtype", 7)), kInvalid,
              "output_dtype is 7");
}

OpTest Product(const Tensor& a, const Tensor& b, int64_t k, int64_t n) {
  OpTest test = Contrib("MatMulPacked").Attr("packed_type", kF16).Attr("K", k).Attr("N", n);
  return test.Input(a).Input(b);
}

TEST(MatMulPacked, MultipliesByRows) {
  const Tensor b = Bytes({2, 2}, {1, 2, -3, 0.5f});
  ExpectTensor(Product(Half({1, 2, 2}, {1, 1, 2, 4}), b, 2, 2).Run(),
               Half({1, 2, 2}, {3, -2.5f, 10, -4}));
  ExpectTensor(Product(Half({2}, {1, 1}), b, 2, 2).Attr("activation_type", "relu2").Run(),
               Half({2}, {9, 0}));
  ExpectTensor(Product(Half({2}, {1, 1}), b, 2, 2).Attr("activation_type", "relu_squared").Run(),
               Half({2}, {9, 0}));
  ExpectTensor(
      Product(Half({1}, {1}), Bytes({1, 1}, {2}), 1, 1).Attr("activation_type", "silu").Run(),
      Half({1}, {1.76171875f}));
  ExpectTensor(Product(Half({0, 2}, {}), b, 2, 2).Run(), Half({0, 2}, {}));
}

// 257 is no bfloat16: as a weight it is 256, as a sum of float16 257 before relu2.
TEST(MatMulPacked, RoundsWeightsAndSums) {
  const auto bfloat = [](const std::vector<float>& x) {
    return Convert(Floats(x), DType::kBfloat16);
  };
  ExpectTensor(Product(bfloat({3}), Bytes({1, 1}, {257}), 1, 1).Run(), bfloat({768}));
  ExpectTensor(
      Product(bfloat({1, 1}), Bytes({1, 2}, {256, 1}), 2, 1).Attr("activation_type", "relu2").Run(),
      bfloat({65536}));
}

TEST(MatMulPacked, RefusesWhatDoesNotFit) {
  const Tensor b = Bytes({2, 2}, {1, 2, 3, 4});
  const auto status = [](OpTest test) { return test.Run().status(); };
  ExpectError(status(Product(Half({3}, {1, 1, 1}), b, 2, 2)), kInvalid,
              "A is float16[3], but K is 2");
  ExpectError(status(Product(Half({2}, {1, 1}), b, 2, 3)), kInvalid, "B is uint8[2,4]");
  ExpectError(status(Product(Half({2}, {1, 1}), b, 2, 2).Attr("activation_type", "gelu")), kInvalid,
              "\"gelu\"");
  ExpectError(status(Product(Half({2}, {1, 1}), b, 2, 2).Input(Tensor::Scalar<float>(2))),
              kUnimplemented, "global_scale is for NVFP4, but the format is F16");
}

// Two tokens (1, 0) and (0, 2), three experts with one inner element: gate takes element 0 plus e
// times element 1, up is 1, 2, 3 times the sum; down gives h and -h.
struct Mixture {
  Tensor scores = Tensor::Of<float>({2, 3}, {1, 3, 3, kNaN, -kInf, 0});
  Tensor mixing = Tensor::Of<float>({2, 3}, {8, 1, 3, 5, 2, 6});
  OpTest Test(bool with_mixing = true, const char* activation = "swiglu") const {
    OpTest test = Contrib("MoEPacked").Attr("activation_type", activation);
    test.Attr("gate_type", kF16).Attr("down_type", kF16).Attr("up_type", kF16);
    test.Input(Half({2, 2}, {1, 0, 0, 2})).Input(scores);
    test.Input(Bytes({3, 1, 2}, {1, 0, 1, 1, 1, 2})).Input(Bytes({3, 1, 2}, {1, 1, 2, 2, 3, 3}));
    test.Input(Bytes({3, 2, 1}, {1, -1, 1, -1, 1, -1}));
    return with_mixing ? test.Input(mixing) : test;
  }
};
constexpr float kSilu1 = 0.731058579f, kSilu4 = 3.92805516f, kSilu0 = 0;

TEST(MoEPacked, ChoosesByScoresAndMixesByWeights) {
  // Of equal scores the first is chosen, NaN is the least: experts 1 and 2.
  const auto rows = [](float a, float b) { return Half({2, 2}, {a, -a, b, -b}); };
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
               Half({2, 2}, {first * 2 * kSilu1, -first * 2 * kSilu1, 0, 0}), 1e-3);
  EXPECT_GT(second, first);
  ExpectTensor(m.Test(false).Run(), Half({2, 2}, {2 * kSilu1, -2 * kSilu1, 0, 0}), 1e-3);
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
  test.Input(Half({1, 256}, x)).Input(Tensor::Of<float>({1, 1}, {0})).Input(packed).NoInput();
  ExpectTensor(test.Input(packed).Run(), Half({1, 256}, std::vector<float>(256, 64)));
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
