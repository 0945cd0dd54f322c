// The gradient operators against the derivatives of the operators that they belong to: central
// differences in double, of sum(dY * f(X)) for each element of X.
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using Function = std::function<absl::StatusOr<Tensor>(const Tensor& x)>;

Tensor Doubles(absl::Span<const int64_t> shape, int64_t step, int64_t modulus, float scale = 4) {
  return Convert(Pattern(shape, step, modulus, scale), DType::kDouble);
}

double Weighted(const absl::StatusOr<Tensor>& y, const Tensor& dy) {
  EXPECT_TRUE(y.ok()) << y.status();
  if (!y.ok()) return 0;
  const Tensor values = *y->Contiguous();
  EXPECT_EQ(values.shape(), dy.shape());
  if (values.shape() != dy.shape()) return 0;
  double sum = 0;
  for (int64_t i = 0; i < dy.num_elements(); ++i) {
    sum += values.data<double>()[i] * dy.data<double>()[i];
  }
  return sum;
}

Tensor NumericGradient(const Tensor& x, const Tensor& dy, const Function& f) {
  constexpr double kStep = 1e-5;
  std::vector<double> gradient;
  const std::vector<double> values(x.data<double>(), x.data<double>() + x.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    double sums[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<double> moved = values;
      moved[i] += side == 0 ? -kStep : kStep;
      sums[side] = Weighted(f(Tensor::Of<double>(x.shape(), moved)), dy);
    }
    gradient.push_back((sums[1] - sums[0]) / (2 * kStep));
  }
  return Tensor::Of<double>(x.shape(), gradient);
}

void ExpectGradient(const absl::StatusOr<Tensor>& got, const Tensor& x, const Tensor& dy,
                    const Function& f) {
  ExpectTensor(got, NumericGradient(x, dy, f), 1e-6, 1e-7);
}

// f(x) = op(x), and its gradient from dY and X, or from dY and Y.
void ExpectUnary(OpTest forward, OpTest gradient, bool takes_output) {
  const Tensor x = Doubles({3, 7}, 5, 11, 6.5f);
  const Tensor dy = Doubles({3, 7}, 3, 7);
  const Function f = [&](const Tensor& at) { return OpTest(forward).Input(at).Run(); };
  gradient.Input(dy).Input(takes_output ? *f(x) : x);
  ExpectGradient(gradient.Run(), x, dy, f);
}

TEST(ActivationGradTest, IsTheDerivative) {
  ExpectUnary(OpTest("Sigmoid", 13), Contrib("SigmoidGrad"), true);
  ExpectUnary(OpTest("Tanh", 13), Contrib("TanhGrad"), true);
  ExpectUnary(OpTest("Sin", 7), OpTest("SinGrad", 9), false);
  ExpectUnary(OpTest("Gelu", 20), Contrib("GeluGrad"), false);
  ExpectUnary(OpTest("Gelu", 20).Attr("approximate", "tanh"), Contrib("FastGeluGrad"), false);
  ExpectUnary(Contrib("QuickGelu").Attr("alpha", 1.5f),
              Contrib("QuickGeluGrad").Attr("alpha", 1.5f), false);
}

TEST(ActivationGradTest, OfReluIsZeroAtZero) {
  const Tensor x = Floats({-1, 0, 2, kNaN});
  const Tensor dy = Floats({5, 5, 5, 5});
  ExpectTensor(Contrib("ReluGrad").Input(dy).Input(x).Run(), Floats({0, 0, 5, 0}));
  ExpectTensor(Contrib("LeakyReluGrad").Attr("alpha", 0.5f).Input(dy).Input(x).Run(),
               Floats({2.5f, 2.5f, 5, 2.5f}));
}

TEST(ActivationGradTest, AddsTheBias) {
  const Tensor x = Doubles({2, 3}, 5, 11);
  const Tensor bias = Doubles({3}, 2, 3);
  const Tensor dy = Doubles({2, 3}, 3, 7);
  const auto gelu = [&](const char* approximate) {
    return [&bias, approximate](const Tensor& at) -> absl::StatusOr<Tensor> {
      const Tensor sum = *OpTest("Add", 14).Input(at).Input(bias).Run();
      return OpTest("Gelu", 20).Attr("approximate", approximate).Input(sum).Run();
    };
  };
  ExpectGradient(Contrib("BiasGeluGrad_dX").Input(dy).Input(x).Input(bias).Run(), x, dy,
                 gelu("none"));
  ExpectGradient(Contrib("BiasFastGeluGrad_dX").Input(dy).Input(x).Input(bias).Run(), x, dy,
                 gelu("tanh"));
  ExpectError(
      Contrib("BiasGeluGrad_dX").Input(dy).Input(x).Input(Doubles({2}, 1, 2)).Run().status(),
      kInvalid, "B must be a vector of the size of the last dimension");
}

