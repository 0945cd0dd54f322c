// Adagrad, Adam and Momentum: one step by hand for several tensors. ONNX's node tests have more.
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::ExpectError;
using testing::ExpectTensor;
using testing::kInvalid;
using testing::OpTest;

constexpr char kDomain[] = "ai.onnx.preview.training";

TEST(MomentumTest, TwoTensorsOfTheirOwnShapes) {
  OpTest test("Momentum", 1, kDomain);
  test.Attr("alpha", 0.5f)
      .Attr("beta", 2.0f)
      .Attr("mode", "standard")
      .Attr("norm_coefficient", 1.0f)
      .Input(Tensor::Scalar<float>(0.5f))
      .Input(Tensor::Scalar<int64_t>(1))
      .Input(Tensor::Of<float>({1}, {1}))
      .Input(Tensor::Of<float>({2}, {2, 4}))
      .Input(Tensor::Of<float>({1}, {3}))
      .Input(Tensor::Of<float>({2}, {-1, -2}))
      .Input(Tensor::Of<float>({1}, {2}))
      .Input(Tensor::Of<float>({2}, {0, 2}))
      .Outputs(4);
  ExpectTensor(test.Run(0), Tensor::Of<float>({1}, {-3.5f}));  // 1 - 0.5 * 9
  ExpectTensor(test.Run(1), Tensor::Of<float>({2}, {1, 1.5f}));
  ExpectTensor(test.Run(2), Tensor::Of<float>({1}, {9}));  // 0.5 * 2 + 2 * (1 + 3)
  ExpectTensor(test.Run(3), Tensor::Of<float>({2}, {2, 5}));
}

TEST(MomentumTest, NesterovInTheFirstStep) {
  OpTest test("Momentum", 1, kDomain);
  test.Attr("alpha", 0.5f)
      .Attr("beta", 2.0f)
      .Attr("mode", "nesterov")
      .Attr("norm_coefficient", 0.0f)
      .Input(Tensor::Scalar<double>(1))
      .Input(Tensor::Scalar<int64_t>(0))
      .Input(Tensor::Of<double>({1}, {1}))
      .Input(Tensor::Of<double>({1}, {3}))
      .Input(Tensor::Of<double>({1}, {2}))
      .Outputs(2);
  ExpectTensor(test.Run(0), Tensor::Of<double>({1}, {-4}));  // 1 - (3 + 0.5 * 4)
  ExpectTensor(test.Run(1), Tensor::Of<double>({1}, {4}));   // 0.5 * 2 + 1 * 3
}

TEST(AdagradTest, OneStep) {
  OpTest test("Adagrad", 1, kDomain);
  test.Attr("decay_factor", 1.0f)
      .Attr("epsilon", 1.0f)
      .Attr("norm_coefficient", 0.5f)
      .Input(Tensor::Scalar<float>(4))
      .Input(Tensor::Scalar<int64_t>(1))
      .Input(Tensor::Of<float>({1}, {2}))
      .Input(Tensor::Of<float>({1}, {3}))
      .Input(Tensor::Of<float>({1}, {9}))
      .Outputs(2);
  ExpectTensor(test.Run(0), Tensor::Of<float>({1}, {2.0f - 2 * 4 / 6.0f}), 1e-6);
  ExpectTensor(test.Run(1), Tensor::Of<float>({1}, {25}));
}

TEST(AdamTest, OneStep) {
  OpTest test("Adam", 1, kDomain);
  test.Attr("alpha", 0.5f)
      .Attr("beta", 0.75f)
      .Attr("epsilon", 1.0f)
      .Attr("norm_coefficient_post", 0.5f)
      .Input(Tensor::Scalar<float>(2))
      .Input(Tensor::Scalar<int64_t>(1))
      .Input(Tensor::Of<float>({1}, {1}))
      .Input(Tensor::Of<float>({1}, {2}))
      .Input(Tensor::Of<float>({1}, {4}))
      .Input(Tensor::Of<float>({1}, {4}))
      .Outputs(3);
  ExpectTensor(test.Run(0), Tensor::Of<float>({1}, {-0.5f}));  // (1 - 2 * 3 / 3) / 2
  ExpectTensor(test.Run(1), Tensor::Of<float>({1}, {3}));
  ExpectTensor(test.Run(2), Tensor::Of<float>({1}, {4}));
}

TEST(AdamTest, TensorsComeInGroupsOfOneShape) {
  OpTest test("Adam", 1, kDomain);
  test.Input(Tensor::Scalar<float>(2)).Input(Tensor::Scalar<int64_t>(1)).Outputs(1);
  OpTest other = test;
  for (int i = 0; i < 3; ++i) {
    test.Input(Tensor::Of<float>({1}, {1}));
    other.Input(Tensor::Of<float>({1}, {1}));
  }
  ExpectError(test.Run().status(), kInvalid, "3 tensors are not 4 for each one");
  other.Input(Tensor::Of<float>({2}, {1, 1}));
  ExpectError(other.Run().status(), kInvalid, "what belongs to it is float[2]");
}

}  // namespace
}  // namespace onnxcmp
