#include "show/model/pair_nodes.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "show/drawing.h"
#include "show/render_pair_text.h"
#include "tests/show/shown_test.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
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
  ShownModel left_, right_;
  std::vector<NodePair> pairs_;
};

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
