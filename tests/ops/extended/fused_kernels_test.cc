// onnx-extended's CUDA kernels. Expected values are written out from their definitions, which the
// Python implementations in experimental-experiment (reference/ops) give.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr char kCuda[] = "onnx_extended.ortops.optim.cuda";

OpTest Cuda(const std::string& name) { return OpTest(name, 1, kCuda); }

TEST(FusedElementwiseTest, ThreeAndFourInputs) {
  const Tensor x = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  const Tensor y = Floats({10, 20});
  const Tensor z = Tensor::Of<float>({2, 1}, {2, -1});
  const auto run = [&](const std::string& name, const std::string& domain = kCuda) {
    return OpTest(name, 1, domain).Input(x).Input(y).Input(z);
  };
  const auto matrix = [](const std::vector<float>& values) {
    return Tensor::Of<float>({2, 2}, values);
  };
  for (const char* domain : {kCuda, "yaourt.ortops.fused_kernel.cuda"}) {
    ExpectTensor(run("AddAdd", domain).Run(), matrix({13, 24, 12, 23}));
    ExpectTensor(run("MulMul", domain).Run(), matrix({20, 80, -30, -80}));
    ExpectTensor(run("AddMul", domain).Run(), matrix({22, 44, -13, -24}));
    ExpectTensor(run("MulAdd", domain).Run(), matrix({12, 42, 29, 79}));
  }
  ExpectTensor(run("SubMul").Run(), matrix({-18, -36, 7, 16}));
  ExpectTensor(run("SubMul").Attr("negative", 1).Run(), matrix({18, 36, -7, -16}));
  ExpectTensor(run("MulSub").Run(), matrix({8, 38, 31, 81}));
  ExpectTensor(run("MulSub").Attr("negative", 1).Run(), matrix({-8, -38, -31, -81}));
  ExpectOutputs(run("AddSharedInput").Outputs(2), {matrix({11, 22, 13, 24}), matrix({3, 4, 2, 3})});
  ExpectOutputs(run("MulSharedInput").Outputs(2),
                {matrix({10, 40, 30, 80}), matrix({2, 4, -3, -4})});
  ExpectTensor(run("AddAddAdd").Input(Tensor::Scalar<float>(1)).Run(), matrix({14, 25, 13, 24}));
  ExpectTensor(run("MulMulMul").Input(Tensor::Scalar<float>(2)).Run(),
               matrix({40, 160, -60, -160}));
}

TEST(FusedElementwiseTest, TransposesTheMiddle) {
  const Tensor x = Iota({1, 2, 3, 1});
  OpTest test = Cuda("AddMul").Attr("transposeMiddle", 1);
  test.Input(x).Input(Floats({1})).Input(Floats({2}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 3, 2, 1}, {2, 8, 4, 10, 6, 12}));
  ExpectError(Cuda("MulAdd")
                  .Attr("transposeMiddle", 1)
                  .Input(Floats({1}))
                  .Input(Floats({1}))
                  .Input(Floats({1}))
                  .Run()
                  .status(),
              kInvalid, "needs a result of rank 4");
}

TEST(FusedElementwiseTest, Sigmoids) {
  const Tensor x = Floats({0, 2, -2, kNaN});  // NumPy
  const Tensor want = Floats({0, 1.7615941560f, -0.2384058440f, kNaN});
  ExpectTensor(Cuda("MulSigmoid").Input(x).Run(), want, 1e-6);
  ExpectTensor(Cuda("MulMulSigmoid").Input(Floats({2})).Input(x).Run(),
               Floats({0, 3.5231883120f, -0.4768116880f, kNaN}), 1e-6);
  ExpectTensor(Cuda("NegXplus1").Input(Floats({3, -1})).Run(), Floats({-2, 2}));
  ExpectTensor(Cuda("NegXplus1").Input(Tensor::Of<int32_t>({1}, {INT32_MIN})).Run(),
               Tensor::Of<int32_t>({1}, {INT32_MIN + 1}));
}

TEST(ReplaceZeroTest, ReplacesZerosUnlessEqualIsZero) {
  const Tensor x = Floats({0, -0.0f, 2, kNaN});
  ExpectTensor(Cuda("ReplaceZero").Attr("by", 5.0f).Input(x).Run(), Floats({5, 5, 2, kNaN}));
  ExpectTensor(Cuda("ReplaceZero").Attr("by", 5.0f).Attr("equal", 1).Input(x).Run(),
               Floats({5, 5, 2, kNaN}));
  ExpectTensor(Cuda("ReplaceZero").Attr("by", 5.0f).Attr("equal", 0).Input(x).Run(),
               Floats({0, 0, 5, 5}));
}