TEST(SoftmaxGradTest, IsTheDerivative) {
  const Tensor x = Doubles({2, 3, 4}, 5, 11);
  const Tensor dy = Doubles({2, 3, 4}, 3, 7);
  const auto check = [&](const std::string& forward, int opset, const std::string& gradient,
                         int axis) {
    const Function f = [&](const Tensor& at) {
      return OpTest(forward, opset).Attr("axis", axis).Input(at).Run();
    };
    ExpectGradient(Contrib(gradient).Attr("axis", axis).Input(dy).Input(*f(x)).Run(), x, dy, f);
  };
  check("Softmax", 11, "SoftmaxGrad", 1);
  check("Softmax", 13, "SoftmaxGrad_13", 1);
  check("LogSoftmax", 11, "LogSoftmaxGrad", -2);
  check("LogSoftmax", 13, "LogSoftmaxGrad_13", -1);
}

// X, scale and bias as inputs of LayerNormalization, one of them replaced.
TEST(LayerNormalizationGradTest, IsTheDerivative) {
  const Tensor dy = Doubles({2, 3, 4}, 3, 7);
  // No scale is 0, so that there is a way back.
  const std::vector<Tensor> inputs = {Doubles({2, 3, 4}, 5, 11), Doubles({3, 4}, 2, 6),
                                      Doubles({3, 4}, 4, 9)};
  const auto forward = [&](int input, const Tensor& at) {
    OpTest test("LayerNormalization", 17);
    for (int i = 0; i < 3; ++i) test.Input(i == input ? at : inputs[static_cast<size_t>(i)]);
    return test.Attr("axis", 1).Outputs(3);
  };
  const std::vector<Value> outputs = *forward(0, inputs[0]).RunAll();
  OpTest plain = Contrib("LayerNormalizationGrad");
  plain.Attr("axis", 1).Outputs(3).Input(dy).Input(inputs[0]).Input(inputs[1]);
  plain.Input(outputs[1]).Input(outputs[2]);
  OpTest invertible = Contrib("InvertibleLayerNormalizationGrad");
  invertible.Attr("axis", 1).Outputs(3).Input(dy).Input(outputs[0]).Input(inputs[1]);
  invertible.Input(inputs[2]).Input(outputs[2]);
  for (const OpTest& test : {plain, invertible}) {
    for (int i = 0; i < 3; ++i) {
      // The statistics are floats.
      ExpectTensor(test.Run(i),
                   NumericGradient(inputs[static_cast<size_t>(i)], dy,
                                   [&](const Tensor& at) { return forward(i, at).Run(); }),
                   1e-5, 1e-5);
    }
  }
}

TEST(LayerNormalizationGradTest, SimplifiedSubtractsNoMean) {
  const Tensor dy = Doubles({2, 4}, 3, 7);
  const std::vector<Tensor> inputs = {Doubles({2, 4}, 5, 11), Doubles({4}, 2, 7)};
  const auto forward = [&](int input, const Tensor& at) {
    OpTest test("RMSNormalization", 23);
    for (int i = 0; i < 2; ++i) test.Input(i == input ? at : inputs[static_cast<size_t>(i)]);
    return test.Run();
  };
  std::vector<double> inverse;
  for (int row = 0; row < 2; ++row) {
    double squares = 0;
    for (int i = 0; i < 4; ++i) {
      const double x = inputs[0].data<double>()[row * 4 + i];
      squares += x * x;
    }
    inverse.push_back(1 / std::sqrt(squares / 4 + 1e-5));
  }
  OpTest test = Contrib("SimplifiedLayerNormalizationGrad");
  test.Outputs(2).Input(dy).Input(inputs[0]).Input(inputs[1]);
  test.Input(Tensor::Of<double>({2, 1}, inverse));
  for (int i = 0; i < 2; ++i) {
    ExpectGradient(test.Run(i), inputs[static_cast<size_t>(i)], dy,
                   [&](const Tensor& at) { return forward(i, at); });
  }
}

