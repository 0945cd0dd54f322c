#include "tools/reduce/changes.h"

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/load/onnx_library.h"
#include "ops/operators.h"
#include "tools/parts/known_model.h"

namespace onnxcmp {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;

class ChangesTest : public ::testing::Test {
 protected:
  void Load(const std::string& graph, Feeds feeds) {
    auto proto = std::make_shared<onnx::ModelProto>();
    ASSERT_TRUE(
        ParseOnnxText("<ir_version: 10, opset_import: [\"\" : 18]> g " + graph, proto.get()).ok());
    known_ = RunKnownModel(std::move(proto), std::move(feeds), registry_, {}).value();
  }
  // The models that the changes make, as far as they run.
  std::vector<FedModel> Made(const std::vector<ReduceChange>& changes) const {
    std::vector<FedModel> made;
    for (const ReduceChange& change : changes) {
      FedModel model{*known_.proto, known_.feeds};
      if (!change.apply(known_, &model)) continue;
      RemoveUnread(&model);
      if (RunKnownModel(std::make_shared<onnx::ModelProto>(model.proto), model.feeds, registry_, {})
              .ok()) {
        made.push_back(std::move(model));
      }
    }
    return made;
  }
  static std::vector<std::string> Operators(const FedModel& model) {
    std::vector<std::string> names;
    for (const auto& node : model.proto.graph().node()) names.push_back(node.op_type());
    return names;
  }
  const OpRegistry registry_ = AllOperators();
  KnownModel known_;
};

TEST_F(ChangesTest, UnreadThingsGo) {
  Load(
      "(float[2] x, float[2] z) => (float[2] y) <float[2] w = {1, 2}, float[2] v = {1, 2}> "
      "{ a = Neg(x) y = Mul(a, w) }",
      {{"x", Tensor::Of<float>({2}, {1, 2})}, {"z", Tensor::Of<float>({2}, {1, 2})}});
  FedModel model{*known_.proto, known_.feeds};
  model.proto.mutable_graph()->mutable_output(0)->set_name("a");
  RemoveUnread(&model);
  EXPECT_THAT(Operators(model), ElementsAre("Neg"));
  EXPECT_EQ(model.proto.graph().initializer_size(), 0);
  EXPECT_EQ(model.proto.graph().input_size(), 1);
  EXPECT_EQ(model.feeds.size(), 1U);
}

TEST_F(ChangesTest, BypassJoinsNeighbours) {
  Load("(float[2] x) => (float[2] y) { a = Neg(x) b = Abs(a) y = Exp(b) }",
       {{"x", Tensor::Of<float>({2}, {1, 2})}});
  std::vector<std::vector<std::string>> operators;
  for (const FedModel& model : Made(BypassChanges(known_))) operators.push_back(Operators(model));
  EXPECT_THAT(operators, Contains(ElementsAre("Neg", "Exp")));
  EXPECT_THAT(operators, Contains(ElementsAre("Abs", "Exp")));
}

TEST_F(ChangesTest, SizesAreCutEverywhereAtOnce) {
  Load("(float[6, 4] x) => (float[6, 4] y) <float[4] w = {1, 2, 3, 4}> { y = Mul(x, w) }",
       {{"x", Tensor::Of<float>({6, 4}, std::vector<float>(24, 1))}});
  std::vector<Shape> shapes;
  for (const FedModel& model : Made(SizeChanges(known_))) {
    shapes.push_back(model.feeds.at("x").tensor().shape());
  }
  EXPECT_THAT(shapes, Contains(Shape{1, 4}));
  EXPECT_THAT(shapes, Contains(Shape{6, 1}));
}

TEST_F(ChangesTest, TheOddestNumberStays) {
  std::vector<float> numbers(24, 1);
  numbers[13] = std::numeric_limits<float>::infinity();
  Load("(float[6, 4] x) => (float[6, 4] y) { y = Neg(x) }",
       {{"x", Tensor::Of<float>({6, 4}, numbers)}});
  const std::vector<FedModel> made = Made(SizeChanges(known_));
  ASSERT_FALSE(made.empty());
  const Tensor first = made.front().feeds.at("x").tensor();
  EXPECT_EQ(first.shape(), (Shape{1, 4}));
  EXPECT_THAT(first.AsSpan<float>(), Contains(std::numeric_limits<float>::infinity()));
}

TEST_F(ChangesTest, NumbersBecomeSimpler) {
  Load("(float[2] x) => (float[2] y) <float[2] w = {1.25, 2.5}> { y = Mul(x, w) }",
       {{"x", Tensor::Of<float>({2}, {0.5, -7})}});
  const std::vector<FedModel> made = Made(NumberChanges(known_, /*inputs=*/true));
  EXPECT_THAT(made.front().feeds.at("x").tensor().AsSpan<float>(), Each(0));
  std::vector<std::vector<float>> values;
  for (const FedModel& model : made) {
    const auto span = model.feeds.at("x").tensor().AsSpan<float>();
    values.emplace_back(span.begin(), span.end());
  }
  EXPECT_THAT(values, Contains(ElementsAre(0, -7)));
  EXPECT_THAT(values, Contains(ElementsAre(1, 1)));
  // The inputs of a command that does not read them stay.
  for (const FedModel& model : Made(NumberChanges(known_, /*inputs=*/false))) {
    EXPECT_THAT(model.feeds.at("x").tensor().AsSpan<float>(), ElementsAre(0.5, -7));
  }
}

TEST_F(ChangesTest, ZerosHaveNothingSimpler) {
  Load("(float[2] x) => (float[2] y) { y = Neg(x) }", {{"x", Tensor::Of<float>({2}, {0, 0})}});
  EXPECT_TRUE(Made(NumberChanges(known_, true)).empty());
}

TEST_F(ChangesTest, AttributesAndInputsGo) {
  Load(
      "(float[2, 2] x) => (float[2, 2] y) <float low = {0}, float high = {1}> "
      "{ a = Softmax<axis = 0>(x) y = Clip(a, low, high) }",
      {{"x", Tensor::Of<float>({2, 2}, {1, 2, 3, 4})}});
  bool without_axis = false, without_high = false;
  for (const FedModel& model : Made(AttributeChanges(known_))) {
    without_axis = without_axis || model.proto.graph().node(0).attribute_size() == 0;
  }
  for (const FedModel& model : Made(InputChanges(known_))) {
    without_high = without_high || model.proto.graph().node(1).input_size() == 2;
  }
  EXPECT_TRUE(without_axis);
  EXPECT_TRUE(without_high);
}

}  // namespace
}  // namespace onnxcmp