TEST(RotaryTest, ExchangesTheHalves) {
  const Tensor x = Tensor::Of<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor splits = Ints({2, 2});
  ExpectTensor(Cuda("Rotary").Attr("side", "right").Input(x).Input(splits).Run(),
               Tensor::Of<float>({2, 4}, {-3, -4, 1, 2, -7, -8, 5, 6}));
  ExpectTensor(Cuda("Rotary").Attr("side", "left").Input(AsStridedView(x)).Input(splits).Run(),
               Tensor::Of<float>({2, 4}, {3, 4, -1, -2, 7, 8, -5, -6}));
  ExpectError(Cuda("Rotary").Attr("side", "up").Input(x).Run().status(), kInvalid,
              "side must be \"left\" or \"right\"");
  ExpectError(Cuda("Rotary").Attr("side", "left").Input(x).Input(Ints({1, 3})).Run().status(),
              kInvalid, "splits are (1, 3)");
  ExpectError(Cuda("Rotary").Attr("side", "left").Input(Floats({1, 2, 3})).Run().status(), kInvalid,
              "has no two halves");
}

TEST(ScatterNDOfShapeTest, AddsToZeros) {
  const auto run = [](const std::string& name, const Tensor& indices) {
    OpTest test = Cuda(name).Attr("reduction", "add");
    return test.Input(Ints({3, 2}))
        .Input(indices)
        .Input(Tensor::Of<float>({3, 2}, {1, 2, 10, 20, 100, 200}));
  };
  const Tensor indices = Tensor::Of<int64_t>({3, 1}, {2, 0, -1});
  ExpectTensor(run("ScatterNDOfShape", indices).Run(),
               Tensor::Of<float>({3, 2}, {10, 20, 0, 0, 101, 202}));
  ExpectTensor(run("MaskedScatterNDOfShape", indices).Attr("maskedValue", -1).Run(),
               Tensor::Of<float>({3, 2}, {10, 20, 0, 0, 1, 2}));
  ExpectTensor(run("ScatterNDOfShape", indices).Attr("strategy", "optimize").Run(),
               Tensor::Of<float>({3, 2}, {10, 20, 0, 0, 101, 202}));
  ExpectError(run("ScatterNDOfShape", Tensor::Of<int64_t>({3, 1}, {3, 0, 0})).Run().status(),
              kInvalid, "index 3 is out of range for axis 0 of size 3");
  ExpectError(run("ScatterNDOfShape", indices).Attr("strategy", "fast").Run().status(), kInvalid,
              "there is no strategy \"fast\"");
  ExpectError(run("MaskedScatterNDOfShape", Ints({0, 1, 2})).Attr("maskedValue", 0).Run().status(),
              kInvalid, "are not indices of the rows");
}

TEST(TransposeCastTest, OfAMatrix) {
  const Tensor x = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 1e6f});
  const Tensor turned = Tensor::Of<float>({3, 2}, {1, 4, 2, 5, 3, kInf});
  ExpectTensor(Cuda("Transpose2DCastFP16").Input(x).Run(), Convert(turned, DType::kFloat16));
  const Tensor half = Convert(Iota({1, 2}), DType::kFloat16);
  ExpectTensor(Cuda("Transpose2DCastFP32").Input(half).Run(), Iota({2, 1}));
  ExpectError(Cuda("Transpose2DCastFP16").Input(Floats({1})).Run().status(), kInvalid,
              "X must be a matrix");
}

TEST(TriMatrixTest, HasThreeConstants) {
  ExpectTensor(Cuda("TriMatrix").Input(Ints({2, 3})).Input(Floats({-1, 0, 1})).Run(),
               Tensor::Of<float>({2, 3}, {0, 1, 1, -1, 0, 1}));
  ExpectTensor(Cuda("TriMatrix").Input(Ints({0, 3})).Input(Floats({-1, 0, 1})).Run(),
               Tensor::Of<float>({0, 3}, {}));
  ExpectError(Cuda("TriMatrix").Input(Ints({2, -1})).Input(Floats({-1, 0, 1})).Run().status(),
              kInvalid, "cannot have the shape");
  ExpectError(Cuda("TriMatrix").Input(Ints({2})).Input(Floats({-1, 0, 1})).Run().status(), kInvalid,
              "a shape of 1 dimensions");
}

}  // namespace
}  // namespace onnxcmp::testing
