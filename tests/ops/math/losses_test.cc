// NegativeLogLikelihoodLoss (the examples of its text) and SoftmaxCrossEntropyLoss (PyTorch's
// definition, computed with NumPy).
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::Convert;
using testing::ExpectError;
using testing::ExpectTensor;
using testing::kInvalid;
using testing::OpTest;

OpTest Example(const char* reduction) {
  OpTest test("NegativeLogLikelihoodLoss", 13);
  test.Attr("reduction", reduction)
      .Input(Tensor::Of<float>({2, 3, 2}, {1, 2, 2, 2, 3, 2, 0, 1, 2, 2, 1, 2}))
      .Input(Tensor::Of<int64_t>({2, 2}, {2, 1, 0, 2}));
  return test;
}

TEST(NegativeLogLikelihoodLossTest, ExamplesOfTheText) {
  const Tensor weight = Tensor::Of<float>({3}, {0.2f, 0.3f, 0.1f});
  ExpectTensor(Example("none").Run(), Tensor::Of<float>({2, 2}, {-3, -2, 0, -2}));
  ExpectTensor(Example("sum").Input(weight).Run(), Tensor::Scalar<float>(-1.1f), 1e-6);
  ExpectTensor(Example("mean").Input(weight).Run(), Tensor::Scalar<float>(-1.1f / 0.7f), 1e-6);
  ExpectTensor(Example("mean").Run(), Tensor::Scalar<float>(-1.75f));
}

TEST(NegativeLogLikelihoodLossTest, IgnoredTargets) {
  // Out of range is allowed for what is ignored; the mean is over what is left.
  const auto run = [](std::vector<int32_t> targets, const char* reduction) {
    return OpTest("NegativeLogLikelihoodLoss", 22)
        .Attr("reduction", reduction)
        .Attr("ignore_index", -1)
        .Input(Tensor::Of<double>({2, 2}, {1, 2, 3, 5}))
        .Input(Tensor::Of<int32_t>({2}, targets))
        .Run();
  };
  ExpectTensor(run({-1, 1}, "mean"), Tensor::Scalar<double>(-5));
  ExpectTensor(run({-1, 1}, "none"), Tensor::Of<double>({2}, {0, -5}));
  ExpectTensor(run({-1, -1}, "mean"), Tensor::Scalar<double>(NAN));
  ExpectError(run({0, 2}, "mean").status(), kInvalid, "target 2 is none of 2 classes");
}

TEST(NegativeLogLikelihoodLossTest, WrongShapes) {
  ExpectError(OpTest("NegativeLogLikelihoodLoss", 13)
                  .Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 5}))
                  .Input(Tensor::Of<int64_t>({1}, {0}))
                  .Run()
                  .status(),
              kInvalid, "targets are int64[1]");
  ExpectError(Example("mean").Input(Tensor::Of<float>({2}, {1, 1})).Run().status(), kInvalid,
              "weights are float[2], but there are 3 classes");
  ExpectError(Example("max").Run().status(), kInvalid, "reduction must be none, sum or mean");
}

TEST(SoftmaxCrossEntropyLossTest, LossAndLogarithms) {
  OpTest test("SoftmaxCrossEntropyLoss", 13);
  test.Input(Tensor::Of<float>({2, 2}, {0, 0, 1000, 0}))
      .Input(Tensor::Of<int64_t>({2}, {1, 0}))
      .Outputs(2);
  ExpectTensor(test.Run(0), Tensor::Scalar<float>(0.34657359f), 1e-6);
  ExpectTensor(test.Run(1), Tensor::Of<float>({2, 2}, {-0.6931472f, -0.6931472f, 0, -1000}), 1e-6);
}

TEST(SoftmaxCrossEntropyLossTest, WeightsAndNarrowFloats) {
  ExpectTensor(OpTest("SoftmaxCrossEntropyLoss", 12)
                   .Attr("reduction", "none")
                   .Attr("ignore_index", 0)
                   .Input(Convert(Tensor::Of<float>({1, 2, 2}, {0, 0, 0, 0}), DType::kFloat16))
                   .Input(Tensor::Of<int64_t>({1, 2}, {1, 0}))
                   .Input(Convert(Tensor::Of<float>({2}, {1, 2}), DType::kFloat16))
                   .Run(),
               Convert(Tensor::Of<float>({1, 2}, {1.3862944f, 0}), DType::kFloat16));
}

}  // namespace
}  // namespace onnxcmp
