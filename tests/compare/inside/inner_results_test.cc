#include "compare/inside/inner_results.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compare/sides/model_side.h"
#include "record/differences/tensor_distance.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::RandomFloats;
using ::onnxcmp::testing::Registry;

class InnerResultsTest : public ::testing::Test {
 protected:
  // The steps of a model's only node.
  std::vector<Value> StepsOf(const std::string& text, const std::vector<Value>& inputs) {
    auto side = ModelSide::Open(folder_.Write("m.onnxtxt", text), Registry());
    EXPECT_TRUE(side.ok()) << side.status();
    if (!side.ok()) return {};
    const Node& node = (*side)->evaluator()->model().graph.nodes.front();
    EXPECT_TRUE(HasInnerResults(node));
    how_ = InsideOf(node);
    return InnerResultsOf(node, inputs, *(*side)->evaluator());
  }
  static bool Have(const std::vector<Value>& steps, const std::vector<double>& wanted) {
    for (const Value& step : steps) {
      const std::vector<double> numbers = ElementsOf(step.tensor());
      if (numbers.size() != wanted.size()) continue;
      double most = 0;
      for (size_t i = 0; i < numbers.size(); ++i) {
        most = std::max(most, std::abs(numbers[i] - wanted[i]));
      }
      if (most < 1e-5) return true;
    }
    return false;
  }

  testing::TestFolder folder_;
  std::string how_;
};

TEST_F(InnerResultsTest, LayerNormalization) {
  const Tensor x = RandomFloats({3, 8}, 1);
  const std::vector<Value> steps = StepsOf(R"(<ir_version: 9, opset_import: ["": 17]>
      g (float[3, 8] x, float[8] s) => (float[3, 8] y) { y = LayerNormalization(x, s) })",
                                           {Value(x), Value(RandomFloats({8}, 2))});
  EXPECT_EQ(how_, "inside of a LayerNormalization");
  std::vector<double> means, centered;
  for (size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (size_t i = 0; i < 8; ++i) sum += x.data<float>()[row * 8 + i];
    means.push_back(sum / 8);
    for (size_t i = 0; i < 8; ++i) centered.push_back(x.data<float>()[row * 8 + i] - sum / 8);
  }
  EXPECT_TRUE(Have(steps, means));
  EXPECT_TRUE(Have(steps, centered));
  means[1] += 1e-3;
  EXPECT_FALSE(Have(steps, means));
}

TEST_F(InnerResultsTest, ProductWithoutFactorAndBias) {
  const Tensor a = RandomFloats({2, 3}, 1);
  const Tensor b = RandomFloats({3, 4}, 2);
  std::vector<double> product;
  for (size_t i = 0; i < 2; ++i) {
    for (size_t j = 0; j < 4; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 3; ++k) sum += a.data<float>()[i * 3 + k] * b.data<float>()[k * 4 + j];
      product.push_back(sum);
    }
  }
  EXPECT_TRUE(Have(StepsOf(R"(<ir_version: 9, opset_import: ["": 17]>
      g (float[2, 3] a, float[3, 4] b, float[4] c) => (float[2, 4] y) {
        y = Gemm <alpha = 0.5> (a, b, c)
      })",
                           {Value(a), Value(b), Value(RandomFloats({4}, 3))}),
                   product));
  EXPECT_TRUE(Have(StepsOf(R"(<ir_version: 9, opset_import: ["": 17, "com.microsoft": 1]>
      g (float[2, 3] a, float[3, 4] b) => (float[2, 4] y) {
        y = com.microsoft.FusedMatMul <alpha = 0.25> (a, b)
      })",
                           {Value(a), Value(b)}),
                   product));
  EXPECT_FALSE(Have(StepsOf(R"(<ir_version: 9, opset_import: ["": 17]>
      g (float[2, 3] a, float[3, 4] b) => (float[2, 4] y) { y = Gemm (a, b) })",
                            {Value(a), Value(b)}),
                    product));
}

// Where optimizers find x * Sigmoid(x), alpha is 1.
TEST_F(InnerResultsTest, QuickGeluByItsAlpha) {
  const Tensor x = RandomFloats({4, 3}, 1);
  const auto sigmoids = [&](double alpha) {
    std::vector<double> numbers;
    for (size_t i = 0; i < 12; ++i) {
      numbers.push_back(1 / (1 + std::exp(-alpha * x.data<float>()[i])));
    }
    return numbers;
  };
  const auto steps = [&](const std::string& attribute) {
    return StepsOf(R"(<ir_version: 9, opset_import: ["": 17, "com.microsoft": 1]>
      g (float[4, 3] x) => (float[4, 3] y) { y = com.microsoft.QuickGelu)" +
                       attribute + " (x) }",
                   {Value(x)});
  };
  EXPECT_TRUE(Have(steps("<alpha = 1.0>"), sigmoids(1)));
  EXPECT_FALSE(Have(steps("<alpha = 1.0>"), sigmoids(1.702)));
  EXPECT_TRUE(Have(steps(""), sigmoids(1.702)));
}

// Two heads of size 2: weights of each token for each, of which the model has none.
TEST_F(InnerResultsTest, AttentionWithItsProjections) {
  const Tensor x = RandomFloats({1, 3, 4}, 1);
  const Tensor w = RandomFloats({4, 12}, 2);
  const std::vector<Value> steps = StepsOf(
      R"(<ir_version: 9, opset_import: ["": 17, "com.microsoft": 1]>
      g (float[1, 3, 4] x, float[4, 12] w, float[12] b) => (float[1, 3, 4] y) {
        y = com.microsoft.Attention <num_heads = 2> (x, w, b)
      })",
      {Value(x), Value(w), Value(RandomFloats({12}, 3))});
  EXPECT_EQ(how_, "inside of an Attention");
  bool weights = false;
  for (const Value& step : steps) {
    if (step.tensor().shape() != Shape({1, 2, 3, 3})) continue;
    const std::vector<double> numbers = ElementsOf(step.tensor());
    bool sums = true;
    for (size_t row = 0; row < 6; ++row) {
      const double sum = numbers[row * 3] + numbers[row * 3 + 1] + numbers[row * 3 + 2];
      sums = sums && std::abs(sum - 1) < 1e-5;
    }
    weights = weights || sums;
  }
  EXPECT_TRUE(weights);
}

// Inputs that the operator would refuse have no steps, and do no harm.
TEST_F(InnerResultsTest, NothingOfInputsThatDoNotFit) {
  EXPECT_TRUE(StepsOf(R"(<ir_version: 9, opset_import: ["": 17, "com.microsoft": 1]>
      g (float[1, 3, 4] x, float[4, 12] w) => (float[1, 3, 4] y) {
        y = com.microsoft.Attention <num_heads = 2> (x, w)
      })",
                      {Value(RandomFloats({3, 4}, 1)), Value(RandomFloats({4, 12}, 2))})
                  .empty());
}

}  // namespace
}  // namespace onnxcmp
