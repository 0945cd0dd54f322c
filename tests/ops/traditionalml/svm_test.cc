#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are onnxruntime 1.31's.
const Tensor& Rows() {
  static const auto& x = *new Tensor(Tensor::Of<float>({3, 2}, {1, 2, -1, 0.5f, 0, -3}));
  return x;
}

OpTest Three(const std::string& kernel) {
  OpTest test("SVMClassifier", 1, "ai.onnx.ml");
  test.Outputs(2)
      .Attr("classlabels_ints", std::vector<int64_t>{10, 20, 30})
      .Attr("vectors_per_class", std::vector<int64_t>{1, 2, 1})
      .Attr("coefficients", std::vector<float>{0.5f, -1, 0.25f, 1, -0.75f, 0.5f, 1, -0.5f})
      .Attr("support_vectors", std::vector<float>{1, 0, 0, 1, -1, 1, 2, -2})
      .Attr("rho", std::vector<float>{0.1f, -0.2f, 0.3f})
      .Attr("kernel_type", kernel.c_str())
      .Attr("kernel_params", std::vector<float>{0.5f, 0.25f, 2});
  return test;
}

OpTest Two() {
  OpTest test("SVMClassifier", 1, "ai.onnx.ml");
  test.Outputs(2)
      .Attr("classlabels_strings", std::vector<std::string>{"a", "b"})
      .Attr("vectors_per_class", std::vector<int64_t>{1, 2})
      .Attr("coefficients", std::vector<float>{0.5f, -1, 0.25f})
      .Attr("support_vectors", std::vector<float>{1, 0, 0, 1, -1, 1})
      .Attr("rho", std::vector<float>{0.1f})
      .Attr("kernel_type", "RBF")
      .Attr("kernel_params", std::vector<float>{0.5f, 0.25f, 2})
      .Input(Rows());
  return test;
}

void Expect(const OpTest& test, const Tensor& labels, const Tensor& scores) {
  ExpectOutputs(test, {labels, scores}, 3e-6, 1e-7);
}

TEST(SvmClassifierTest, Kernels) {
  const auto expect = [](const std::string& kernel, const std::vector<int64_t>& labels,
                         const std::vector<float>& scores) {
    for (const DType dtype : {DType::kFloat, DType::kDouble}) {
      Expect(Three(kernel).Input(Convert(Rows(), dtype)), Tensor::Of<int64_t>({3}, labels),
             Tensor::Of<float>({3, 3}, scores));
    }
  };
  expect("LINEAR", {20, 20, 10},
         {-1.15f, -2.95f, 3.3f, -0.525f, -2.45f, 3.55f, 2.35f, 5.8f, -7.2f});
  expect("POLY", {20, 10, 10},
         {-1.040625f, -0.059375f, 1.3625f, 0.13125f, 1.315625f, 0.64375f, -1.040625f, 10.315625f,
          -2.6375f});
  expect("RBF", {20, 20, 10},
         {-0.17969055f, -0.30129799f, 0.56592298f, -0.15492074f, -0.28908664f, 1.44988358f,
          0.10308438f, -0.12296847f, 0.25932872f});
  expect("SIGMOID", {20, 20, 10},
         {-0.2719219f, -1.3115108f, 1.6768653f, -0.2941779f, -0.8645946f, 1.7167946f, 0.8586721f,
          0.6133087f, -1.4709244f});
}

TEST(SvmClassifierTest, PairsAreCoupledToProbabilities) {
  OpTest test = Three("RBF");
  test.Input(Rows())
      .Attr("prob_a", std::vector<float>{-1, -2, -0.5f})
      .Attr("prob_b", std::vector<float>{0.1f, 0.2f, 0.3f});
  ExpectOutputs(
      test,
      {Tensor::Of<int64_t>({3}, {20, 20, 10}),
       Tensor::Of<float>({3, 3}, {0.22403665f, 0.36368337f, 0.41228011f, 0.23542099f, 0.42255154f,
                                  0.3420274f, 0.28076819f, 0.31583405f, 0.40339789f})},
      1e-5);
}

TEST(SvmClassifierTest, TwoClasses) {
  const Tensor labels = Tensor::Of<std::string>({3}, {"b", "b", "a"});
  Expect(Two(), labels,
         Tensor::Of<float>({3, 2}, {0.17969055f, -0.17969055f, 0.15492074f, -0.15492074f,
                                    -0.10308438f, 0.10308438f}));
  Expect(Two().Attr("post_transform", "LOGISTIC"), labels,
         Tensor::Of<float>({3, 2}, {0.54480213f, 0.45519787f, 0.53865296f, 0.46134704f, 0.47425169f,
                                    0.52574831f}));
  OpTest probabilities = Two();
  probabilities.Attr("prob_a", std::vector<float>{-1}).Attr("prob_b", std::vector<float>{0.1f});
  ExpectOutputs(probabilities,
                {labels, Tensor::Of<float>(
                             {3, 2}, {0.430325f, 0.569675f, 0.43647155f, 0.56352842f, 0.5f, 0.5f})},
                1e-5);
}

