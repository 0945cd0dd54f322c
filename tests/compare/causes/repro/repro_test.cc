// The regions of causes as models of their own: what is in them, and that they show the cause.
#include "compare/causes/repro.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/sides/model_side.h"
#include "evaluator/kernels/signature.h"
#include "tests/compare/causes/repro/reproduce.h"
#include "tests/support/load_test.h"
#include "tests/support/model_pair.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::CompareGraphs;
using ::onnxcmp::testing::GivenFeeds;
using ::onnxcmp::testing::NodeLines;
using ::onnxcmp::testing::ReproProblems;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// With its only cause's repro.
Comparison ComparedPair(const std::string& left, const std::string& right, const Feeds& left_feeds,
                        const Feeds& right_feeds) {
  CompareOptions options;
  options.threads = 1;
  options.repro = true;
  absl::StatusOr<Comparison> comparison =
      CompareGraphs(left, right, left_feeds, right_feeds, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  if (!comparison.ok()) return {};
  EXPECT_THAT(comparison->causes, SizeIs(1));
  EXPECT_THAT(comparison->notes, IsEmpty());
  return *std::move(comparison);
}
Comparison ComparedPair(const std::string& left, const std::string& right) {
  return ComparedPair(left, right, GivenFeeds(), GivenFeeds());
}

const Repro& ReproOf(const Comparison& comparison) {
  static const Repro* const kNone = [] {
    auto* const none = new Repro;
    none->left = std::make_shared<const Model>();
    none->right = none->left;
    return none;
  }();
  if (comparison.causes.empty() || comparison.causes[0].repro == nullptr) {
    ADD_FAILURE() << "there is no repro";
    return *kNone;
  }
  EXPECT_THAT(ReproProblems(comparison, comparison.causes[0]), IsEmpty());
  return *comparison.causes[0].repro;
}

// "x float[2,4]", ...
std::vector<std::string> Inputs(const Repro& repro) {
  std::vector<std::string> texts;
  for (const ReproInput& input : repro.inputs) {
    texts.push_back(input.name + " " + input.value.TypeString());
  }
  return texts;
}

std::vector<std::string> Initializers(const Model& model) {
  std::vector<std::string> names;
  for (const Initializer& initializer : model.graph.initializers) {
    names.push_back(initializer.name);
  }
  return names;
}

constexpr char kNormal[] = R"((float[2,4] x) => (float[2,4] y)
<float[4] scale = {1.1, 0.9, 1.2, 0.8}, float[4] bias = {0.1, -0.2, 0.3, -0.4}, float two = {2}> {
  a = Tanh (x)
  b = LayerNormalization <epsilon = 0.00001> (a, scale, bias)
  y = Mul (b, two)
})";

std::string Altered(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Repro, HoldsTheNodeAndWhatItReadsAndNoMore) {
  const Comparison comparison = ComparedPair(kNormal, Altered(kNormal, "0.00001", "0.1"));
  const Repro& repro = ReproOf(comparison);
  EXPECT_THAT(Inputs(repro), ElementsAre("a float[2,4]"));
  EXPECT_THAT(NodeLines(repro.left->graph), ElementsAre("b = LayerNormalization(a, scale, bias)"));
  EXPECT_THAT(NodeLines(repro.right->graph), ElementsAre("b = LayerNormalization(a, scale, bias)"));
  EXPECT_THAT(Initializers(*repro.right), ElementsAre("scale", "bias"));
  EXPECT_EQ(repro.left->graph.outputs[0].name, "b");
  EXPECT_EQ(TypeInfoToString(repro.left->graph.outputs[0].type), "float[2,4]");
  EXPECT_EQ(repro.left->imports, (OpsetImports{{"", 18}, {"com.microsoft", 1}}));
}

TEST(Repro, InputsHaveTheLeftNamesOnBothSides) {
  std::string right = Altered(kNormal, "0.00001", "0.1");
  right = Altered(right, "a = Tanh", "r1 = Tanh");
  right = Altered(right, "b = LayerNormalization <epsilon = 0.1> (a,",
                  "r2 = LayerNormalization <epsilon = 0.1> (r1,");
  right = Altered(right, "Mul (b,", "Mul (r2,");
  const Comparison comparison = ComparedPair(kNormal, right);
  const Repro& repro = ReproOf(comparison);
  EXPECT_THAT(Inputs(repro), ElementsAre("a float[2,4]"));
  EXPECT_THAT(NodeLines(repro.right->graph),
              ElementsAre("r2 = LayerNormalization(a, scale, bias)"));
}

