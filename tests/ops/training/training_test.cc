// The operators of onnxruntime's training graphs that are no gradients. Expected values are written
// out from their definitions; those of the optimizers are PyTorch's rules computed in NumPy.
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

Sequence OneTensor(Tensor tensor) {
  Sequence sequence{.element_dtype = tensor.dtype(), .elements = {}};
  sequence.elements.emplace_back(std::move(tensor));
  return sequence;
}

TEST(OptimizersTest, SgdSubtractsTheScaledGradient) {
  OpTest test = Contrib("SGDOptimizer");
  test.Outputs(2).Input(Tensor::Scalar<float>(0.5f)).Input(Floats({1, 2})).Input(Floats({4, -4}));
  ExpectOutputs(test, {Floats({-1, 4}), Floats({-2, 2})});
  for (bool update : {true, false}) {
    OpTest v2 = Contrib("SGDOptimizerV2");
    v2.Outputs(2).Input(Tensor::Scalar<float>(0.5f)).Input(OneTensor(Floats({1, 2})));
    v2.Input(OneTensor(Floats({4, -4}))).Input(Tensor::Scalar<bool>(update));
    const absl::StatusOr<std::vector<Value>> outputs = v2.RunAll();
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    ExpectTensor((*outputs)[0].tensor(), Tensor::Scalar<bool>(update));
    ExpectTensor((*outputs)[1].sequence().elements[0].tensor(),
                 update ? Floats({-1, 4}) : Floats({1, 2}));
  }
}

// w = 1, g = 0.5, m1 = 0.1, m2 = 0.2, rate 0.1, step 2, alpha 0.9, beta 0.999, decay 0.01.
TEST(OptimizersTest, AdamAsPyTorchAndAsTransformers) {
  const float weights[] = {0.9916343419f, 0.9916417078f};
  for (int mode : {0, 1}) {
    OpTest adam = Contrib("AdamOptimizer");
    adam.Outputs(5).Attr("lambda", 0.01f).Attr("weight_decay_mode", mode);
    adam.Input(Tensor::Scalar<float>(0.1f)).Input(Tensor::Scalar<int64_t>(2));
    adam.Input(Floats({1})).Input(Floats({0.5f})).Input(Floats({0.1f})).Input(Floats({0.2f}));
    const float weight = weights[mode];
    ExpectTensor(adam.Run(0), Tensor::Scalar<int64_t>(3));
    ExpectTensor(adam.Run(1), Floats({0.14f}), 1e-6);
    ExpectTensor(adam.Run(2), Floats({0.20005f}), 1e-6);
    ExpectTensor(adam.Run(3), Floats({weight}), 1e-6);
    ExpectTensor(adam.Run(4), Floats({weight - 1}), 1e-4);
    OpTest adamw = Contrib("AdamWOptimizer");
    adamw.Outputs(4).Attr("weight_decay", 0.01f).Attr("adam_mode", mode);
    adamw.Input(Tensor::Scalar<float>(0.1f)).Input(Tensor::Scalar<int64_t>(2));
    for (float value : {1.0f, 0.5f, 0.1f, 0.2f}) adamw.Input(OneTensor(Floats({value})));
    const absl::StatusOr<std::vector<Value>> outputs = adamw.RunAll();
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    ExpectTensor((*outputs)[1].sequence().elements[0].tensor(), Floats({weight}), 1e-6);
  }
}

TEST(OptimizersTest, ClipsByTheNormOfAll) {
  for (const auto& [max_norm, want] : {std::pair{2.5f, 0.5f}, std::pair{50.0f, 1.0f}}) {
    OpTest test = Contrib("InplaceClipGradNorm");
    test.Attr("max_norm", max_norm).Input(OneTensor(Floats({3, 4})));
    const absl::StatusOr<std::vector<Value>> outputs = test.RunAll();
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    ExpectTensor((*outputs)[0].sequence().elements[0].tensor(), Floats({3 * want, 4 * want}), 1e-6);
  }
}

// Halves go to even numbers; 300 and -300 leave the range.
TEST(FakeQuantTest, RoundsAndClamps) {
  const Tensor x = Floats({0.25f, 0.75f, 300, -300, kNaN});
  OpTest test = Contrib("FakeQuant");
  test.Outputs(2).Input(x).Input(Floats({0.5f})).Input(Floats({10}));
  const Tensor mask = Bools({5}, {1, 1, 0, 0, 0});
  ExpectOutputs(test, {Floats({0, 1, 122.5f, -5, kNaN}), mask});
  ExpectTensor(Contrib("FakeQuantGrad").Input(x).Input(mask).Run(),
               Floats({0.25f, 0.75f, 0, 0, 0}));
  ExpectError(Contrib("FakeQuant")
                  .Outputs(2)
                  .Attr("quant_min", 255)
                  .Input(x)
                  .Input(Floats({1}))
                  .Input(Floats({0}))
                  .Run()
                  .status(),
              kInvalid, "quant_min 255 is not below quant_max 255");
}

