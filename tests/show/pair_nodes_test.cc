#include "show/model/pair_nodes.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "show/drawing.h"
#include "show/drawing_json.h"
#include "show/model/pair_difference.h"
#include "show/render_drawing.h"
#include "show/render_model_json.h"
#include "show/render_pair_text.h"
#include "tests/show/shown_test.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ShownTest;

class PairNodesTest : public ShownTest {
 protected:
  // "0=0", "1≠1", "2-", "+3".
  std::vector<std::string> Pairs(const std::string& left, const std::string& right) {
    left_ = Shown(left, "", "left.onnxtxt");
    right_ = Shown(right, "", "right.onnxtxt");
    pairs_ = PairNodes(left_.graph, right_.graph);
    std::vector<std::string> texts;
    for (const NodePair& pair : pairs_) {
      texts.push_back((pair.left < 0 ? "" : std::to_string(pair.left)) + SignOf(pair.relation) +
                      (pair.right < 0 ? "" : std::to_string(pair.right)));
    }
    return texts;
  }
  // All that is said to differ, by pairs and by the models. Every form of the output says it.
  std::vector<std::string> Said(const std::string& left, const std::string& right) {
    Pairs(left, right);
    return SaidOfModels();
  }
  std::vector<std::string> SaidOfModels() {
    std::vector<std::string> said;
    for (const NodePair& pair : pairs_) {
      if (pair.relation == NodeRelation::kDifferent) said.push_back(pair.difference);
      if (pair.relation == NodeRelation::kLeftOnly) said.push_back("only left");
      if (pair.relation == NodeRelation::kRightOnly) said.push_back("only right");
    }
    for (const EndDifference& difference : ModelDifferences(left_, right_, pairs_)) {
      said.push_back(difference.text);
    }
    const NodeSelection all;
    const Drawing drawing = DrawModels({&left_, &right_}, {pairs_}, {all, all});
    const std::string text = RenderPairText(left_, right_, pairs_, all, all, {.width = 1000});
    const std::string json = PairJson(left_, right_, pairs_);
    const std::string svg = RenderSvg(drawing);
    EXPECT_EQ(svg.find("data-relation=\"different\"") == std::string::npos &&
                  svg.find("data-relation=\"left\"") == std::string::npos &&
                  svg.find("data-relation=\"right\"") == std::string::npos &&
                  svg.find("beside the nodes") == std::string::npos,
              said.empty());
    const std::string page = DrawingJson(drawing);
    EXPECT_EQ(page.find("\"relation\":\"different\"") == std::string::npos &&
                  page.find("_only\"") == std::string::npos &&
                  page.find("beside the nodes") == std::string::npos,
              said.empty());
    for (const std::string& difference : said) {
      if (difference == "only left" || difference == "only right") continue;
      EXPECT_THAT(text, HasSubstr(difference));
      EXPECT_THAT(json, HasSubstr(difference.substr(0, difference.find('"'))));
    }
    return said;
  }
  // As `Said`, of models that come with an operator set and functions.
  std::vector<std::string> SaidOf(const std::string& left, const std::string& right,
                                  const ShowOptions& options = {}) {
    left_ = Read(folder_.Write("left.onnxtxt", left), options);
    right_ = Read(folder_.Write("right.onnxtxt", right), options);
    pairs_ = PairNodes(left_.graph, right_.graph);
    return SaidOfModels();
  }
  ShownModel left_, right_;
  std::vector<NodePair> pairs_;
};