TEST(BatchNormalizationGradTest, IsTheDerivative) {
  const Tensor dy = Doubles({2, 2, 3}, 3, 7);
  const std::vector<Tensor> inputs = {Doubles({2, 2, 3}, 5, 11), Doubles({2}, 1, 3),
                                      Doubles({2}, 2, 5)};
  const auto forward = [&](int input, const Tensor& at) {
    OpTest test("BatchNormalization", 15);
    for (int i = 0; i < 3; ++i) test.Input(i == input ? at : inputs[static_cast<size_t>(i)]);
    test.Input(Doubles({2}, 1, 2)).Input(Doubles({2}, 1, 2)).Attr("training_mode", 1);
    return test.Outputs(3).Attr("momentum", 0.0f);  // the running statistics are the batch's
  };
  const std::vector<Value> outputs = *forward(0, inputs[0]).RunAll();
  const Tensor variance = outputs[2].tensor();
  std::vector<double> inverse;
  for (int c = 0; c < 2; ++c) inverse.push_back(1 / std::sqrt(variance.data<double>()[c] + 1e-5));
  OpTest test = Contrib("BatchNormalizationGrad");
  test.Attr("epsilon", 1e-5f).Outputs(3).Input(dy).Input(inputs[0]).Input(inputs[1]);
  test.Input(outputs[1]).Input(Tensor::Of<double>({2}, inverse));
  for (int i = 0; i < 3; ++i) {
    ExpectGradient(test.Run(i), inputs[static_cast<size_t>(i)], dy,
                   [&](const Tensor& at) { return forward(i, at).Run(); });
  }
}

TEST(GatherGradTest, IsTheDerivative) {
  const Tensor x = Doubles({3, 4}, 5, 11);
  const Tensor shape = Ints({3, 4});
  const Tensor indices = Tensor::Of<int64_t>({2, 2}, {3, 0, -1, 3});
  const Tensor dy = Doubles({3, 2, 2}, 3, 7);
  ExpectGradient(Contrib("GatherGrad").Attr("axis", 1).Input(shape).Input(indices).Input(dy).Run(),
                 x, dy, [&](const Tensor& at) {
                   return OpTest("Gather", 13).Attr("axis", 1).Input(at).Input(indices).Run();
                 });
  const Tensor tuples = Tensor::Of<int64_t>({3, 1}, {2, -2, 2});
  const Tensor rows = Doubles({3}, 3, 7);
  ExpectGradient(
      Contrib("GatherNDGrad").Attr("batch_dims", 1).Input(shape).Input(tuples).Input(rows).Run(), x,
      rows, [&](const Tensor& at) {
        return OpTest("GatherND", 13).Attr("batch_dims", 1).Input(at).Input(tuples).Run();
      });
  const Tensor elements = Tensor::Of<int64_t>({2, 4}, {0, 1, 2, 0, 0, -1, 2, 1});
  const Tensor dy2 = Doubles({2, 4}, 3, 7);
  ExpectGradient(Contrib("GatherElementsGrad").Input(dy2).Input(shape).Input(elements).Run(), x,
                 dy2, [&](const Tensor& at) {
                   return OpTest("GatherElements", 13).Input(at).Input(elements).Run();
                 });
}

TEST(GatherGradTest, RefusesWhatDoesNotFit) {
  ExpectError(
      Contrib("GatherGrad").Input(Ints({2})).Input(Ints({2})).Input(Floats({1})).Run().status(),
      kInvalid, "index 2 is out of range for axis 0 of size 2");
  ExpectError(
      Contrib("GatherGrad").Input(Ints({2})).Input(Ints({0})).Input(Floats({1, 2})).Run().status(),
      kInvalid, "updates have shape [2], not [1]");
  ExpectError(
      Contrib("GatherGrad").Input(Ints({-2})).Input(Ints({0})).Input(Floats({1})).Run().status(),
      kInvalid, "cannot have the shape");
}

TEST(SliceGradTest, IsTheDerivative) {
  const Tensor x = Doubles({3, 5}, 5, 11);
  const Tensor dy = Doubles({2, 2}, 3, 7);
  const auto slice = [&](OpTest test) {
    return test.Input(Ints({0, 4}))
        .Input(Ints({2, 0}))
        .Input(Ints({0, 1}))
        .Input(Ints({1, -2}))
        .Run();
  };
  ExpectGradient(slice(Contrib("SliceGrad").Input(dy).Input(Ints({3, 5}))), x, dy,
                 [&](const Tensor& at) { return slice(OpTest("Slice", 13).Input(at)); });
  ExpectError(slice(Contrib("SliceGrad").Input(Floats({1})).Input(Ints({3, 5}))).status(), kInvalid,
              "the slice is float[2,2]");
}