TEST(AccumulatorsTest, AddUnlessToldNotTo) {
  const Tensor sum = Floats({1, 2});
  const Tensor value = Floats({10, 20});
  const auto run = [&](const char* name, bool flag) {
    return Contrib(name)
        .Outputs(name[18] == 'V' ? 2 : 1)
        .Input(sum)
        .Input(value)
        .Input(Tensor::Scalar<bool>(flag));
  };
  ExpectOutputs(run("InPlaceAccumulator", true), {Floats({11, 22})});
  ExpectOutputs(run("InPlaceAccumulator", false), {sum});
  const Tensor done = Bools({1}, {1});
  ExpectOutputs(run("InPlaceAccumulatorV2", true), {done, value});
  ExpectOutputs(run("InPlaceAccumulatorV2", false), {done, Floats({11, 22})});
  ExpectTensor(Contrib("ZeroGradient").Input(sum).Input(value).Run(), Floats({0, 0}));
}

TEST(ScalingTest, MultipliesByOneNumber) {
  const Tensor x = Floats({1, -2});
  ExpectTensor(Contrib("Scale").Input(x).Input(Tensor::Scalar<int64_t>(4)).Run(), Floats({4, -8}));
  ExpectTensor(Contrib("Scale").Attr("scale_down", 1).Input(x).Input(Floats({4})).Run(),
               Floats({0.25f, -0.5f}));
  ExpectError(Contrib("Scale").Input(x).Input(Floats({0})).Run().status(), kInvalid,
              "the scale is 0");
  OpTest mixed = Contrib("MixedPrecisionScale");
  mixed.Attr("to", 10).Attr("fuse_outputs", 1).Input(Tensor::Scalar<float>(2)).Input(x);
  ExpectTensor(mixed.Input(Iota({2, 1})).Run(), Convert(Floats({2, -4, 0, 2}), DType::kFloat16));
  ExpectError(Contrib("MixedPrecisionScale")
                  .Attr("to", 6)
                  .Input(Tensor::Scalar<float>(2))
                  .Input(x)
                  .Run()
                  .status(),
              kInvalid, "to is no floating point type: int32");
  OpTest sum = Contrib("ScaledSum");
  sum.Attr("scale_0", 2.0f).Attr("scale_1", 3.0f).Attr("scale_2", 4.0f);
  ExpectTensor(sum.Input(x).Input(x).Input(x).Run(), Floats({9, -18}));
  ExpectOutputs(
      Contrib("BatchScale").Attr("scale_0", 2.0f).Attr("scale_1", 3.0f).Outputs(2).Input(x),
      {Floats({2, -4}), Floats({3, -6})});
}

TEST(ReductionsTest, OverAllElements) {
  ExpectTensor(Contrib("ReduceAllL2").Input(Floats({1, 2})).Input(Iota({1, 3})).Run(),
               Tensor::Scalar<float>(3.1622776602f), 1e-6);
  ExpectTensor(Contrib("All").Input(Bools({2}, {1, 0})).Run(), Tensor::Scalar<bool>(false));
  ExpectTensor(Contrib("IsFinite").Input(Floats({1, kInf, kNaN})).Run(), Bools({3}, {1, 0, 0}));
  ExpectTensor(
      Contrib("ReduceSumTraining").Attr("keepdims", 0).Input(Iota({2, 3})).Input(Ints({1})).Run(),
      Floats({3, 12}));
}

TEST(PassThroughTest, PassesOn) {
  ExpectTensor(Contrib("Group").Input(Floats({1})).Input(Ints({1})).Run(),
               Tensor::Scalar<bool>(true));
  ExpectOutputs(Contrib("PassThrough").Outputs(2).Input(Floats({1})).Input(Ints({2})),
                {Floats({1}), Ints({2})});
  ExpectOutputs(Contrib("View").Outputs(2).Input(Iota({4})).Input(Ints({3})).Input(Ints({1, 1})),
                {Floats({0, 1, 2}), Tensor::Of<float>({1, 1}, {3})});
  ExpectError(Contrib("View").Input(Iota({4})).Input(Ints({3})).Run().status(), kInvalid,
              "take 3 elements");
  ExpectError(Contrib("View").Input(Iota({4})).Input(Ints({5})).Run().status(), kInvalid,
              "need more elements");
}

TEST(ConcatTrainingTest, TellsTheSizes) {
  ExpectOutputs(
      Contrib("ConcatTraining").Attr("axis", -1).Outputs(2).Input(Iota({1, 2})).Input(Iota({1, 1})),
      {Tensor::Of<float>({1, 3}, {0, 1, 0}), Ints({2, 1})});
  ExpectOutputs(
      Contrib("SplitTraining").Attr("axis", 0).Outputs(2).Input(Iota({3})).Input(Ints({1, 2})),
      {Floats({0}), Floats({1, 2})});
}

// The example of the schema's text.
TEST(PadAndUnflattenTest, PutsRowsIntoZeros) {
  OpTest test = Contrib("PadAndUnflatten");
  test.Outputs(2).Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 4})).Input(Ints({0, 5}));
  ExpectOutputs(test.Input(Ints({2, 3})),
                {Tensor::Of<float>({2, 3, 2}, {1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 4}), Ints({6, 2})});
}

}  // namespace
}  // namespace onnxcmp::testing
