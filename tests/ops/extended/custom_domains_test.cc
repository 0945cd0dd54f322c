// onnx-extended's CPU and tutorial kernels, ai.onnx.complex, onnxscript's functions. Expected
// values are written out from the definitions in onnx_extended/ortops.
#include <complex>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr char kCpu[] = "onnx_extended.ortops.optim.cpu";
constexpr char kTutorial[] = "onnx_extended.ortops.tutorial.cpu";

TEST(DenseToSparseTest, ThereAndBack) {
  const Tensor dense = Tensor::Of<float>({2, 3}, {0, 1.5f, 0, -2, 0, kNaN});
  const absl::StatusOr<Tensor> sparse = OpTest("DenseToSparse", 1, kCpu).Input(dense).Run();
  ASSERT_TRUE(sparse.ok()) << sparse.status();
  EXPECT_EQ(sparse->shape(), (Shape{62}));  // 56 and two for each element
  ExpectTensor(OpTest("SparseToDense", 1, "yaourt.ortops.sparse.cpu").Input(*sparse).Run(), dense);
  ExpectError(OpTest("SparseToDense", 1, kCpu).Input(Iota({62})).Run().status(), kInvalid,
              "does not hold a sparse matrix");
  ExpectError(OpTest("SparseToDense", 1, kCpu).Input(Floats({})).Run().status(), kInvalid,
              "does not hold a sparse matrix");
}

// One tree: x[0] <= 1 gives 10, else 20.
TEST(TreeEnsembleTest, TakesTheModesAsOneString) {
  using Ints64 = std::vector<int64_t>;
  OpTest test("TreeEnsembleRegressor", 1, kCpu);
  test.Attr("nodes_treeids", Ints64{0, 0, 0}).Attr("nodes_nodeids", Ints64{0, 1, 2});
  test.Attr("nodes_featureids", Ints64{0, 0, 0}).Attr("nodes_truenodeids", Ints64{1, 0, 0});
  test.Attr("nodes_falsenodeids", Ints64{2, 0, 0}).Attr("nodes_modes", "BRANCH_LEQ,LEAF,LEAF");
  test.Attr("nodes_values", std::vector<float>{1, 0, 0}).Attr("n_targets", 1);
  test.Attr("target_treeids", Ints64{0, 0}).Attr("target_nodeids", Ints64{1, 2});
  test.Attr("target_ids", Ints64{0, 0}).Attr("target_weights", std::vector<float>{10, 20});
  test.Attr("parallel_tree", 40).Attr("batch_size_rows", 2);
  ExpectTensor(test.Input(Tensor::Of<float>({2, 1}, {1, 2})).Run(),
               Tensor::Of<float>({2, 1}, {10, 20}));
}

TEST(CustomGemmTest, ScalesAndTransposes) {
  const Tensor a = Tensor::Of<float>({2, 1}, {1, 2});
  const Tensor b = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  OpTest test("CustomGemmFloat", 1, kTutorial);
  test.Attr("transA", 1).Attr("alpha", 2.0f).Attr("beta", 10.0f).Input(a).Input(b);
  ExpectTensor(test.Input(Tensor::Of<float>({1, 2}, {1, 2})).Run(),
               Tensor::Of<float>({1, 2}, {24, 40}));
  OpTest narrow("CustomGemmFloat8E4M3FN", 1, kTutorial);
  narrow.Attr("transA", 1).Input(Convert(a, DType::kFloat8E4M3FN));
  narrow.Input(Convert(b, DType::kFloat8E4M3FN)).NoInput().Input(Floats({2})).Input(Floats({3}));
  ExpectTensor(narrow.Run(), Tensor::Of<float>({1, 2}, {42, 60}));
  ExpectError(
      OpTest("CustomGemmFloat", 1, kTutorial).Attr("rowMajor", 0).Input(b).Input(b).Run().status(),
      kUnimplemented, "rowMajor must be 1");
  ExpectError(OpTest("CustomGemmFloat", 1, kTutorial)
                  .Attr("activation", "RELU")
                  .Input(b)
                  .Input(b)
                  .Run()
                  .status(),
              kUnimplemented, "the activation \"RELU\"");
}

TEST(TutorialTest, CustomOperators) {
  ExpectTensor(OpTest("MyCustomOp", 1, kTutorial).Input(Floats({1})).Input(Floats({2})).Run(),
               Floats({3}));
  OpTest test("MyCustomOpWithAttributes", 1, kTutorial);
  test.Attr("att_float", 0.5f).Attr("att_int64", 2).Attr("att_string", "A");
  test.Attr("att_tensor", Tensor::Of<double>({2}, {100, 7}));
  test.Input(Tensor::Of<double>({1}, {1000})).Input(Tensor::Of<double>({1}, {10000}));
  ExpectTensor(test.Run(), Tensor::Of<double>({1}, {11167.5}));
}

TEST(TutorialTest, DynamicQuantizeLinearToFloat8) {
  OpTest test("DynamicQuantizeLinear", 1, kTutorial);
  test.Attr("to", 17).Outputs(3).Input(Floats({3, -3, 3, 0}));
  const float scale = 2.598076211f / 100.057724f;
  ExpectTensor(test.Run(1), Tensor::Scalar<float>(scale), 1e-6);
  // 3 / scale is 115.537, between 112 and 120.
  ExpectTensor(test.Run(0), Convert(Floats({112, -112, 112, 0}), DType::kFloat8E4M3FN));
}

TEST(ComplexTest, OfPairsAndOfRealParts) {
  using C = std::complex<float>;
  const absl::StatusOr<Tensor> pairs = OpTest("ToComplex", 1, "ai.onnx.complex")
                                           .Input(Tensor::Of<float>({2, 2}, {3, 4, 0, -1}))
                                           .Run();
  ExpectTensor(pairs, Tensor::Of<C>({2}, {C(3, 4), C(0, -1)}));
  ExpectTensor(OpTest("ComplexModule", 1, "ai.onnx.complex").Input(*pairs).Run(), Floats({5, 1}));
  ExpectTensor(
      OpTest("ToComplex", 1, "ai.onnx.complex").Input(Tensor::Of<double>({1, 1}, {2})).Run(),
      Tensor::Of<std::complex<double>>({1}, {{2, 0}}));
  ExpectError(OpTest("ToComplex", 1, "ai.onnx.complex").Input(Floats({1, 2, 3})).Run().status(),
              kInvalid, "neither one element nor two");
}

TEST(TorchLibTest, RankAndIsScalar) {
  constexpr char kTorchLib[] = "pkg.onnxscript.torch_lib.common";
  ExpectTensor(OpTest("Rank", 1, kTorchLib).Input(Iota({1, 2})).Run(), Tensor::Scalar<int64_t>(2));
  ExpectTensor(OpTest("IsScalar", 1, kTorchLib).Input(Tensor::Scalar<float>(0)).Run(),
               Tensor::Scalar<bool>(true));
}

}  // namespace
}  // namespace onnxcmp::testing