TEST(ConvGradTest, IsTheDerivative) {
  const Tensor dy = Doubles({2, 4, 3, 2}, 3, 7);
  const std::vector<Tensor> inputs = {Doubles({2, 4, 5, 4}, 5, 11), Doubles({4, 2, 2, 3}, 2, 7),
                                      Doubles({4}, 4, 9)};
  const auto with_attributes = [](OpTest test) {
    return test.Attr("group", 2)
        .Attr("strides", std::vector<int64_t>{2, 2})
        .Attr("pads", std::vector<int64_t>{1, 0, 0, 1});
  };
  OpTest test = with_attributes(Contrib("ConvGrad"));
  test.Outputs(3).Input(dy).Input(inputs[0]).Input(inputs[1]);
  for (int i = 0; i < 3; ++i) {
    ExpectGradient(test.Run(i), inputs[static_cast<size_t>(i)], dy, [&](const Tensor& at) {
      OpTest forward = with_attributes(OpTest("Conv", 11));
      for (int j = 0; j < 3; ++j) forward.Input(i == j ? at : inputs[static_cast<size_t>(j)]);
      return forward.Run();
    });
  }
}

TEST(DivGradTest, IsTheDerivative) {
  const Tensor a = Doubles({2, 1, 3}, 5, 11);
  const Tensor b = Tensor::Of<double>({4, 1}, {1, -2, 3, 0.5});
  const Tensor dy = Doubles({2, 4, 3}, 3, 7);
  OpTest test = Contrib("DivGrad").Outputs(2).Input(dy).Input(a).Input(b);
  ExpectGradient(test.Run(0), a, dy,
                 [&](const Tensor& at) { return OpTest("Div", 14).Input(at).Input(b).Run(); });
  ExpectGradient(test.Run(1), b, dy,
                 [&](const Tensor& at) { return OpTest("Div", 14).Input(a).Input(at).Run(); });
  ExpectOutputs(
      Contrib("BroadcastGradientArgs").Outputs(2).Input(Ints({2, 1, 3})).Input(Ints({4, 1})),
      {Ints({1}), Ints({2, 0})});
  ExpectError(Contrib("BroadcastGradientArgs").Input(Ints({2})).Input(Ints({3})).Run().status(),
              kInvalid, "cannot be broadcast");
}

TEST(CrossEntropyGradTest, IsTheDerivative) {
  const Tensor x = Doubles({2, 3, 2}, 5, 11);
  const Tensor labels = Tensor::Of<int64_t>({2, 2}, {2, 0, 1, 2});
  const Tensor weights = Tensor::Of<double>({3}, {0.5, 2, 1});
  for (const char* reduction : {"mean", "sum", "none"}) {
    for (int ignored : {-1, 1}) {
      const auto forward = [&](const Tensor& at) {
        OpTest test("SoftmaxCrossEntropyLoss", 13);
        test.Attr("reduction", reduction).Attr("ignore_index", ignored);
        return test.Outputs(2).Input(at).Input(labels).Input(weights);
      };
      const std::vector<Value> outputs = *forward(x).RunAll();
      const Tensor loss = outputs[0].tensor();
      const Tensor dy = loss.rank() == 0 ? Tensor::Scalar<double>(1.5) : Doubles({2, 2}, 3, 7);
      OpTest test = Contrib("SoftmaxCrossEntropyLossGrad");
      test.Attr("reduction", reduction).Attr("ignore_index", ignored);
      test.Input(dy).Input(outputs[1]).Input(labels).Input(weights);
      const Function f = [&](const Tensor& at) { return forward(at).Run(); };
      ExpectGradient(test.Run(), x, dy, f);
      OpTest internal = Contrib("SoftmaxCrossEntropyLossInternalGrad");
      internal.Attr("reduction", reduction).Input(dy).Input(outputs[1]).Input(labels);
      internal.Input(weights).Input(Tensor::Scalar<int64_t>(ignored));
      ExpectGradient(internal.Run(), x, dy, f);
    }
  }
}

