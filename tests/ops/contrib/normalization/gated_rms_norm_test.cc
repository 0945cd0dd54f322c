// Cases that the golden ones (onnxruntime's results) leave open, errors above all.
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(GatedRmsNorm, Double) {
  // mean(x^2) = 12.5 of (3, 4), and of (4, 3).
  OpTest test = Contrib("GatedRMSNorm");
  test.Attr("activation", "sigmoid").Attr("epsilon", 0.0f);
  test.Input(Tensor::Of<double>({4}, {3, 4, 4, 3})).Input(Tensor::Of<double>({2}, {1, 2}));
  test.Input(Tensor::Of<double>({4}, {0, 0, 0, 0}));
  ExpectTensor(test.Run(),
               Tensor::Of<double>({4}, {0.42426406871192851, 1.1313708498984760,
                                        0.56568542494923802, 0.84852813742385702}),
               1e-15);
}

TEST(GatedRmsNorm, BadInputs) {
  const auto run = [](const char* activation, const Shape& scale, const Shape& gate) {
    return Contrib("GatedRMSNorm")
        .Attr("activation", activation)
        .Input(Iota({2, 4}))
        .Input(Iota(scale))
        .Input(Iota(gate))
        .Run()
        .status();
  };
  ExpectError(run("relu", {4}, {2, 4}), kInvalid, "activation must be silu, swish or sigmoid");
  ExpectError(run("silu", {3}, {2, 4}), kInvalid, "whose length divides");
  ExpectError(run("silu", {0}, {2, 4}), kInvalid, "whose length divides");
  ExpectError(run("silu", {2}, {4}), kInvalid, "gate is [4], but X [2x4]");
}

}  // namespace
}  // namespace onnxcmp::testing
