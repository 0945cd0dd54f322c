#include "evaluator/load/expansion.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "onnx/defs/schema.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;

// acme.Shout <of = name> (x): y = x + x, for each node that `of` is computed with once more; an
// error if it names no value. Its nodes are called "shout".
absl::Status Shout(const Node& node, ExpansionScope& scope) {
  const auto& name = std::get<std::string>(node.attributes.at("of"));
  if (!scope.Knows(name)) return absl::InvalidArgumentError(absl::StrCat("no ", name));
  std::string value = node.inputs[0];
  for (const Node* maker = scope.Producer(name); maker != nullptr;) {
    OC_ASSIGN_OR_RETURN(const std::vector<std::string> reads, scope.Reads(*maker));
    Node twice;
    twice.op_type = "Add";
    twice.inputs = {value, value};
    maker = reads.empty() ? nullptr : scope.Producer(reads[0]);
    value = maker == nullptr ? node.outputs[0] : scope.NewName("shout");
    twice.outputs = {value};
    twice.call_path = node.call_path;
    OC_RETURN_IF_ERROR(scope.Add(std::move(twice)));
  }
  return absl::OkStatus();
}

OpRegistry WithShout() {
  OpRegistry registry;
  onnx::OpSchema schema("Shout", __FILE__, __LINE__);
  schema.SetDomain("acme").SinceVersion(1).Input(0, "x", "", "T").Output(0, "y", "", "T");
  schema.TypeConstraint("T", {"tensor(float)"}, "");
  schema.Attr("of", "", onnx::AttributeProto::STRING);
  registry.AddSchema(std::move(schema));
  registry.Add("acme", "Shout", {1}, Expansion(Shout));
  return registry;
}

absl::StatusOr<std::shared_ptr<const Model>> Load(const std::string& graph,
                                                  const LoadOptions& options = {}) {
  return LoadModelFromText(
      absl::StrCat("<ir_version: 10, opset_import: [\"\": 18, \"acme\": 1, \"local\": 1]> g ",
                   graph),
      WithShout(), options);
}

// "y = Add(x, x)".
std::vector<std::string> NodesOf(const Graph& graph) {
  std::vector<std::string> lines;
  for (const Node& node : graph.nodes) {
    lines.push_back(absl::StrCat(absl::StrJoin(node.outputs, ", "), " = ", node.op_type, "(",
                                 absl::StrJoin(node.inputs, ", "), ")"));
  }
  return lines;
}

TEST(ExpansionTest, NodesTakeThePlaceOfAnOperator) {
  const auto model = Load(
      "(float x) => (float z) { a = Neg(x) shout = Neg(a) y = acme.Shout <of = \"shout\"> (x) "
      "z = Neg(y) }");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(NodesOf((*model)->graph),
              ElementsAre("a = Neg(x)", "shout = Neg(a)", "shout_2 = Add(x, x)",
                          "y = Add(shout_2, shout_2)", "z = Neg(y)"));
}

// It sees what is before it in the graphs around, and no more.
TEST(ExpansionTest, GraphsInsideSeeThoseAround) {
  const std::string inside =
      "(float x, bool c) => (float z) { a = Neg(x) z = If (c) "
      "<then_branch = t () => (float u) { b = Neg(a) u = acme.Shout <of = \"OF\"> (x) }, "
      "else_branch = f () => (float v) { v = Neg(a) }> d = Neg(z) }";
  const auto with = [&](const std::string& name) {
    std::string text = inside;
    return text.replace(text.find("OF"), 2, name);
  };
  const auto model = Load(with("b"));
  ASSERT_TRUE(model.ok()) << model.status();
  const Node& branch = (*model)->graph.nodes[1];
  const auto& then = std::get<std::shared_ptr<const Graph>>(branch.attributes.at("then_branch"));
  EXPECT_THAT(NodesOf(*then),
              ElementsAre("b = Neg(a)", "shout = Add(x, x)", "u = Add(shout, shout)"));
  for (const char* unknown : {"d", "v"}) {
    ExpectError(Load(with(unknown)).status(), kInvalid,
                absl::StrCat("acme.Shout -> 'u': no ", unknown));
  }
}