// Gradients by distributions and by classes, along the last axis; y is the loss, 1 the
// log-probabilities.
TEST(CrossEntropyGradTest, OfTheLastAxis) {
  const Tensor x = Doubles({2, 2, 3}, 5, 11);
  const Tensor dy = Tensor::Scalar<double>(1.5);
  const Tensor dense =
      Tensor::Of<double>({2, 2, 3}, {0.2, 0.3, 0.5, 1, 0, 0, 0.25, 0.25, 0.5, 0.5, 0.125, 0.375});
  const Tensor classes = Tensor::Of<int64_t>({2, 2}, {2, 0, 1, 2});
  const Tensor weights = Tensor::Of<double>({2, 2}, {0.5, 2, 1, 3});
  for (const char* reduction : {"mean", "sum"}) {
    const auto check = [&](const OpTest& forward, const OpTest& gradient,
                           const std::vector<Tensor>& labels) {
      const auto with = [&](OpTest test, const std::vector<Tensor>& inputs) {
        test.Attr("reduction", reduction).Outputs(inputs.size() == 1 ? 2 : 1);
        for (const Tensor& input : inputs) test.Input(input);
        for (const Tensor& label : labels) test.Input(label);
        return test;
      };
      const Tensor log_prob = *with(forward, {x}).Run(1);
      ExpectGradient(with(gradient, {dy, log_prob}).Run(), x, dy,
                     [&](const Tensor& at) { return with(forward, {at}).Run(); });
    };
    check(Contrib("SoftmaxCrossEntropy"), Contrib("SoftmaxCrossEntropyGrad"), {dense});
    check(OpTest("SparseSoftmaxCrossEntropy", 9), OpTest("SparseSoftmaxCrossEntropyGrad", 9),
          {classes, weights});
  }
}

// The gradient of the first for labels that do not add up to 1 is onnxruntime's, which takes it
// that they do. The values: log(1 + e) of two classes with scores 0 and 1, and 1 less.
TEST(CrossEntropyGradTest, ValuesOfTheLastAxis) {
  const Tensor scores = Tensor::Of<float>({2, 2}, {0, 1, 0, 1});
  OpTest dense = Contrib("SoftmaxCrossEntropy");
  dense.Input(scores).Input(Tensor::Of<float>({2, 2}, {1, 0, 0, 1}));
  ExpectTensor(dense.Run(), Tensor::Scalar<float>((1.3132616875f + 0.3132616875f) / 2), 1e-6);
  OpTest sparse("SparseSoftmaxCrossEntropy", 9);
  sparse.Input(scores).Input(Ints({0, 1})).Input(Floats({1, 3}));
  ExpectTensor(sparse.Run(), Tensor::Scalar<float>((1.3132616875f + 3 * 0.3132616875f) / 4), 1e-6);
  ExpectError(
      OpTest("SparseSoftmaxCrossEntropy", 9).Input(scores).Input(Ints({0, 2})).Run().status(),
      kInvalid, "label 2 is none of 2 classes");
  ExpectError(Contrib("SoftmaxCrossEntropy")
                  .Attr("reduction", "none")
                  .Input(scores)
                  .Input(scores)
                  .Run()
                  .status(),
              kInvalid, "reduction must be mean or sum");
}

TEST(CrossEntropyGradTest, InternalMeanOfNothingIsZero) {
  OpTest test = Contrib("SoftmaxCrossEntropyLossInternal");
  test.Outputs(2).Input(Iota({1, 2})).Input(Ints({1})).NoInput();
  ExpectTensor(test.Input(Tensor::Scalar<int64_t>(1)).Run(), Tensor::Scalar<float>(0));
  ExpectError(Contrib("SoftmaxCrossEntropyLossGrad")
                  .Input(Tensor::Scalar<float>(1))
                  .Input(Iota({1, 2}))
                  .Input(Ints({2}))
                  .Run()
                  .status(),
              kInvalid, "label 2 is none of 2 classes");
}

TEST(DropoutGradTest, ScalesWhatWasKept) {
  const Tensor dy = Floats({1, 2, 3, kNaN});
  const Tensor mask = Bools({4}, {1, 0, 1, 0});
  ExpectTensor(Contrib("DropoutGrad").Input(dy).Input(mask).Run(), Floats({2, 0, 6, 0}));
  ExpectTensor(
      Contrib("DropoutGrad").Input(dy).Input(mask).Input(Tensor::Scalar<float>(0.75f)).Run(),
      Floats({4, 0, 12, 0}));
  ExpectTensor(Contrib("BitmaskDropoutGrad").Input(dy).Input(Tensor::Of<uint32_t>({1}, {5})).Run(),
               Floats({2, 0, 6, 0}));
  ExpectError(
      Contrib("DropoutGrad").Input(dy).Input(mask).Input(Tensor::Scalar<float>(1)).Run().status(),
      kInvalid, "ratio 1 is not in [0, 1)");
}

}  // namespace
}  // namespace onnxcmp::testing
