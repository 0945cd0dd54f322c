// Gates and branches: what the golden cases (onnxruntime's results) leave open, errors above all.
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

Tensor Half(const Shape& shape, const std::vector<float>& values) {
  return Convert(Tensor::Of<float>(shape, values), DType::kFloat16);
}

// 2049 is no float16: each step is rounded.
TEST(GatedAdd, RoundsTheProduct) {
  ExpectTensor(Contrib("GatedAdd")
                   .Input(Half({1, 1}, {1}))
                   .Input(Half({1, 1}, {683}))
                   .Input(Half({1, 1}, {3}))
                   .Run(),
               Half({1, 1}, {2048}));  // 2049 -> 2048, + 1 -> 2048
}

// gate * gate_weight = 2, its sigmoid 0.8807..., 0.87890625 as bfloat16; 140 times that is 123,
// 140 times the sigmoid itself would be 123.5.
TEST(GatedAdd, ProjectsTheGate) {
  const auto bfloat = [](const Shape& shape, const std::vector<float>& values) {
    return Convert(Tensor::Of<float>(shape, values), DType::kBfloat16);
  };
  const auto add = [&](const Tensor& x, const Tensor& gate, const Tensor& weight) {
    return Contrib("GatedAdd").Input(x).Input(bfloat({1, 2}, {140, -1})).Input(gate).Input(weight);
  };
  const Tensor x = bfloat({1, 2}, {0, 100});
  ExpectTensor(add(x, bfloat({1, 3}, {1, 2, 3}), bfloat({3, 1}, {2, 1.5f, -1})).Run(),
               bfloat({1, 2}, {123, 99}));
  ExpectError(add(x, bfloat({1, 3}, {1, 2, 3}), bfloat({2, 1}, {2, 1})).Run().status(), kInvalid,
              "gate_weight has shape [2x1], not [3x1]");
  OpTest in_float = Contrib("GatedAdd").Input(Iota({1, 2})).Input(Iota({1, 2}));
  ExpectError(in_float.Input(Iota({1, 3})).Input(Iota({3, 1})).Run().status(), kUnimplemented,
              "defined for bfloat16 alone, not for float");
}

TEST(GatedAdd, BadShapes) {
  for (const Shape& gate : {Shape{3, 1}, Shape{2, 3, 4}, Shape{2, 3}}) {
    ExpectError(Contrib("GatedAdd")
                    .Input(Iota({2, 3, 4}))
                    .Input(Iota({2, 3, 4}))
                    .Input(Iota(gate))
                    .Run()
                    .status(),
                kInvalid, "do not fit");
  }
}

TEST(ScaledSilu, ScaleMustBeAScalar) {
  ExpectError(Contrib("ScaledSiLU").Input(Iota({2})).Input(Floats({1})).Run().status(), kInvalid,
              "scale must be a scalar, not float[1]");
}

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

TEST(BranchwiseRmsNorm, BadInputs) {
  const auto run = [](int64_t branches, const Shape& x, const Shape& scale) {
    return Contrib("BranchwiseRMSNorm")
        .Attr("num_branches", branches)
        .Input(Iota(x))
        .Input(Iota(scale))
        .Run()
        .status();
  };
  ExpectError(run(3, {2, 4}, {4}), kInvalid, "does not hold branches with num_branches 3");
  ExpectError(run(-1, {2, 4}, {4}), kInvalid, "num_branches -1");
  ExpectError(run(0, {4}, {4}), kInvalid, "num_branches 0");
  ExpectError(run(2, {2, 4}, {3}), kInvalid, "does not fit 2 branches of 2 elements");
}

TEST(HyperConnection, NoBranchesGiveZeros) {
  ExpectTensor(Contrib("HyperConnectionPreMix").Input(Iota({2, 0, 3})).Input(Iota({2, 0})).Run(),
               Tensor::Of<float>({2, 3}, {0, 0, 0, 0, 0, 0}));
}

TEST(HyperConnection, Mixes) {
  const Tensor streams = Tensor::Of<double>({2, 2}, {1, 2, 3, 4});
  const Tensor gates = Tensor::Of<double>({2}, {10, 100});
  ExpectTensor(Contrib("HyperConnectionPreMix")
                   .Attr("reduction_scale", 0.5f)
                   .Input(streams)
                   .Input(gates)
                   .Run(),
               Tensor::Of<double>({2}, {155, 210}));
  ExpectTensor(Contrib("HyperConnectionPostMix")
                   .Input(streams)
                   .Input(Tensor::Of<double>({2}, {1, 2}))
                   .Input(gates)
                   .Input(Tensor::Of<double>({2, 2}, {0, 1, 2, 0}))
                   .Run(),
               Tensor::Of<double>({2, 2}, {16, 28, 101, 202}));
}

TEST(HyperConnection, BadInputs) {
  const Tensor streams = Iota({2, 3});
  ExpectError(Contrib("HyperConnectionPreMix").Input(streams).Input(Iota({3})).Run().status(),
              kInvalid, "pre_mix has shape [3], which does not fit 2 branches of 3 elements");
  ExpectError(Contrib("HyperConnectionPostMix")
                  .Attr("num_branches", 2)
                  .Input(Iota({4}))
                  .Input(Iota({2}))
                  .Input(Iota({4}))
                  .Run()
                  .status(),
              kInvalid, "post_mix has shape [4]");
  ExpectError(Contrib("HyperConnectionPostMix")
                  .Input(streams)
                  .Input(Iota({2}))
                  .Input(Iota({2}))
                  .Run()
                  .status(),
              kInvalid, "block_output has shape [2], not [3]");
  ExpectError(Contrib("HyperConnectionPostMix")
                  .Input(streams)
                  .Input(Iota({3}))
                  .Input(Iota({2}))
                  .Input(Iota({2, 3}))
                  .Run()
                  .status(),
              kInvalid, "stream_mix has shape [2x3], not [2x2]");
}

// Orthogonal keys and queries open the gate by half.
TEST(EngramGate, DotOfZero) {
  OpTest test = Contrib("EngramGate");
  test.Input(Tensor::Of<double>({1, 1, 1, 2}, {1, 0}))
      .Input(Tensor::Of<double>({1, 1, 1, 2}, {0, 1}));
  test.Input(Tensor::Of<double>({1, 1, 2}, {3, 5}));
  test.Input(Tensor::Of<double>({1, 2}, {1, 1})).Input(Tensor::Of<double>({1, 2}, {1, 1}));
  ExpectTensor(test.Run(), Tensor::Of<double>({1, 1, 1, 2}, {1.5, 2.5}));
}

TEST(EngramGate, BadInputs) {
  const auto test = [](const Shape& value) {
    OpTest engram = Contrib("EngramGate");
    engram.Input(Iota({1, 2, 3, 4})).Input(Iota({1, 2, 3, 4})).Input(Iota(value));
    engram.Input(Iota({3, 4})).Input(Iota({3, 4}));
    return engram;
  };
  ExpectError(test({1, 2, 3, 4}).Run().status(), kInvalid,
              "input 2 has shape [1x2x3x4], not [1x2x4]");
  ExpectError(test({1, 2, 4}).Outputs(2).Run().status(), kInvalid,
              "needs the input conv_norm_scale");
}

}  // namespace
}  // namespace onnxcmp::testing
