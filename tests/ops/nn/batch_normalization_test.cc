#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor kX = Tensor::Of<float>({2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
// NumPy: (x - mean) / sqrt(var + 1e-5) * scale + b.
const Tensor kInference = Tensor::Of<float>(
    {2, 2, 3}, {6.249988e-07f, 0.5f, 0.99999938f, 2.99992f, 6.99984f, 10.99976f, 2.9999969f,
                3.4999963f, 3.9999956f, 26.99944f, 30.99936f, 34.99928f});
// The same with x.mean((0, 2)) = (4, 7) and x.var((0, 2)) = 9.6666667.
const Tensor kTraining = Tensor::Of<float>(
    {2, 2, 3}, {-0.78653438f, -0.46490078f, -0.14326719f, -3.5730688f, -2.9298016f, -2.2865344f,
                1.1432672f, 1.4649008f, 1.7865344f, 0.28653438f, 0.92980157f, 1.5730688f});
const Tensor kRunningMean = Floats({1.3f, 2.5f});
const Tensor kRunningVariance = Floats({4.5666667f, 1.1916667f});

OpTest BatchNormalization(int opset, DType dtype = DType::kFloat) {
  OpTest test("BatchNormalization", opset);
  test.Input(Convert(kX, dtype));
  for (const Tensor& parameter :
       {Floats({1, 2}), Floats({0.5f, -1}), Floats({1, 2}), Floats({4, 0.25f})}) {
    test.Input(Convert(parameter, dtype));
  }
  return test;
}

TEST(BatchNormalizationTest, Inference) {
  ExpectTensor(BatchNormalization(15).Run(), kInference, 1e-5, 1e-6);
  ExpectTensor(BatchNormalization(15, DType::kDouble).Run(), Convert(kInference, DType::kDouble),
               1e-6, 1e-7);
  ExpectTensor(BatchNormalization(15, DType::kFloat16).Run(), Convert(kInference, DType::kFloat16),
               1e-3, 1e-6);
}

TEST(BatchNormalizationTest, WideRows) {
  // 20 positions a channel; every second element of a view.
  OpTest test("BatchNormalization", 15);
  const Tensor x = Tensor::Of<float>({1, 2, 1, 1}, {3, 5});
  test.Input(x.Strided({3, 2, 4, 5}, {0, 1, 0, 0}, 0));
  test.Input(Floats({1, 2})).Input(Floats({0, 1})).Input(Floats({1, 1})).Input(Floats({4, 16}));
  test.Attr("epsilon", 0.0f);
  std::vector<float> want;
  for (int n = 0; n < 3; ++n) {
    want.insert(want.end(), 20, 1.0f);
    want.insert(want.end(), 20, 3.0f);
  }
  ExpectTensor(test.Run(), Tensor::Of<float>({3, 2, 4, 5}, want));
}

TEST(BatchNormalizationTest, OneDimensionIsOneChannel) {
  OpTest test("BatchNormalization", 15);
  test.Attr("epsilon", 0.0f).Input(Floats({1, 3})).Input(Floats({2})).Input(Floats({1}));
  test.Input(Floats({1})).Input(Floats({4}));
  ExpectTensor(test.Run(), Floats({1, 3}));
}

TEST(BatchNormalizationTest, TrainingMode) {
  for (int opset : {14, 15}) {
    OpTest test = BatchNormalization(opset);
    test.Attr("training_mode", 1).Outputs(3);
    ExpectTensor(test.Run(0), kTraining, 1e-5);
    ExpectTensor(test.Run(1), kRunningMean, 1e-6);
    ExpectTensor(test.Run(2), kRunningVariance, 1e-6);
  }
}

// Scale, bias, mean and variance may have types of their own.
TEST(BatchNormalizationTest, MixedTypes) {
  OpTest test("BatchNormalization", 15);
  test.Attr("training_mode", 1).Outputs(3).Input(Convert(kX, DType::kFloat16));
  test.Input(Convert(Floats({1, 2}), DType::kFloat16));
  test.Input(Convert(Floats({0.5f, -1}), DType::kFloat16));
  test.Input(Floats({1, 2})).Input(Floats({4, 0.25f}));
  ExpectTensor(test.Run(0), Convert(kTraining, DType::kFloat16), 1e-3);
  ExpectTensor(test.Run(1), kRunningMean, 1e-6);
}

TEST(BatchNormalizationTest, OutputsSayTrainingBefore14) {
  for (int opset : {7, 9}) {
    ExpectTensor(BatchNormalization(opset).Run(), kInference, 1e-5, 1e-6);
    OpTest test = BatchNormalization(opset);
    test.Outputs(5);
    ExpectTensor(test.Run(0), kTraining, 1e-5);
    ExpectTensor(test.Run(1), kRunningMean, 1e-6);
    ExpectTensor(test.Run(2), kRunningVariance, 1e-6);
    ExpectTensor(test.Run(3), Floats({4, 7}), 1e-6);
    ExpectTensor(test.Run(4), Floats({9.6666667f, 9.6666667f}), 1e-6);
  }
}

TEST(BatchNormalizationTest, IsTest) {
  OpTest version_1 = BatchNormalization(1);
  version_1.Attr("is_test", 1).Attr("consumed_inputs", std::vector<int64_t>{0, 0, 0, 1, 1});
  ExpectTensor(version_1.Run(), kInference, 1e-5, 1e-6);
  OpTest contradiction = BatchNormalization(6);
  contradiction.Attr("is_test", 1).Outputs(5);
  ExpectError(contradiction.Run().status(), kInvalid, "only training");
}

TEST(BatchNormalizationTest, NotSpatial) {
  OpTest test("BatchNormalization", 7);
  test.Attr("spatial", 0).Attr("epsilon", 0.0f);
  test.Input(Tensor::Of<float>({2, 1, 2}, {1, 2, 3, 4}));
  const Tensor ones = Tensor::Of<float>({1, 2}, {1, 1});
  test.Input(Tensor::Of<float>({1, 2}, {1, 10})).Input(ones).Input(ones).Input(ones);
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 1, 2}, {1, 11, 3, 31}));
}

TEST(BatchNormalizationTest, NaNStaysInItsChannel) {
  OpTest test("BatchNormalization", 15);
  test.Attr("training_mode", 1).Attr("epsilon", 1.0f).Outputs(3);
  test.Input(Tensor::Of<float>({2, 2}, {kNaN, 0, 1, 0}));
  const Tensor ones = Floats({1, 1});
  test.Input(ones).Input(ones).Input(ones).Input(ones);
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 2}, {kNaN, 1, kNaN, 1}));
}

TEST(BatchNormalizationTest, EmptyBatch) {
  OpTest test("BatchNormalization", 15);
  const Tensor ones = Floats({1, 1});
  test.Input(Tensor::Of<float>({0, 2, 3}, {})).Input(ones).Input(ones).Input(ones).Input(ones);
  ExpectTensor(test.Run(), Tensor::Of<float>({0, 2, 3}, {}));
}

TEST(BatchNormalizationTest, BadInputs) {
  OpTest channels("BatchNormalization", 15);
  channels.Input(kX);
  for (int i = 0; i < 4; ++i) {
    channels.Input(Floats({1, 1, 1}));
  }
  ExpectError(channels.Run().status(), kInvalid, "2 channels");
  OpTest outputs = BatchNormalization(15);
  outputs.Outputs(3);
  ExpectError(outputs.Run().status(), kInvalid, "only training");
}

}  // namespace
}  // namespace onnxcmp::testing
