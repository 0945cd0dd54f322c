#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are onnxruntime 1.31's, unless a test says otherwise.
const Tensor& Rows() {
  static const auto& x = *new Tensor(Tensor::Of<float>({3, 2}, {1, 2, -1, -3, 0, 0}));
  return x;
}

OpTest Classifier(const std::vector<float>& coefficients, const std::vector<float>& intercepts) {
  OpTest test("LinearClassifier", 1, "ai.onnx.ml");
  test.Outputs(2).Attr("coefficients", coefficients).Attr("multi_class", 1);
  if (!intercepts.empty()) test.Attr("intercepts", intercepts);
  return test;
}

OpTest OneScore() {
  OpTest test = Classifier({0.1f, 0.2f}, {0.1f});
  test.Input(Rows()).Attr("classlabels_ints", std::vector<int64_t>{10, 20});
  return test;
}

void Expect(const OpTest& test, const Tensor& labels, const Tensor& scores) {
  ExpectTensor(test.Run(0), labels);
  ExpectTensor(test.Run(1), scores, 2e-6, 1e-7);
}

TEST(LinearClassifierTest, OneScoreIsTheSecondClasss) {
  const Tensor labels = Tensor::Of<int64_t>({3}, {20, 10, 20});
  Expect(OneScore(), labels, Tensor::Of<float>({3, 2}, {0.4f, 0.6f, 1.6f, -0.6f, 0.9f, 0.1f}));
  Expect(OneScore().Attr("post_transform", "LOGISTIC"), labels,
         Tensor::Of<float>({3, 2}, {0.35434369f, 0.64565631f, 0.64565631f, 0.35434369f, 0.47502081f,
                                    0.52497919f}));
  // ONNX's evaluator; onnxruntime does not transform one score.
  Expect(OneScore().Attr("post_transform", "SOFTMAX"), labels,
         Tensor::Of<float>({3, 2}, {0.23147522f, 0.76852478f, 0.76852478f, 0.23147522f, 0.45016600f,
                                    0.54983400f}));
}

TEST(LinearClassifierTest, OneScoreWithoutLabels) {
  OpTest test = Classifier({0.1f, 0.2f}, {0.1f});
  Expect(test.Input(Rows()), Tensor::Of<int64_t>({3}, {1, 0, 1}),
         Tensor::Of<float>({3, 1}, {0.6f, -0.6f, 0.1f}));
}

TEST(LinearClassifierTest, AScoreAClass) {
  for (const DType dtype : {DType::kFloat, DType::kDouble, DType::kInt32, DType::kInt64}) {
    OpTest test = Classifier({0.1f, 0.2f, 0.3f, -0.4f}, {0.1f, 0.2f});
    test.Input(Convert(Rows(), dtype))
        .Attr("classlabels_strings", std::vector<std::string>{"a", "b"});
    Expect(test, Tensor::Of<std::string>({3}, {"a", "b", "b"}),
           Tensor::Of<float>({3, 2}, {0.6f, -0.3f, -0.6f, 1.1f, 0.1f, 0.2f}));
  }
}

// The sums are written out; onnxruntime wants intercepts.
TEST(LinearClassifierTest, InterceptsMayBeLeftOut) {
  OpTest test = Classifier({0.5f, 0.25f, 1, -1}, {});
  test.Input(Rows()).Attr("classlabels_ints", std::vector<int64_t>{10, 20});
  Expect(test, Tensor::Of<int64_t>({3}, {10, 20, 10}),
         Tensor::Of<float>({3, 2}, {1, -1, -1.25f, 2, 0, 0}));
}

TEST(LinearClassifierTest, ARowMayBeAVector) {
  OpTest test = Classifier({0.1f, 0.2f, 0.3f, -0.4f}, {0.1f, 0.2f});
  test.Input(Tensor::Of<float>({2}, {1, 2})).Attr("classlabels_ints", std::vector<int64_t>{10, 20});
  Expect(test, Tensor::Of<int64_t>({1}, {10}), Tensor::Of<float>({1, 2}, {0.6f, -0.3f}));
}

TEST(LinearClassifierTest, SizesThatDoNotFit) {
  const auto run = [](const std::vector<float>& coefficients,
                      const std::vector<float>& intercepts) {
    OpTest test = Classifier(coefficients, intercepts);
    test.Input(Rows()).Attr("classlabels_ints", std::vector<int64_t>{1, 2});
    return test.Run().status();
  };
  ExpectError(run({1, 2, 3}, {}), kInvalid, "coefficients has 3 elements");
  ExpectError(run({1, 2, 3}, {1, 2}), kInvalid, "coefficients has 3 elements, not 2 times 2");
  ExpectError(run({1, 2, 3, 4, 5, 6}, {1, 2, 3}), kInvalid, "2 labels for 3 scores");
}

OpTest Regressor() {
  OpTest test("LinearRegressor", 1, "ai.onnx.ml");
  test.Attr("coefficients", std::vector<float>{0.1f, 0.2f, 0.3f, -0.4f}).Attr("targets", 2);
  return test;
}

TEST(LinearRegressorTest, TargetsOneByOne) {
  for (const DType dtype : {DType::kFloat, DType::kDouble, DType::kInt32, DType::kInt64}) {
    OpTest test = Regressor();
    test.Attr("intercepts", std::vector<float>{0.1f, 0.2f}).Input(Convert(Rows(), dtype));
    ExpectTensor(test.Run(), Tensor::Of<float>({3, 2}, {0.6f, -0.3f, -0.6f, 1.1f, 0.1f, 0.2f}),
                 2e-6);
  }
  ExpectTensor(Regressor().Input(Rows()).Run(),
               Tensor::Of<float>({3, 2}, {0.5f, -0.5f, -0.7f, 0.9f, 0, 0}), 2e-6);
}

TEST(LinearRegressorTest, Transforms) {
  OpTest test = Regressor();
  test.Attr("intercepts", std::vector<float>{0.1f, 0.2f})
      .Attr("post_transform", "SOFTMAX")
      .Input(Rows());
  ExpectTensor(test.Run(),
               Tensor::Of<float>({3, 2}, {0.71094948f, 0.28905052f, 0.15446526f, 0.84553474f,
                                          0.47502083f, 0.52497917f}),
               2e-6);
}

TEST(LinearRegressorTest, SizesThatDoNotFit) {
  ExpectError(Regressor().Attr("targets", 3).Input(Rows()).Run().status(), kInvalid,
              "coefficients has 4 elements, not 3 times 2");
  ExpectError(Regressor().Attr("targets", 0).Input(Rows()).Run().status(), kInvalid,
              "targets is 0");
  ExpectError(Regressor().Attr("intercepts", std::vector<float>{1}).Input(Rows()).Run().status(),
              kInvalid, "1 intercepts for 2 targets");
}

}  // namespace
}  // namespace onnxcmp::testing