TEST(Repro, AnInputIsNotCalledAsSomethingElseIs) {
  // The right calls its result as the left calls its input.
  std::string right = Altered(kNormal, "0.00001", "0.1");
  right = Altered(right, "a = Tanh", "r1 = Tanh");
  right = Altered(right, "b = LayerNormalization <epsilon = 0.1> (a,",
                  "a = LayerNormalization <epsilon = 0.1> (r1,");
  right = Altered(right, "Mul (b,", "Mul (a,");
  const Comparison comparison = ComparedPair(kNormal, right);
  const Repro& repro = ReproOf(comparison);
  EXPECT_THAT(Inputs(repro), ElementsAre("a_1 float[2,4]"));
  EXPECT_THAT(NodeLines(repro.left->graph),
              ElementsAre("b = LayerNormalization(a_1, scale, bias)"));
  EXPECT_THAT(NodeLines(repro.right->graph),
              ElementsAre("a = LayerNormalization(a_1, scale, bias)"));
}

TEST(Repro, OfAConstantHasItsReaderWithBoth) {
  const Comparison comparison = ComparedPair(kNormal, Altered(kNormal, "1.2, 0.8", "1.2, 0.7"));
  const Repro& repro = ReproOf(comparison);
  EXPECT_EQ(comparison.causes[0].kind, CauseKind::kInitializer);
  EXPECT_THAT(Inputs(repro), ElementsAre("a float[2,4]"));
  EXPECT_THAT(Initializers(*repro.left), ElementsAre("scale", "bias"));
  testing::ExpectSameBits(repro.right->graph.initializers[0].value.tensor(),
                          Tensor::Of<float>({4}, {1.1f, 0.9f, 1.2f, 0.7f}));
  testing::ExpectSameBits(repro.left->graph.initializers[0].value.tensor(),
                          Tensor::Of<float>({4}, {1.1f, 0.9f, 1.2f, 0.8f}));
}

TEST(Repro, OfAConstantNodeKeepsTheNode) {
  constexpr char kModel[] = R"((float[2,4] x) => (float[2,4] y) {
    half = Constant <value_float = 0.5> ()
    a = Tanh (x)
    b = Mul (a, half)
    y = Neg (b)
  })";
  const Comparison comparison = ComparedPair(kModel, Altered(kModel, "0.5", "0.51"));
  const Repro& repro = ReproOf(comparison);
  EXPECT_THAT(NodeLines(repro.right->graph), ElementsAre("half = Constant()", "b = Mul(a, half)"));
}

TEST(Repro, OfAnInputHasBothAsConstants) {
  const Feeds other = {{"x", Tensor::Of<float>({2, 4}, {1, -2, 0.5f, 3, -1.5f, 0.25f, 2, 0})}};
  const Comparison comparison = ComparedPair(kNormal, kNormal, GivenFeeds(), other);
  EXPECT_EQ(comparison.causes[0].kind, CauseKind::kInput);
  const Repro& repro = ReproOf(comparison);
  EXPECT_THAT(Inputs(repro), IsEmpty());
  EXPECT_THAT(NodeLines(repro.left->graph), ElementsAre("a = Tanh(x)"));
  EXPECT_THAT(Initializers(*repro.right), ElementsAre("x"));
}

TEST(Repro, OfAFusionHasTheWholeRegion) {
  constexpr char kOne[] = R"((float[2,4] x) => (float[2,4] y) {
    a = Tanh (x)
    b = com.microsoft.Gelu (a)
    y = Neg (b)
  })";
  constexpr char kMany[] = R"((float[2,4] x) => (float[2,4] y)
  <float root = {1.4142135}, float one = {1}, float half = {0.55}> {
    a = Tanh (x)
    b1 = Div (a, root)
    b2 = Erf (b1)
    b3 = Add (b2, one)
    b4 = Mul (a, b3)
    b5 = Mul (b4, half)
    y = Neg (b5)
  })";
  const Comparison comparison = ComparedPair(kOne, kMany);
  const Repro& repro = ReproOf(comparison);
  EXPECT_THAT(NodeLines(repro.left->graph), ElementsAre("b = com.microsoft.Gelu(a)"));
  EXPECT_THAT(repro.right->graph.nodes, SizeIs(5));
  EXPECT_THAT(Inputs(repro), ElementsAre("a float[2,4]"));
}

TEST(Repro, WhatOnlyOneSideReadsIsAnInputOfBoth) {
  constexpr char kModel[] = R"((float[2,4] x) => (float[2,4] y) {
    a = Tanh (x)
    b = Cos (x)
    c = Exp (x)
    d = Mul (a, b)
    e = Mul (d, c)
    y = Neg (e)
  })";
  const Comparison comparison = ComparedPair(kModel, Altered(kModel, "Mul (a, b)", "Mul (a, c)"));
  const Repro& repro = ReproOf(comparison);
  EXPECT_THAT(Inputs(repro), ElementsAre("a float[2,4]", "b float[2,4]", "c float[2,4]"));
  EXPECT_THAT(NodeLines(repro.left->graph), ElementsAre("d = Mul(a, b)"));
  EXPECT_THAT(NodeLines(repro.right->graph), ElementsAre("d = Mul(a, c)"));
}

