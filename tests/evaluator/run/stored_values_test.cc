// Runs on weights that are in memory only while a node reads them.
#include "evaluator/run/stored_values.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/load/load_model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/shared_weights.h"
#include "gtest/gtest.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr int64_t kSize = 20000;

// Reads w directly, in a loop that captures it, in a branch that has a weight of its own, in a
// function, and as a view.
constexpr char kModel[] = R"(<ir_version: 10, opset_import: ["" : 21, "local" : 1]>
  g (float[20000] x) => (float[20000] sum, float[20000] looped, float[20000] chosen,
                         float[100, 200] view, float[20000] called)
  <float[20000] w = ["location": "w.data", "offset": "1"], int64 n = {3}, bool yes = {1},
   int64[2] shape = {100, 200}>
  {
    sum = Add(x, w)
    looped = Loop(n, yes, x) <body = b (int64 i, bool c, float[20000] a)
                                       => (bool d, float[20000] s)
      <float[20000] u = ["location": "w.data", "offset": "3"]>
      {
        d = Identity(c)
        t = Add(a, w)
        s = Add(t, u)
      }>
    chosen = If(yes) <then_branch = t () => (float[20000] p)
                        <float[20000] v = ["location": "w.data", "offset": "2"]>
                        { p = Add(w, v) },
                      else_branch = e () => (float[20000] q) { q = Identity(w) }>
    view = Reshape(w, shape)
    called = local.Twice(w)
  }
  <domain: "local", opset_import: ["" : 21]> Twice (a) => (b) { b = Add(a, a) })";

class StoredValuesTest : public ::testing::Test {
 protected:
  StoredValuesTest() {
    std::string bytes;
    for (int64_t i = 0; i <= kSize; ++i) {
      const float number = static_cast<float>(i) / 64;
      bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
    }
    folder_.Write("w.data", bytes);
  }

  std::shared_ptr<const Model> Load(std::shared_ptr<SharedWeights> weights, Functions functions) {
    LoadOptions options;
    options.functions = functions;
    options.weights = std::move(weights);
    LoadedModel model = LoadModel(folder_.Write("m.onnxtxt", kModel), Registry(), options);
    EXPECT_TRUE(model.ok()) << model.status();
    return *model;
  }

  static std::vector<Value> Run(const std::shared_ptr<const Model>& model,
                                const EvaluatorOptions& options) {
    const auto evaluator = Evaluator::Create(model, Registry(), options);
    EXPECT_TRUE(evaluator.ok()) << evaluator.status();
    const Tensor x = Tensor::Of<float>({kSize}, std::vector<float>(kSize, 0.5F));
    auto outputs = evaluator->Run({{"x", x}});
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    return *outputs;
  }

  TestFolder folder_;
};

TEST_F(StoredValuesTest, OutputsAreThoseOfWeightsInMemory) {
  for (const Functions functions : {Functions::kInline, Functions::kKeep}) {
    for (const bool in_double : {false, true}) {
      EvaluatorOptions options;
      options.in_double = in_double;
      const auto expected = Run(Load(nullptr, functions), options);
      const auto model = Load(std::make_shared<SharedWeights>(), functions);
      const auto actual = Run(model, options);
      ASSERT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < actual.size(); ++i) {
        ExpectTensor(actual[i].tensor(), expected[i].tensor());
      }
    }
  }
}

TEST_F(StoredValuesTest, NobodyKeepsThem) {
  const auto model = Load(std::make_shared<SharedWeights>(), Functions::kInline);
  const Tensor& w = model->graph.initializers[0].value.tensor();
  ASSERT_TRUE(w.stored());
  Run(model, {});
  // Else it would be this very memory.
  EXPECT_NE(w.InMemory(nullptr)->buffer()->address(), w.buffer()->address());
}

TEST_F(StoredValuesTest, ANodeAlone) {
  const auto model = Load(std::make_shared<SharedWeights>(), Functions::kInline);
  const auto evaluator = Evaluator::Create(model, Registry(), {});
  ASSERT_TRUE(evaluator.ok()) << evaluator.status();
  const Value& w = model->graph.initializers[0].value;
  const auto twice = evaluator->RunNode(0, {w, w}, {});
  ASSERT_TRUE(twice.ok()) << twice.status();
  EXPECT_EQ((*twice)[0].tensor().data<float>()[64], 2 * w.tensor().data<float>()[64]);
}

}  // namespace
}  // namespace onnxcmp::testing
