// Expected values are onnxruntime 1.31's, or the formula's on numbers that make it exact.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(FusedMatMul, TransposesAndScales) {
  const Tensor a = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectTensor(Contrib("FusedMatMul").Attr("transB", 1).Attr("alpha", 0.5f).Input(a).Input(a).Run(),
               Tensor::Of<float>({2, 2}, {7, 16, 16, 38.5f}));
  ExpectTensor(Contrib("FusedMatMul").Attr("transA", 1).Input(a).Input(a).Run(),
               Tensor::Of<float>({3, 3}, {17, 22, 27, 22, 29, 36, 27, 36, 45}));
  // A vector is not transposed.
  const Tensor v = Tensor::Of<float>({3}, {1, 1, 1});
  ExpectTensor(Contrib("FusedMatMul").Attr("transB", 1).Input(a).Input(v).Run(),
               Tensor::Of<float>({2}, {6, 15}));
}

TEST(FusedMatMul, MovesTheFirstAxisBeforeTheLast) {
  // A is (rows, batch, columns) here.
  const Tensor a = Tensor::Of<float>({3, 2, 1}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Tensor::Of<float>({2, 1, 1}, {1, 10});
  ExpectTensor(Contrib("FusedMatMul").Attr("transBatchA", 1).Input(a).Input(b).Run(),
               Tensor::Of<float>({2, 3, 1}, {1, 3, 5, 20, 40, 60}));
  // B is (columns, batch, rows).
  ExpectTensor(
      Contrib("FusedMatMul").Attr("transBatchB", 1).Attr("transB", 1).Input(b).Input(a).Run(),
      Tensor::Of<float>({2, 1, 3}, {1, 3, 5, 20, 40, 60}));
}

TEST(FusedMatMul, BatchesNeedThreeAxes) {
  ExpectError(Contrib("FusedMatMul")
                  .Attr("transBatchA", 1)
                  .Input(Iota({2, 2}))
                  .Input(Iota({2, 2}))
                  .Run()
                  .status(),
              kInvalid, "need batches");
}

TEST(TransposeMatMul, IsAnOlderFusedMatMul) {
  const Tensor a = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectTensor(
      Contrib("TransposeMatMul").Attr("transB", 1).Attr("alpha", 0.5f).Input(a).Input(a).Run(),
      Tensor::Of<float>({2, 2}, {7, 16, 16, 38.5f}));
}

TEST(FusedMatMulActivation, EndsInSoftmaxOrAnActivation) {
  const auto run = [](const char* activation) {
    OpTest test = Contrib("FusedMatMulActivation").Attr("activation", activation);
    test.Input(Tensor::Of<float>({1, 1}, {-1})).Input(Tensor::Of<float>({1, 2}, {-1, -3}));
    return test.Attr("alpha", -1.0f);
  };
  const Tensor rows = Tensor::Of<float>({1, 2}, {-1, -3});
  ExpectTensor(run("Relu").Run(), Tensor::Of<float>({1, 2}, {0, 0}));
  ExpectTensor(run("LeakyRelu").Attr("activation_alpha", 0.5f).Run(),
               Tensor::Of<float>({1, 2}, {-0.5f, -1.5f}));
  ExpectTensor(run("Softmax").Run(), Tensor::Of<float>({1, 2}, {0.880797078f, 0.119202922f}), 1e-6);
  ExpectTensor(run("Softmax").Attr("activation_axis", 0).Run(), Tensor::Of<float>({1, 2}, {1, 1}));
  ExpectError(run("Softmax").Attr("activation_axis", 2).Run().status(), kInvalid, "out of range");
  ExpectError(run("Hardmax").Run().status(), kInvalid, "unknown activation");
}

// NumPy's values of x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).
TEST(GemmFastGelu, AddsTheBiasFirst) {
  const auto run = [](const Tensor& bias) {
    OpTest test = Contrib("GemmFastGelu").Input(Tensor::Of<float>({2, 1, 1}, {1, 2}));
    return test.Input(Tensor::Of<float>({1, 2}, {1, -1})).Input(bias).Run();
  };
  ExpectTensor(run(Floats({-1, 2})),
               Tensor::Of<float>({2, 1, 2}, {0, 0.841191991f, 0.841191991f, 0}), 1e-6);
  ExpectTensor(
      run(Floats({1, -1})),
      Tensor::Of<float>({2, 1, 2}, {1.954597694f, -0.045402306f, 2.996362608f, -0.003637392f}),
      1e-5, 1e-8);
  ExpectError(run(Floats({1})).status(), kInvalid, "bias is float[1]");
}

TEST(FusedGemm, AppliesTheActivationLast) {
  const Tensor a = Tensor::Of<float>({1, 2}, {1, -2});
  const Tensor b = Tensor::Of<float>({2, 2}, {1, 2, 3, 0});
  const Tensor c = Tensor::Of<float>({2}, {1, 1});  // the sum is (-4, 3)
  const auto run = [&](const char* activation, std::vector<float> parameters) {
    OpTest test = Contrib("FusedGemm");
    test.Attr("activation", activation);
    const char* second = std::string(activation) == "Selu" ? "activation_gamma" : "activation_beta";
    const char* names[] = {"activation_alpha", second};
    for (size_t i = 0; i < parameters.size(); ++i) test.Attr(names[i], parameters[i]);
    return test.Input(a).Input(b).Input(c).Run();
  };
  const auto pair = [](float x, float y) { return Tensor::Of<float>({1, 2}, {x, y}); };
  ExpectTensor(run("Relu", {}), pair(0, 3));
  ExpectTensor(run("LeakyRelu", {0.25f}), pair(-1, 3));
  ExpectTensor(run("HardSigmoid", {0.125f, 0.25f}), pair(0, 0.625f));
  ExpectTensor(run("Clip", {-1, 2}), pair(-1, 2));
  ExpectTensor(run("Softsign", {}), pair(-0.8f, 0.75f));
  ExpectTensor(run("ThresholdedRelu", {3.5f}), pair(0, 0));
  ExpectTensor(run("Tanh", {}), pair(-0.9993293f, 0.9950548f), 1e-6);
  ExpectTensor(run("Sigmoid", {}), pair(0.01798621f, 0.95257413f), 1e-6);
  ExpectTensor(run("Elu", {2}), pair(-1.9633687f, 3), 1e-6);
  ExpectTensor(run("Celu", {2}), pair(-1.7293295f, 3), 1e-6);
  ExpectTensor(run("Softplus", {}), pair(0.01814993f, 3.0485873f), 1e-6);
  ExpectTensor(run("Selu", {2, 3}), pair(-5.890106f, 9), 1e-6);
  ExpectTensor(run("ScaledTanh", {2, 0.5f}), pair(-1.9280552f, 1.8102965f), 1e-6);
  ExpectTensor(run("ParametricSoftplus", {2, 0.5f}), pair(0.25385600f, 3.4028266f), 1e-5);
  ExpectError(run("LeakyRelu", {}).status(), kInvalid, "takes 1 parameters");
  ExpectError(run("Sin", {}).status(), kInvalid, "unknown activation");
  ExpectError(Contrib("FusedGemm").Input(a).Input(b).Run().status(), kInvalid, "is required");
}

TEST(FusedConv, AddsBiasAndZThenActivates) {
  const Tensor x = Tensor::Of<float>({1, 1, 1, 3}, {1, 2, 3});
  const Tensor w = Tensor::Of<float>({2, 1, 1, 2}, {1, 1, 1, -1});
  const Tensor b = Tensor::Of<float>({2}, {10, -10});
  const Tensor z = Tensor::Of<float>({1, 2, 1, 2}, {0, -20, 20, 0});
  ExpectTensor(
      Contrib("FusedConv").Attr("activation", "Relu").Input(x).Input(w).Input(b).Input(z).Run(),
      Tensor::Of<float>({1, 2, 1, 2}, {13, 0, 9, 0}));
  ExpectTensor(Contrib("FusedConv").Input(x).Input(w).NoInput().Input(z).Run(),
               Tensor::Of<float>({1, 2, 1, 2}, {3, -15, 19, -1}));
  ExpectTensor(Contrib("FusedConv")
                   .Attr("activation", "Clip")
                   .Attr("activation_params", std::vector<float>{0, 4})
                   .Input(x)
                   .Input(w)
                   .Run(),
               Tensor::Of<float>({1, 2, 1, 2}, {3, 4, 0, 0}));
  ExpectError(Contrib("FusedConv").Input(x).Input(w).Input(b).Input(x).Run().status(), kInvalid,
              "Z is");
}

// x * min(max(x / 6 + 1 / 2, 0), 1), whatever parameters are given, as in onnxruntime.
TEST(FusedConv, HardSwishHasNoParameters) {
  const Tensor x = Tensor::Of<float>({1, 1, 4}, {-6, -1.5f, 1.5f, 6});
  const Tensor want = Tensor::Of<float>({1, 1, 4}, {0, -0.375f, 1.125f, 6});
  OpTest test = Contrib("FusedConv").Attr("activation", "HardSwish");
  test.Input(x).Input(Tensor::Of<float>({1, 1, 1}, {1}));
  ExpectTensor(test.Run(), want, 1e-6);
  ExpectTensor(test.Attr("activation_params", std::vector<float>{0.3f, 0.2f}).Run(), want, 1e-6);
}

TEST(FusedConv, HasTheBitsOfItsParts) {
  const Tensor x = RandomFloats({1, 5, 20, 23}, 1);
  const Tensor w = RandomFloats({9, 5, 3, 3}, 2);
  const Tensor b = RandomFloats({9}, 3);
  const auto conv = OpTest("Conv", 22).Input(x).Input(w).Input(b).Run();
  ASSERT_TRUE(conv.ok());
  std::vector<float> want(conv->AsSpan<float>().begin(), conv->AsSpan<float>().end());
  for (float& value : want) value = value < 0 ? 0 : value;
  ExpectSameBits(Contrib("FusedConv").Attr("activation", "Relu").Input(x).Input(w).Input(b).Run(),
                 Tensor::Of<float>(conv->shape(), want));
}

}  // namespace
}  // namespace onnxcmp::testing