TEST(Repro, ANodeThatMakesAnEntryBesidesDoesNotHideIt) {
  // The two halves are exchanged further on; the first has its partner, the second has not.
  constexpr char kModel[] = R"((float[2,4] x) => (float[2,2] y) <int64[2] sizes = {2, 2}> {
    a, b = Split <axis = 1> (x, sizes)
    c = Softplus (b)
    d = Pow (c, a)
    y = Neg (d)
  })";
  const std::string right = Altered(Altered(kModel, "a, b = Split <axis = 1> (x, sizes)",
                                            "a, z = Split <axis = 1> (x, sizes)\n b = Floor (z)"),
                                    "Softplus", "Softsign");
  const Comparison comparison = ComparedPair(kModel, right);
  ReproOf(comparison);
}

// The left has no branches that could be looked into.
TEST(Repro, WhatSubgraphsCaptureIsAnInputOrAConstant) {
  constexpr char kLeft[] = R"((float[2,4] x) => (float[2,4] y) <float k = {0.25}> {
    a = Tanh (x)
    b = Cos (x)
    s = Mul (a, k)
    d = Add (s, b)
    y = Neg (d)
  })";
  constexpr char kRight[] = R"((float[2,4] x) => (float[2,4] y) <float k = {0.25}, bool c = {1}> {
    u = Tanh (x)
    b = Cos (x)
    d = If (c) <
      then_branch = t () => (float[2,4] r) { s = Mul (u, k) r = Sub (s, b) },
      else_branch = e () => (float[2,4] q) { q = Identity (b) }
    >
    y = Neg (d)
  })";
  const Comparison comparison = ComparedPair(kLeft, kRight);
  ASSERT_THAT(comparison.causes, SizeIs(1));
  const Repro& repro = ReproOf(comparison);
  EXPECT_THAT(Inputs(repro), ElementsAre("a float[2,4]", "b float[2,4]"));
  EXPECT_THAT(Initializers(*repro.right), ElementsAre("k", "c"));
  const auto& then_branch = std::get<std::shared_ptr<const Graph>>(
      repro.right->graph.nodes.back().attributes.at("then_branch"));
  EXPECT_THAT(NodeLines(*then_branch), ElementsAre("s = Mul(a, k)", "r = Sub(s, b)"));
}

TEST(Repro, ASequenceCanBeAnInput) {
  constexpr char kModel[] = R"((float[2,4] x) => (float[2,2,4] y) {
    a = Tanh (x)
    b = Cos (x)
    s = SequenceConstruct (a, b)
    c = ConcatFromSequence <axis = 0, new_axis = 1> (s)
    y = Exp (c)
  })";
  const Comparison comparison = ComparedPair(kModel, Altered(kModel, "axis = 0", "axis = 1"));
  const Repro& repro = ReproOf(comparison);
  EXPECT_THAT(Inputs(repro), ElementsAre("s seq(float)[2]"));
  EXPECT_THAT(NodeLines(repro.right->graph), ElementsAre("c = ConcatFromSequence(s)"));
}

TEST(Repro, AnotherTypeIsCastBehindTheInput) {
  constexpr char kHalf[] = R"((float[2,4] x) => (float[2,4] y)
  <float[4] scale = {1.1, 0.9, 1.2, 0.8}, float[4] bias = {0.1, -0.2, 0.3, -0.4}> {
    h = Cast <to = 10> (x)
    s = Cast <to = 10> (scale)
    t = Cast <to = 10> (bias)
    a = Tanh (h)
    b = LayerNormalization <epsilon = 2.0> (a, s, t)
    c = Neg (b)
    y = Cast <to = 1> (c)
  })";
  constexpr char kFull[] = R"((float[2,4] x) => (float[2,4] y)
  <float[4] scale = {1.1, 0.9, 1.2, 0.8}, float[4] bias = {0.1, -0.2, 0.3, -0.4}> {
    a = Tanh (x)
    b = LayerNormalization <epsilon = 0.00001> (a, scale, bias)
    y = Neg (b)
  })";
  const Comparison comparison = ComparedPair(kFull, kHalf);
  const Repro& repro = ReproOf(comparison);
  EXPECT_THAT(Inputs(repro), ElementsAre("a float[2,4]"));
  EXPECT_THAT(NodeLines(repro.right->graph),
              ElementsAre("[a_1] a_1 = Cast(a)", "b = LayerNormalization(a_1, s, t)"));
  EXPECT_EQ(repro.expected.TypeString(), "float16[2,4]");
}

TEST(Repro, IsNotMadeUnasked) {
  const auto comparison = CompareGraphs(kNormal, Altered(kNormal, "0.00001", "0.1"), GivenFeeds());
  ASSERT_TRUE(comparison.ok());
  ASSERT_THAT(comparison->causes, SizeIs(1));
  EXPECT_EQ(comparison->causes[0].repro, nullptr);
}

}  // namespace
}  // namespace onnxcmp
