// Expected values are the definition's, with the exponentials of NumPy.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/contrib/experts/three_experts.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(MoE, SumsTheBestExperts) {
  // Expert 0 makes 1 of the token, expert 1 -4.
  ExpectTensor(Experts("MoE").Attr("activation_type", "identity").Attr("k", 2).Run(),
               OneRow(kFirstExpert - 4 * kSecondExpert, 2 * (kFirstExpert - 4 * kSecondExpert)),
               1e-6);
  ExpectTensor(Experts("MoE").Attr("k", 2).Run(), OneRow(kFirstExpert, 2 * kFirstExpert), 1e-6);
  ExpectTensor(Experts("MoE").Attr("k", 2).Attr("normalize_routing_weights", 1).Run(),
               OneRow(0.268941421f, 2 * 0.268941421f), 1e-6);
}

TEST(MoE, ChoosesTheLastOfEqualExperts) {
  OpTest test("MoE", 1, "com.microsoft");
  test.Input(OneRow(1, 1)).Input(Tensor::Of<float>({1, 2}, {5, 5}));
  test.Input(Tensor::Of<float>({2, 1, 2}, {1, 0, 3, 0})).NoInput();
  ExpectTensor(test.Input(Tensor::Of<float>({2, 2, 1}, {1, 1, 1, 1})).Run(), OneRow(1.5f, 1.5f));
}

// One expert, g = 1.5 and l = -1 for the first inner element, g = -2 and l = 0.75 for the second.
TEST(MoE, SwiGluHasItsHalvesWhereFusionSays) {
  const auto run = [](int fusion, const std::vector<float>& rows) {
    OpTest test("MoE", 1, "com.microsoft");
    test.Attr("activation_type", "swiglu").Attr("swiglu_fusion", fusion);
    test.Attr("activation_alpha", 2.0f).Attr("activation_beta", 0.5f).Attr("swiglu_limit", 1.0f);
    test.Input(Tensor::Of<float>({1, 1, 2}, {1, 0})).Input(Tensor::Of<float>({1, 1}, {7}));
    std::vector<float> weights;
    for (const float row : rows) weights.insert(weights.end(), {row, 0});
    const auto layer = [&](size_t begin, size_t count) {
      const auto first = weights.begin() + static_cast<std::ptrdiff_t>(2 * begin);
      return Tensor::Of<float>(
          {1, static_cast<int64_t>(count), 2},
          std::vector<float>(first, first + static_cast<std::ptrdiff_t>(2 * count)));
    };
    test.Input(layer(0, fusion == 0 ? 2 : 4)).NoInput();
    test.Input(Tensor::Of<float>({1, 2, 2}, {1, 0, 0, 1})).NoInput();
    if (fusion == 0) test.Input(layer(2, 2));
    return test.Run();
  };
  const Tensor want = Tensor::Of<float>({1, 1, 2}, {-0.440398539f, -0.044965525f});
  ExpectTensor(run(1, {1.5f, -1, -2, 0.75f}), want, 1e-6);
  ExpectTensor(run(2, {1.5f, -2, -1, 0.75f}), want, 1e-6);
  ExpectTensor(run(0, {1.5f, -2, -1, 0.75f}), want, 1e-6);
}

