// Expected values are onnxruntime 1.31's, or the formula's on numbers that make it exact.
#include "gtest/gtest.h"
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

}  // namespace
}  // namespace onnxcmp::testing
