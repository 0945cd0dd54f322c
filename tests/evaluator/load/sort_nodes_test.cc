#include "evaluator/load/sort_nodes.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using testing::ExpectError;
using testing::LoadedModel;
using testing::LoadGraph;
using testing::NodeLines;

void ExpectUnsortable(const absl::Status& status, const std::string& part) {
  ExpectError(status, absl::StatusCode::kInvalidArgument, part);
}

TEST(SortNodesTest, LeavesAnOrderThatRunsAsItIs) {
  LoadedModel model = LoadGraph(R"(
    g (float x) => (float d) { a = Abs (x) b = Neg (x) c = Neg (a) d = Add (b, c) e = Abs (x) })");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(NodeLines((*model)->graph),
              ElementsAre("a = Abs(x)", "b = Neg(x)", "c = Neg(a)", "d = Add(b, c)", "e = Abs(x)"));
}

TEST(SortNodesTest, MovesNodesUpToBeforeTheirFirstReader) {
  // As float16 converters leave it: casts at the end.
  LoadedModel model = LoadGraph(R"(
    g (float x) => (float16 z) {
      a = Abs (xc) b = Neg (ac) z = Relu (b) w = Abs (x)
      xc = Cast <to = 10> (x) ac = Cast <to = 10> (a)
    })");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(NodeLines((*model)->graph), ElementsAre("xc = Cast(x)", "a = Abs(xc)", "ac = Cast(a)",
                                                      "b = Neg(ac)", "z = Relu(b)", "w = Abs(x)"));
}

TEST(SortNodesTest, CountsWhatSubgraphsNeed) {
  LoadedModel model = LoadGraph(R"(
    g (float x, bool c) => (float y) {
      y = If (c) <then_branch = t () => (float v) { v = Neg (u) u = Abs (late) },
                  else_branch = e () => (float v) { v = Neg (x) }>
      late = Abs (x)
    })");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(NodeLines((*model)->graph), ElementsAre("late = Abs(x)", "y = If(c)"));
  const auto& branch =
      std::get<std::shared_ptr<const Graph>>((*model)->graph.nodes[1].attributes.at("then_branch"));
  EXPECT_THAT(NodeLines(*branch), ElementsAre("u = Abs(late)", "v = Neg(u)"));
}

TEST(SortNodesTest, CyclesNameTheirNodes) {
  ExpectUnsortable(LoadGraph("g (float x) => (float y) { y = Abs (x) [m] a = Add (x, c) "
                             "[n] b = Neg (a) [o] c = Neg (b) }")
                       .status(),
                   "nodes need each other's outputs: Add 'm' needs Neg 'o' needs Neg 'n' needs "
                   "Add 'm'");
  ExpectUnsortable(LoadGraph("g (float x) => (float y) { [self] y = Add (x, y) }").status(),
                   "Add 'self' needs Add 'self'");
  // Through a subgraph.
  ExpectUnsortable(LoadGraph(R"(
    g (float x, bool c) => (float y) {
      [if] y = If (c) <then_branch = t () => (float v) { v = Neg (z) },
                       else_branch = e () => (float v) { v = Neg (x) }>
      [abs] z = Abs (y)
    })")
                       .status(),
                   "If 'if' needs Abs 'abs' needs If 'if'");
  std::string ring;
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&ring, "a", i, " = Neg (a", (i + 1) % 5000, ") ");
  absl::Status status = LoadGraph(absl::StrCat("g () => (float a0) { ", ring, "}")).status();
  ExpectUnsortable(status, "... (4990 more)");
  EXPECT_LT(status.message().size(), 1000u);
}

TEST(SortNodesTest, LongChainsInReverseAreSorted) {
  std::string nodes;
  for (int i = 5000; i > 0; --i) absl::StrAppend(&nodes, "a", i, " = Neg (a", i - 1, ") ");
  LoadedModel model = LoadGraph(absl::StrCat("g (float a0) => (float a5000) { ", nodes, "}"));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ((*model)->graph.nodes[0].outputs[0], "a1");
}

TEST(SortNodesTest, EveryNameIsMadeOnce) {
  ExpectUnsortable(
      LoadGraph("g (float x) => (float y) { [m] y = Abs (x) [n] y = Neg (x) }").status(),
      "'y' is made twice: by Abs 'm' and by Neg 'n'");
  ExpectUnsortable(LoadGraph("g (float x) => (float x) { x = Abs (x) }").status(),
                   "'x' is made twice: by the graph's inputs and by Abs");
  ExpectUnsortable(LoadGraph("g (float x) => (float w) <float w = {1}> { w = Abs (x) }").status(),
                   "'w' is made twice: by the initializers and by Abs");
  ExpectUnsortable(LoadGraph("g (float x, float x) => (float y) { y = Abs (x) }").status(),
                   "the input 'x' is there twice");
  ExpectUnsortable(
      LoadGraph("g (float x) => (float y) <float w = {1}, float w = {2}> { y = Abs (x) }").status(),
      "the initializer 'w' is there twice");
}

TEST(SortNodesTest, EveryNameIsMade) {
  ExpectUnsortable(LoadGraph("g (float x) => (float y) { [n] y = Add (x, missing) }").status(),
                   "nothing makes the input 'missing' of Add 'n'");
  ExpectUnsortable(LoadGraph("g (float x) => (float nothing) { y = Abs (x) }").status(),
                   "nothing makes its output 'nothing'");
  ExpectUnsortable(LoadGraph(R"(
    g (float x, bool c) => (float y) {
      [if] y = If (c) <then_branch = t () => (float v) { [n] v = Neg (missing) },
                       else_branch = e () => (float v) { v = Neg (x) }>
    })")
                       .status(),
                   "nothing makes the input 'missing' of Neg 'n'");
  // A value that a subgraph makes is not seen around it.
  ExpectUnsortable(LoadGraph(R"(
    g (float x, bool c) => (float z) {
      y = If (c) <then_branch = t () => (float v) { v = Neg (x) },
                  else_branch = e () => (float v) { v = Neg (x) }>
      z = Abs (v)
    })")
                       .status(),
                   "nothing makes the input 'v' of Abs");
}

TEST(SortNodesTest, FunctionsSeeOnlyTheirInputs) {
  ExpectUnsortable(LoadGraph(R"(
    g (float x) => (float y) { y = acme.f (x) }
    <domain: "acme", opset_import: ["" : 21]> f (a) => (b) { b = Add (a, x) })")
                       .status(),
                   "in function acme.f: nothing makes the input 'x' of Add");
  ExpectUnsortable(LoadGraph(R"(
    g (float x) => (float y) { y = acme.f (x) }
    <domain: "acme", opset_import: ["" : 21]> f (a) => (c) { b = Neg (a) })")
                       .status(),
                   "in function acme.f: nothing makes its output 'c'");
  ExpectUnsortable(LoadGraph(R"(
    g (float x) => (float y) { y = acme.f (x) }
    <domain: "acme", opset_import: ["" : 21]> f (a) => (b, b) { b = Neg (a) })")
                       .status(),
                   "the output 'b' is there twice");
}

}  // namespace
}  // namespace onnxcmp
