// Expected values are onnxruntime 1.31's, or the formula's on numbers that make it exact.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

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

}  // namespace
}  // namespace onnxcmp::testing