// As above, g = 3 and 1, l = -4 and 1.5. Expected: NumPy's.
TEST(MoE, GatesOfOtherKinds) {
  const auto run = [](const char* activation, const std::vector<float>& rows, int after) {
    OpTest test("MoE", 1, "com.microsoft");
    test.Attr("activation_type", activation).Attr("swiglu_fusion", 1).Attr("swiglu_limit", 2.0f);
    test.Attr("swiglu_limit_after_activation", after);
    test.Input(OneRow(1, 0)).Input(Tensor::Of<float>({1, 1}, {7}));
    std::vector<float> weights;
    for (const float row : rows) weights.insert(weights.end(), {row, 0});
    test.Input(Tensor::Of<float>({1, 4, 2}, weights)).NoInput();
    return test.Input(Tensor::Of<float>({1, 2, 2}, {1, 0, 0, 1})).Run();
  };
  ExpectTensor(run("swiglu", {3, -4, 1, 1.5f}, 1), OneRow(-4, 1.09658787f), 1e-6);
  ExpectTensor(run("swiglu", {3, -4, 1, 1.5f}, 0), OneRow(-2 * 1.76159416f, 1.09658787f), 1e-6);
  ExpectTensor(run("geglu", {1.5f, -1, -2, 0.75f}, 0), OneRow(-1.39957158f, -0.0340517294f), 1e-5);
  ExpectTensor(Experts("MoE").Attr("activation_type", "relu2").Attr("k", 2).Run(),
               OneRow(kFirstExpert, 2 * kFirstExpert), 1e-6);
  ExpectError(run("geglu", {3, -4, 1, 1.5f}, 1).status(), kInvalid, "activation_type is \"geglu\"");
  ExpectError(Experts("MoE").Attr("activation_type", "geglu").Run().status(), kInvalid,
              "geglu needs swiglu_fusion 1 or 2");
}

TEST(MoE, AThirdLayerMultiplies) {
  OpTest test("MoE", 1, "com.microsoft");
  test.Input(OneRow(1, 2)).Input(Tensor::Of<float>({1, 1}, {0}));
  test.Input(Tensor::Of<float>({1, 1, 2}, {1, 1})).Input(Tensor::Of<float>({1, 1}, {1}));
  test.Input(Tensor::Of<float>({1, 2, 1}, {1, -1})).Input(OneRow(0.5f, 0));
  test.Input(Tensor::Of<float>({1, 1, 2}, {0, 1})).Input(Tensor::Of<float>({1, 1}, {3}));
  ExpectTensor(test.Run(), OneRow(20.5f, -20));  // (1 + 2 + 1) * (2 + 3)
}

TEST(MoE, NarrowFloatsAndNoTokens) {
  OpTest test("MoE", 1, "com.microsoft");
  const auto half = [](const Tensor& x) { return Convert(x, DType::kFloat16); };
  // 2049 is not a float16, but 2049 - 2047 is.
  test.Input(half(OneRow(2048, 1))).Input(half(Tensor::Of<float>({1, 1}, {0})));
  test.Input(half(Tensor::Of<float>({1, 1, 2}, {1, 1}))).NoInput();
  test.Input(half(Tensor::Of<float>({1, 2, 1}, {1, 0}))).Input(half(OneRow(-2047, 0)));
  ExpectTensor(test.Run(), half(OneRow(2, 0)));

  OpTest none("MoE", 1, "com.microsoft");
  none.Input(Iota({0, 2})).Input(Iota({0, 1})).Input(Iota({1, 1, 2})).NoInput();
  ExpectTensor(none.Input(Iota({1, 2, 1})).Run(), Iota({0, 2}));
}

TEST(MoE, RefusesWhatDoesNotFit) {
  const auto status = [](OpTest test) { return test.Run().status(); };
  ExpectError(status(Experts("MoE").Attr("activation_type", "mish")), kInvalid, "\"mish\"");
  ExpectError(status(Experts("MoE").Attr("k", 4)), kInvalid, "there are 3 experts");
  ExpectError(status(Experts("MoE").Attr("k", 0)), kInvalid, "k is 0");
  ExpectError(status(Experts("MoE").Attr("swiglu_fusion", 3)), kInvalid, "swiglu_fusion is 3");
  ExpectError(status(Experts("MoE").Attr("use_sparse_mixer", 1)), kInvalid, "needs k = 2");
  ExpectError(status(Experts("MoE").Attr("activation_type", "swiglu")), kInvalid, "needs fc3");
  ExpectError(status(Experts("MoE").Input(Iota({3, 4}))), kInvalid, "input 5");
  ExpectError(status(Experts("MoE").NoInput().Input(Iota({3, 1, 3}))), kInvalid, "input 6");
}

}  // namespace
}  // namespace onnxcmp::testing