// A constant of 80 kB whose last element is this.
std::string LargeConstant(const std::string& last) {
  std::vector<std::string> elements(20'000, "1");
  elements.back() = last;
  return absl::StrCat("(float[20000] x) => (float[20000] y) <float[20000] w = {",
                      absl::StrJoin(elements, ","), "}> { y = Sub (x, w) }");
}

TEST_F(PairNodesTest, EveryElementOfALargeConstantCounts) {
  EXPECT_THAT(Said(LargeConstant("1"), LargeConstant("2")),
              ElementsAre("input 1: f32[20000] | f32[20000], other elements"));
  EXPECT_THAT(Said(LargeConstant("1"), LargeConstant("1")), IsEmpty());
}

TEST_F(PairNodesTest, ConstantsDifferByTypeShapeAndSignOfZero) {
  const auto with = [](const std::string& constant) {
    return "(float[4] x) => (y) <" + constant + "> { y = Sub (x, w) }";
  };
  EXPECT_THAT(Said(with("float[4] w = {1,2,3,4}"), with("float[1,4] w = {1,2,3,4}")),
              ElementsAre("input 1: [1,2,3,4] | f32[1,4]{1,2,3,4}",
                          HasSubstr("output 0: y f32[4] | y f32[1,4]")));
  EXPECT_THAT(Said(with("float w = {0.0}"), with("float w = {-0.0}")),
              ElementsAre("input 1: 0 | -0"));
  EXPECT_THAT(Said("(float[4] x) => (y) <int64[2] s = {2,2}> { y = Reshape (x, s) }",
                   "(float[4] x) => (y) <int32[2] s = {2,2}> { y = Reshape (x, s) }"),
              ElementsAre("input 1: i64[2] | i32[2]"));
  EXPECT_THAT(Said(with("float[4] w = {1,2,3,4}"),
                   "(float[4] x) => (y) { k = Constant <value_floats = [1.0, 2.0, 3.0, 4.0]> ()"
                   " y = Sub (x, k) }"),
              IsEmpty());
}

TEST_F(PairNodesTest, AConstantIsNoInput) {
  for (const std::string op : {"Sub", "Add"}) {
    const std::string what = op == "Sub" ? "input 1: " : "inputs: ";
    EXPECT_THAT(Said("(float[4] x) => (y) <float[4] w = {1,2,3,4}> { y = " + op + " (x, w) }",
                     "(float[4] x, float[4] w) => (y) { y = " + op + " (x, w) }"),
                ElementsAre(what + "[1,2,3,4] | w", "input 1: none | w f32[4]"));
  }
  EXPECT_THAT(Said("(float[4] x) => (y, z) <float[4] w = {1,2,3,4}> { z = Neg (x) y = Sub (x, w) }",
                   "(float[4] x) => (y, z) { z = Neg (x) y = Sub (x, z) }"),
              ElementsAre("input 1: [1,2,3,4] | z"));
}

TEST_F(PairNodesTest, ReadingAnotherResultIsSaid) {
  EXPECT_THAT(Said("(float[4] x) => (y, n) { n = Neg (x) y = Relu (n) }",
                   "(float[4] x) => (y, n) { n = Neg (x) y = Relu (x) }"),
              ElementsAre("input 0: n | x"));
  // Another output of the same node.
  EXPECT_THAT(Said("(float[4] x) => (y) { a, b = Split <num_outputs = 2> (x) y = Relu (a) }",
                   "(float[4] x) => (y) { a, b = Split <num_outputs = 2> (x) y = Relu (b) }"),
              ElementsAre("input 0: a | b"));
  EXPECT_THAT(Said("(float[4] x) => (y, n, r) { n = Neg (x) r = Relu (x) y = Add (n, n) }",
                   "(float[4] x) => (y, n, r) { n = Neg (x) r = Relu (x) y = Add (n, r) }"),
              ElementsAre("inputs: n | r"));
}

std::string Branch(const std::string& body) {
  return "(float[4] x, bool c) => (float[4] y) { y = If (c) <then_branch = t () => (float[4] o) "
         "{ " +
         body + " }, else_branch = e () => (float[4] p) { p = Neg (x) }> }";
}

TEST_F(PairNodesTest, BodiesAreLookedInto) {
  EXPECT_THAT(Said(Branch("k = Constant <value = float {1}> () o = Add (x, k)"),
                   Branch("k = Constant <value = float {2}> () o = Add (x, k)")),
              ElementsAre("then_branch: Add constant: 1 | 2"));
  EXPECT_THAT(Said(Branch("a = Relu (x) o = Sub (a, x)"), Branch("a = Relu (x) o = Sub (x, a)")),
              ElementsAre("then_branch: Sub input 0: a | x; input 1: x | a"));
  EXPECT_THAT(Said(Branch("o = Relu (x)"), Branch("o = Abs (x)")),
              ElementsAre("then_branch: only left Relu, and 1 more"));
  const auto loop = [](const std::string& node) {
    return "(float[4] x) => (y) <int64 n = {3}, bool t = {1}> { y = Loop (n, t, x) <body = b "
           "(int64 i, bool ci, float[4] v) => (bool co, float[4] vo) { co = Identity (ci) " +
           node + " }> }";
  };
  EXPECT_THAT(Said(loop("vo = Sub (v, x)"), loop("vo = Sub (x, v)")),
              ElementsAre("body: Sub input 0: v | x; input 1: x | v"));
  // Other names, and an order that says nothing.
  EXPECT_THAT(Said(Branch("a = Relu (x) b = Exp (x) o = Sub (a, b)"),
                   Branch("q = Exp (x) p = Relu (x) o = Sub (p, q)")),
              IsEmpty());
}

TEST_F(PairNodesTest, ABodyThatGivesAnotherResultDiffers) {
  EXPECT_THAT(
      Said("(float[4] x, bool c) => (y) { y = If (c) <then_branch = t () => (float[4] o) "
           "{ o = Relu (x) r = Neg (x) }, else_branch = e () => (float[4] p) { p = Neg (x) }> }",
           "(float[4] x, bool c) => (y) { y = If (c) <then_branch = t () => (float[4] r) "
           "{ o = Relu (x) r = Neg (x) }, else_branch = e () => (float[4] p) { p = Neg (x) }> }"),
      ElementsAre(HasSubstr("then_branch: output 0: o f32[4] | r f32[4], another result")));
}

TEST_F(PairNodesTest, InputsAndOutputsAreSaid) {
  const std::string nodes = " { y = Relu (x) z = Neg (x) }";
  EXPECT_THAT(Said("(float[4] x) => (float[4] y, float[4] z)" + nodes,
                   "(float[4] x) => (float[4] y)" + nodes),
              ElementsAre("output 1: z f32[4] | none"));
  EXPECT_THAT(Said("(float[4] x) => (float[4] y, float[4] z)" + nodes,
                   "(float[4] x) => (float[4] z, float[4] y)" + nodes),
              ElementsAre("output 0: y f32[4] | z f32[4], another result",
                          "output 1: z f32[4] | y f32[4], another result"));
  EXPECT_THAT(Said("(float[4] x, float[4] w) => (float[4] y) { y = Sub (x, w) }",
                   "(float[4] w, float[4] x) => (float[4] y) { y = Sub (x, w) }"),
              ElementsAre("input 0: x f32[4] | w f32[4]", "input 1: w f32[4] | x f32[4]"));
  EXPECT_THAT(Said("(float[4] x) => (float[4] y) { y = Relu (x) }",
                   "(double[4] x) => (double[4] y) { y = Relu (x) }"),
              ElementsAre("type: f32[4] | f64[4]", "input 0: x f32[4] | x f64[4]",
                          "output 0: y f32[4] | y f64[4]"));
  EXPECT_THAT(Said("(float[N,4] x) => (float[N,4] y) { y = Relu (x) }",
                   "(float[1,4] x) => (float[1,4] y) { y = Relu (x) }"),
              ElementsAre("input 0: x f32[N,4] | x f32[1,4]"));
  // The name of a free dimension is nobody's business.
  EXPECT_THAT(Said("(float[N,4] x) => (float[N,4] y) { y = Relu (x) }",
                   "(float[batch,4] x) => (float[batch,4] y) { y = Relu (x) }"),
              IsEmpty());
  EXPECT_THAT(Said("(float[4] x) => (y, float[2] w) <float[2] w = {1,2}> { y = Relu (x) }",
                   "(float[4] x) => (y, float[2] w) <float[2] w = {1,3}> { y = Relu (x) }"),
              ElementsAre("output 1: w: [1,2] | [1,3]"));
}

TEST_F(PairNodesTest, OperatorSetsAreSaid) {
  const std::string graph = "g (float[2,3] x) => (float[2,3] y) { y = Softmax (x) }";
  EXPECT_THAT(SaidOf("<ir_version: 9, opset_import: [\"\" : 18]> " + graph,
                     "<ir_version: 9, opset_import: [\"\" : 11]> " + graph),
              ElementsAre("axis: -1 (default) | 1 (default)", "opset of ai.onnx: 18 | 11"));
}

TEST_F(PairNodesTest, WhatVersionsComputeOtherwiseIsSaid) {
  const auto said = [&](const std::string& attributes) {
    const std::string graph =
        "g (float[2,3,4] x) => (float[2,3,4] y) { y = " + attributes + " (x) }";
    return SaidOf("<ir_version: 9, opset_import: [\"\" : 11]> " + graph,
                  "<ir_version: 9, opset_import: [\"\" : 13]> " + graph);
  };
  for (const std::string axis : {"0", "1"}) {
    EXPECT_THAT(said("Softmax <axis=" + axis + ">"),
                ElementsAre(HasSubstr("from 13 on axis is -1 by default, and that axis alone"),
                            "opset of ai.onnx: 11 | 13"));
  }
  for (const std::string same : {"Softmax <axis=-1>", "Softmax <axis=2>", "Relu"}) {
    EXPECT_THAT(said(same), ElementsAre("opset of ai.onnx: 11 | 13"));
  }
}

TEST_F(PairNodesTest, FunctionsAreLookedIntoKeptOrInlined) {
  const auto calls = [](const std::string& op, const std::string& alpha) {
    return "<ir_version: 9, opset_import: [\"\" : 18, \"l\" : 1]> g (float[4] x) => (float[4] y) "
           "{ y = l.F (x) } <domain: \"l\", opset_import: [\"\" : 18]> F <alpha: float = " +
           alpha + "> (a) => (b) { c = LeakyRelu <alpha: float = @alpha> (a) b = " + op + " (c) }";
  };
  ShowOptions kept;
  kept.functions = Functions::kKeep;
  EXPECT_THAT(SaidOf(calls("Relu", "0.5"), calls("Neg", "0.5"), kept),
              ElementsAre("function l.F: only left Relu", "function l.F: only right Neg"));
  EXPECT_THAT(SaidOf(calls("Relu", "0.5"), calls("Relu", "0.25"), kept),
              ElementsAre("function l.F: attributes: alpha=0.5 | alpha=0.25"));
  EXPECT_THAT(SaidOf(calls("Relu", "0.5"), calls("Relu", "0.5"), kept), IsEmpty());
  ShowOptions inlined;
  inlined.functions = Functions::kInline;
  EXPECT_THAT(SaidOf(calls("Relu", "0.5"), calls("Relu", "0.25"), inlined),
              ElementsAre("alpha: 0.5 | 0.25"));
}

TEST_F(PairNodesTest, AttributesDifferBeyondWhatFitsIntoALine) {
  const auto with = [](const std::string& attribute) {
    return "(float[4] x) => (y) { y = local.Foo <" + attribute + "> (x) }";
  };
  EXPECT_THAT(Said(with("l = [0,1,2,3,4,5,6,7,8,1]"), with("l = [0,1,2,3,4,5,6,7,8,2]")),
              ElementsAre("l: [0,1,2,3,4,5,6,7,...] | [0,1,2,3,4,5,6,7,...], "
                          "which differ further on"));
  EXPECT_THAT(Said(with("l = [0,1,2,3,4,5,6,7,8,1]"), with("l = [0,1,2,3,4,5,6,7,8,1]")),
              IsEmpty());
  const std::string longer(200, 'a');
  EXPECT_THAT(Said(with("s = \"" + longer + "1\""), with("s = \"" + longer + "2\"")),
              ElementsAre(HasSubstr("which differ further on")));
  // A float with all digits that tell it from its neighbour.
  EXPECT_THAT(Said("(float[4] x) => (y) { y = LeakyRelu <alpha = 0.1> (x) }",
                   "(float[4] x) => (y) { y = LeakyRelu <alpha = 0.10000001> (x) }"),
              ElementsAre("alpha: 0.1 | 0.10000001"));
}

TEST_F(PairNodesTest, OtherNamesAndAnotherOrderAreTheSame) {
  EXPECT_THAT(Pairs("(float[4] x) => (y) { a = Abs (x) b = Exp (x) y = Add (a, b) }",
                    "(float[4] in) => (out) { q = Exp (in) p = Abs (in) out = Add (q, p) }"),
              ElementsAre("0=1", "1=0", "2=2"));
}

TEST_F(PairNodesTest, AttributesAndConstantsThatDifferAreSaid) {
  EXPECT_THAT(
      Pairs("(float[2,4] x) => (y) <float k = {0.5}> { a = Softmax <axis=1> (x) y = Mul (a, k) }",
            "(float[2,4] x) => (y) <float k = {0.7}> { a = Softmax <axis=0> (x) y = Mul (k, a) }"),
      ElementsAre("0≠0", "1≠1"));
  EXPECT_EQ(pairs_[0].difference, "axis: 1 | 0");
  EXPECT_EQ(pairs_[1].difference, "constant: 0.5 | 0.7");
}

TEST_F(PairNodesTest, ADefaultIsAsGoodAsSayingIt) {
  EXPECT_THAT(Pairs("(float[2,4] x) => (y) { y = Softmax <axis=-1> (x) }",
                    "(float[2,4] x) => (y) { y = Softmax (x) }"),
              ElementsAre("0=0"));
  EXPECT_THAT(Pairs("(float[2,4] x) => (y) { y = Softmax (x) }",
                    "(float[2,4] x) => (y) { y = Softmax <axis=0> (x) }"),
              ElementsAre("0≠0"));
  EXPECT_EQ(pairs_[0].difference, "axis: -1 (default) | 0");
}

TEST_F(PairNodesTest, ExchangedInputsAreSaid) {
  EXPECT_THAT(Pairs("(float[4] x, float[4] z) => (y) { y = Sub (x, z) }",
                    "(float[4] x, float[4] z) => (y) { y = Sub (z, x) }"),
              ElementsAre("0≠0"));
  EXPECT_EQ(pairs_[0].difference, "input 0: x | z; input 1: z | x");
  // Swapped inputs of commutative operators are no difference.
  EXPECT_THAT(Pairs("(float[4] x, float[4] z) => (y) { y = Add (x, z) }",
                    "(float[4] x, float[4] z) => (y) { y = Add (z, x) }"),
              ElementsAre("0=0"));
}

TEST_F(PairNodesTest, WhatOneSideHasStandsAmongItsNeighbours) {
  EXPECT_THAT(Pairs("(float[4] x) => (y) { a = Abs (x) b = Exp (a) y = Neg (b) }",
                    "(float[4] x) => (y) { a = Abs (x) i = Identity (a) b = Exp (i) y = Neg (b) }"),
              ElementsAre("0=0", "+1", "1=2", "2=3"));
}

TEST_F(PairNodesTest, LayersThatAreAlikePairInTheirOrder) {
  std::string left;
  for (int i = 0; i < 6; ++i) {
    const std::string n = std::to_string(i);
    left += "a" + n + " = Abs (h" + n + ") h" + std::to_string(i + 1) + " = Add (a" + n + ", h" +
            n + ") ";
  }
  const std::string graph = "(float[4] h0) => (h6) { " + left + "}";
  const std::vector<std::string> texts = Pairs(graph, graph);
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i], std::to_string(i) + "=" + std::to_string(i));
  }
}