TEST(SvmClassifierTest, WithoutSupportVectorsIsLinear) {
  OpTest test("SVMClassifier", 1, "ai.onnx.ml");
  test.Outputs(2)
      .Attr("classlabels_ints", std::vector<int64_t>{1, 2, 3})
      .Attr("coefficients", std::vector<float>{0.5f, -1, 0.25f, 1, -0.5f, 0.75f})
      .Attr("rho", std::vector<float>{0.25f})
      .Attr("kernel_type", "RBF")
      .Input(Rows());
  Expect(test, Tensor::Of<int64_t>({3}, {2, 3, 1}),
         Tensor::Of<float>({3, 3}, {-1.25f, 2.5f, 1.25f, -0.75f, 0.5f, 1.125f, 3.25f, -2.75f, -2}));
}

TEST(SvmClassifierTest, SizesThatDoNotFit) {
  const auto fails = [](OpTest test, const std::string& part) {
    ExpectError(test.Run().status(), kInvalid, part);
  };
  fails(Two().Attr("kernel_type", "COSINE"), "kernel_type 'COSINE' is unknown");
  fails(Two().Attr("kernel_params", std::vector<float>{1}), "kernel_params has 1 elements, not 3");
  fails(Two().Attr("vectors_per_class", std::vector<int64_t>{3}), "vectors_per_class has 1");
  fails(Two().Attr("vectors_per_class", std::vector<int64_t>{-1, 4}), "vectors_per_class has -1");
  fails(Two().Attr("coefficients", std::vector<float>{1}), "coefficients has 1 elements, not 3");
  fails(Two().Attr("rho", std::vector<float>{}), "rho has 0 elements, not 1");
  fails(Two().Attr("prob_a", std::vector<float>{1}), "prob_b has 0 elements, not 1");
  fails(Two().Attr("support_vectors", std::vector<float>{1}),
        "support_vectors has 1 elements, not 3 times 2");
}

OpTest Regressor(const char* kernel) {
  OpTest test("SVMRegressor", 1, "ai.onnx.ml");
  test.Attr("n_supports", 2)
      .Attr("coefficients", std::vector<float>{0.5f, -1})
      .Attr("support_vectors", std::vector<float>{1, 0, 0, 1})
      .Attr("rho", std::vector<float>{0.25f})
      .Attr("kernel_type", kernel)
      .Attr("kernel_params", std::vector<float>{0.5f, 0.25f, 2});
  return test;
}

TEST(SvmRegressorTest, Kernels) {
  const auto expect = [](const char* kernel, const std::vector<float>& want) {
    ExpectTensor(Regressor(kernel).Input(Rows()).Run(), Tensor::Of<float>({3, 1}, want), 3e-6);
    ExpectTensor(Regressor(kernel).Input(Convert(Rows(), DType::kDouble)).Run(),
                 Tensor::Of<float>({3, 1}, want), 3e-6);
  };
  expect("LINEAR", {-1.25f, -0.75f, 3.25f});
  expect("POLY", {-1.03125f, 0.03125f, -1.28125f});
  expect("RBF", {-0.05021182f, -0.22554496f, 0.25303352f});
  expect("SIGMOID", {-0.28070915f, -0.33457649f, 1.2207429f});
}

TEST(SvmRegressorTest, IntegerInput) {
  ExpectTensor(Regressor("LINEAR").Input(Tensor::Of<int64_t>({2}, {1, 2})).Run(),
               Tensor::Of<float>({1, 1}, {-1.25f}));
}

TEST(SvmRegressorTest, OneClassSaysInOrOut) {
  ExpectTensor(Regressor("SIGMOID").Attr("one_class", 1).Input(Rows()).Run(),
               Tensor::Of<float>({3, 1}, {-1, -1, 1}));
}

TEST(SvmRegressorTest, WithoutSupportVectorsIsLinear) {
  ExpectTensor(Regressor("RBF").Attr("n_supports", 0).Input(Rows()).Run(),
               Tensor::Of<float>({3, 1}, {-1.25f, -0.75f, 3.25f}));
}

TEST(SvmRegressorTest, SizesThatDoNotFit) {
  ExpectError(Regressor("RBF").Attr("n_supports", 3).Input(Rows()).Run().status(), kInvalid,
              "2 coefficients for 3 support vectors");
  ExpectError(Regressor("RBF").Attr("rho", std::vector<float>{}).Input(Rows()).Run().status(),
              kInvalid, "there is no rho");
  ExpectError(Regressor("RBF").Input(Tensor::Of<float>({1, 3}, {1, 2, 3})).Run().status(), kInvalid,
              "support_vectors has 4 elements, not 2 times 3");
}

}  // namespace
}  // namespace onnxcmp::testing