TEST(ExpansionTest, NamesThatStandForTwoValuesAreRefused) {
  const auto with = [](const std::string& name) {
    return Load(
        absl::StrCat("(float x, bool c) => (float z) { a = Neg(x) z = If (c) "
                     "<then_branch = t () => (float u) { ",
                     name,
                     " = Abs(x) u = acme.Shout <of = \"a\"> (x) }, "
                     "else_branch = f () => (float v) { v = Neg(a) }> }"));
  };
  EXPECT_TRUE(with("b").ok());
  ExpectError(with("a").status(), kInvalid, "'a' is a value of its graph and of one around it");
}

TEST(ExpansionTest, NamesInFunctionsAreThoseOfTheCall) {
  const std::string text =
      "(float x) => (float z) { a = Neg(x) b = Neg(a) [call] z = local.F(b) } "
      "<domain: \"local\", opset_import: [\"\": 18, \"acme\": 1]> F (a) => (y) "
      "{ b = Neg(a) y = acme.Shout <of = \"b\"> (a) }";
  const auto inlined = Load(text);
  ASSERT_TRUE(inlined.ok()) << inlined.status();
  // F's b is computed with three nodes, its own and the caller's two.
  EXPECT_THAT(NodesOf((*inlined)->graph),
              ElementsAre("a = Neg(x)", "b = Neg(a)", "b__1 = Neg(b)", "shout = Add(b, b)",
                          "shout_2 = Add(shout, shout)", "z = Add(shout_2, shout_2)"));
  EXPECT_EQ((*inlined)->graph.nodes.back().call_path, "call");
  const auto kept = Load(text, {.functions = Functions::kKeep});
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_THAT(NodesOf(*(*kept)->graph.nodes[2].body), ElementsAre("b = Neg(a)", "y = Add(a, a)"));
}

TEST(ExpansionTest, ModelsHaveALimit) {
  const std::string text =
      "(float x) => (float y) { a = Neg(x) b = Neg(a) y = acme.Shout <of = \"b\"> (x) }";
  EXPECT_TRUE(Load(text, {.max_nodes = 5}).ok());
  ExpectError(Load(text, {.max_nodes = 4}).status(), absl::StatusCode::kResourceExhausted,
              "acme.Shout -> 'y': the model would become many times larger than its file");
}

// A rank is known of what is there before a run.
TEST(ExpansionTest, RanksOfInputsAndInitializersAreKnown) {
  std::vector<std::optional<int>> ranks;
  OpRegistry registry = WithShout();
  onnx::OpSchema schema("Ranks", __FILE__, __LINE__);
  schema.SetDomain("acme").SinceVersion(1).Input(0, "x", "", "T").Output(0, "y", "", "T");
  schema.TypeConstraint("T", {"tensor(float)"}, "");
  registry.AddSchema(std::move(schema));
  registry.Add("acme", "Ranks", {1}, Expansion([&](const Node& node, ExpansionScope& scope) {
                 for (const char* name : {"x", "w", "n", "a", "none"}) {
                   ranks.push_back(scope.Rank(name));
                 }
                 Node copy = node;
                 copy.op_type = "Neg";
                 copy.domain = "";
                 return scope.Add(std::move(copy));
               }));
  const auto model = LoadModelFromText(
      "<ir_version: 10, opset_import: [\"\": 18, \"acme\": 1]> g (float[2,n] x, float[] n) => "
      "(float[2,n] y) <float[1] w = {1}> { a = Neg(x) y = acme.Ranks(x) }",
      registry);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(ranks, ElementsAre(2, 1, std::nullopt, std::nullopt, std::nullopt));
}

}  // namespace
}  // namespace onnxcmp::testing