// An optimizer that keeps names and lists layers in another order.
TEST_F(PairNodesTest, NamesTellLayersApartThatAreAlike) {
  EXPECT_THAT(Pairs("(float[4] x, float[4] z) => (p, q) {"
                    " a = Abs (x) p = Exp (a) b = Abs (z) q = Exp (b) }",
                    "(float[4] z, float[4] x) => (q, p) {"
                    " b = Abs (z) q = Exp (b) a = Abs (x) p = Exp (a) }"),
              ElementsAre("0=2", "1=3", "2=0", "3=1"));
}

TEST_F(PairNodesTest, AConstantThatIsComputedOnTheOtherSideIsNoDifference) {
  EXPECT_THAT(Pairs("(float[1] x) => (y) <float[1] k = {2}> { a = Abs (k) y = Add (a, x) }",
                    "(float[1] x) => (y) <float[1] k = {2}> { y = Add (k, x) }"),
              ElementsAre("0-", "1=0"));
}

TEST_F(PairNodesTest, NothingInCommonPairsNothing) {
  EXPECT_THAT(Pairs("(float[4] x) => (y) { y = Abs (x) }", "(float[4] x) => (y) { y = Exp (x) }"),
              ElementsAre("0-", "+0"));
}

TEST_F(PairNodesTest, TheTextFoldsWhatIsTheSame) {
  const std::string chain =
      "(float[2,4] x) => (y) { a = Abs (x) b = Exp (a) c = Neg (b) d = Abs (c) y = Softmax <axis=";
  Pairs(chain + "1> (d) }", chain + "0> (d) }");
  const std::string text =
      RenderPairText(left_, right_, pairs_, NodeSelection(), NodeSelection(), {.width = 100});
  EXPECT_THAT(text, HasSubstr(" = 4 nodes the same (--all)\n"));
  EXPECT_THAT(text, HasSubstr("        axis: 1 | 0\n"));
  EXPECT_THAT(text, HasSubstr("4 the same (=), 1 different (≠), 0 only left (-), 0 only right"));
}

}  // namespace
}  // namespace onnxcmp
