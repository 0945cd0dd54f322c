// Expected values are onnxruntime 1.31's, or the formula's on numbers that make it exact.
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

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

}  // namespace
}  // namespace onnxcmp::testing
