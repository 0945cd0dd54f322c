#include "tools/parts/part.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/load/onnx_library.h"
#include "evaluator/run/evaluator.h"
#include "ops/operators.h"
#include "tools/parts/checked_model.h"
#include "tools/parts/known_model.h"
#include "tools/parts/part_pair.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr char kCutModel[] = R"(<ir_version: 10, opset_import: ["" : 18]>
    g (float[n, 2] x) => (float[n, 2] y) <float[2] w = {2, 3}> {
      a = Neg(x)
      c = Add(w, w)
      b = Mul(a, c)
      s = Shape(b)
      y = Exp(b)
    })";

class PartTest : public ::testing::Test {
 protected:
  KnownModel Known(const std::string& text,
                   Feeds feeds = {{"x", Tensor::Of<float>({1, 2}, {1, -1})}}) const {
    auto proto = std::make_shared<onnx::ModelProto>();
    EXPECT_TRUE(ParseOnnxText(text, proto.get()).ok());
    return RunKnownModel(std::move(proto), std::move(feeds), registry_, {}).value();
  }
  static std::vector<std::string> Inputs(const FedModel& part) {
    std::vector<std::string> names;
    for (const auto& input : part.proto.graph().input()) names.push_back(input.name());
    return names;
  }
  static std::vector<std::string> Constants(const FedModel& part) {
    std::vector<std::string> names;
    for (const auto& constant : part.proto.graph().initializer()) names.push_back(constant.name());
    return names;
  }
  static std::vector<std::string> Outputs(const FedModel& part) {
    std::vector<std::string> names;
    for (const auto& output : part.proto.graph().output()) names.push_back(output.name());
    return names;
  }
  const OpRegistry registry_ = AllOperators();
};

TEST_F(PartTest, ValuesFromOutsideAreTrue) {
  const KnownModel known = Known(kCutModel);
  const FedModel part = MakePart(known, {.nodes = {2}}).value();
  EXPECT_THAT(Inputs(part), ElementsAre("a"));
  EXPECT_THAT(Outputs(part), ElementsAre("b"));
  // It depends on no input, so that it stays a constant.
  EXPECT_THAT(Constants(part), ElementsAre("c"));
  EXPECT_THAT(part.feeds.at("a").tensor().AsSpan<float>(), ElementsAre(-1, 1));
  // The symbol of the model's input stays.
  EXPECT_EQ(part.proto.graph().input(0).type().tensor_type().shape().dim(0).dim_param(), "n");
}

TEST_F(PartTest, AnySetOfNodesIsAModel) {
  const KnownModel known = Known(kCutModel);
  for (int set = 1; set < 32; ++set) {
    PartChoice choice;
    for (int i = 0; i < 5; ++i) {
      if ((set >> i & 1) != 0) choice.nodes.push_back(i);
    }
    FedModel part = MakePart(known, choice).value();
    TypeOutputs(registry_, known.values, &part.proto);
    EXPECT_TRUE(CheckModel(registry_, {}, part.proto).ok())
        << set << ": " << CheckModel(registry_, {}, part.proto).message();
    const absl::StatusOr<KnownModel> ran =
        RunKnownModel(std::make_shared<onnx::ModelProto>(part.proto), part.feeds, registry_, {});
    ASSERT_TRUE(ran.ok()) << set << ": " << ran.status().message();
    EXPECT_FALSE(Outputs(part).empty()) << set;
  }
  EXPECT_FALSE(MakePart(known, {}).ok());
}

TEST_F(PartTest, ConstantsInPlaceOfInputs) {
  const FedModel part = MakePart(Known(kCutModel), {.nodes = {2}, .constants = true}).value();
  EXPECT_THAT(Inputs(part), IsEmpty());
  EXPECT_THAT(Constants(part), UnorderedElementsAre("a", "c"));
  EXPECT_THAT(part.feeds, IsEmpty());
}

TEST_F(PartTest, AnInitializerThatIsFedHasTheFedValue) {
  const KnownModel known =
      Known(R"(<ir_version: 10, opset_import: ["" : 18]>
      g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {3, 4}> {
        a = Neg(x)
        y = Mul(a, w)
      })",
            {{"x", Tensor::Of<float>({2}, {1, 2})}, {"w", Tensor::Of<float>({2}, {5, 6})}});
  EXPECT_THAT(known.values.at("y").tensor().AsSpan<float>(), ElementsAre(-5, -12));
  const FedModel part = MakePart(known, {.nodes = {1}}).value();
  EXPECT_THAT(Inputs(part), ElementsAre("w", "a"));
  EXPECT_THAT(part.feeds.at("w").tensor().AsSpan<float>(), ElementsAre(5, 6));
}

TEST_F(PartTest, NodesBetweenResults) {
  const KnownModel known = Known(kCutModel);
  EXPECT_THAT(NodesBetween(known, {"a"}, {"y"}).value(), ElementsAre(1, 2, 4));
  EXPECT_THAT(NodesBetween(known, {}, {"b"}).value(), ElementsAre(0, 1, 2));
  EXPECT_THAT(NodesBetween(known, {"s"}, {"y"}).status().message(),
              HasSubstr("y is not computed from s"));
}

TEST_F(PartTest, AsAFunctionItGivesTheSame) {
  FedModel part = MakePart(Known(kCutModel), {.nodes = {0, 1, 2}}).value();
  part.proto = AsFunction(part.proto, "block").value();
  EXPECT_EQ(part.proto.graph().node_size(), 1);
  const KnownModel ran =
      RunKnownModel(std::make_shared<onnx::ModelProto>(part.proto), part.feeds, registry_, {})
          .value();
  EXPECT_THAT(ran.values.at("b").tensor().AsSpan<float>(), ElementsAre(-4, 6));
}

TEST_F(PartTest, TheCheckerRefusesWhatIsWrong) {
  const KnownModel known = Known(kCutModel);
  FedModel part = MakePart(known, {.nodes = {2}}).value();
  TypeOutputs(registry_, known.values, &part.proto);
  EXPECT_TRUE(CheckModel(registry_, {}, part.proto).ok());
  part.proto.mutable_graph()->mutable_node(0)->add_input("nobody");
  EXPECT_FALSE(CheckModel(registry_, {}, part.proto).ok());
  EXPECT_FALSE(ChecksPassedBy(registry_, part.proto).checker);
  EXPECT_TRUE(CheckModel(registry_, {.checker = false, .inference = false}, part.proto).ok());
}

TEST_F(PartTest, TwoModelsAreFedTheLeftsValues) {
  const KnownModel left = Known(kCutModel);
  const KnownModel right = Known(R"(<ir_version: 10, opset_import: ["" : 18]>
      g (float[n, 2] x) => (float[n, 2] y) <float[2] c = {4, 7}> {
        aa = Neg(x)
        b = Mul(aa, c)
        y = Exp(b)
      })");
  const PerSide<FedModel> parts =
      MakePartPair({&left, &right}, {{"a", "aa"}}, {{"b", "b"}}, SmallConstants::kAsTheyAre)
          .value();
  EXPECT_THAT(Inputs(parts.left), ElementsAre("a"));
  EXPECT_THAT(Inputs(parts.right), ElementsAre("a"));
  EXPECT_TRUE(CanCutAt({&left, &right}, {"a", "aa"}));
  EXPECT_FALSE(CanCutAt({&left, &right}, {"s", "aa"}));
}

}  // namespace
}  // namespace onnxcmp
