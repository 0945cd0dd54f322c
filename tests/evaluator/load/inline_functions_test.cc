#include "evaluator/load/inline_functions.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/run/evaluator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using testing::ExpectError;
using testing::ExpectSameBits;
using testing::LoadedModel;
using testing::LoadGraph;
using testing::NodeLines;
using testing::Registry;

std::vector<std::string> Inlined(absl::string_view graph) {
  LoadedModel model = LoadGraph(graph);
  if (!model.ok()) return {std::string(model.status().message())};
  return NodeLines((*model)->graph);
}

const Graph& Subgraph(const Node& node, absl::string_view attribute) {
  return *std::get<std::shared_ptr<const Graph>>(node.attributes.find(attribute)->second);
}

// The first output of a model, run both inlined and with its functions kept.
void ExpectOutput(absl::string_view graph, const Feeds& feeds, const Tensor& want) {
  for (Functions functions : {Functions::kInline, Functions::kKeep}) {
    LoadOptions options;
    options.functions = functions;
    LoadedModel model = LoadGraph(graph, options);
    ASSERT_TRUE(model.ok()) << model.status();
    absl::StatusOr<Evaluator> evaluator = Evaluator::Create(*model, Registry());
    ASSERT_TRUE(evaluator.ok()) << evaluator.status();
    absl::StatusOr<std::vector<Value>> outputs = evaluator->Run(feeds);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    ExpectSameBits((*outputs)[0].tensor(), want);
  }
}

// Expected names: onnx.inliner.inline_local_functions of ONNX 1.22 on the same text.
TEST(InlineFunctionsTest, NamesAreThoseOfOnnxInliner) {
  constexpr char kModel[] = R"(
    main (float[2] x, float[2] t__1, bool c) => (float[2] y, float[2] z, float[2] w) {
      [call] y, t__2 = acme.outer (x)
      [t__3] z = acme.inner (t__1)
      w = If (c) <then_branch = a () => (float[2] v) { v = acme.inner (x) },
                  else_branch = b () => (float[2] v) { v = Neg (x) }>
    }
    <domain: "acme", opset_import: ["" : 21, "acme" : 1]>
    outer (a) => (b, s) {
      [first] t = Neg (a)
      [nested] u = acme.inner (t)
      b = Abs (u)
      s = Add (t, u)
    }
    <domain: "acme", opset_import: ["" : 21]>
    inner (t) => (r) {
      [first] q = Neg (t)
      r = Relu (q)
    })";
  LoadedModel model = LoadGraph(kModel);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(NodeLines((*model)->graph),
              ElementsAre("[first__1] t__1_0 = Neg(x) in call",
                          "[first__2] q__2 = Neg(t__1_0) in call/nested",
                          "u__1 = Relu(q__2) in call/nested", "y = Abs(u__1) in call",
                          "t__2 = Add(t__1_0, u__1) in call", "[first__3] q__3 = Neg(t__1) in t__3",
                          "z = Relu(q__3) in t__3", "w = If(c)"));
  EXPECT_THAT(NodeLines(Subgraph((*model)->graph.nodes[7], "then_branch")),
              ElementsAre("[first__4] q__4 = Neg(x) in inner", "v = Relu(q__4) in inner"));
}

TEST(InlineFunctionsTest, NamesInSubgraphsAreThoseOfOnnxInliner) {
  LoadedModel model = LoadGraph(R"(
    main (float[2] x, bool c) => (float[2] y, float[2] z) {
      y = acme.choose (x, c)
      z = acme.choose (y, c)
    }
    <domain: "acme", opset_import: ["" : 21]>
    choose (a, c) => (r) {
      n = Neg (a)
      r = If (c) <then_branch = t () => (v) { u = Add (n, a) v = Neg (u) },
                  else_branch = e () => (v) { u = Sub (n, a) v = Neg (u) }>
    })");
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<Node>& nodes = (*model)->graph.nodes;
  EXPECT_THAT(NodeLines((*model)->graph),
              ElementsAre("n__1 = Neg(x) in choose", "y = If(c) in choose",
                          "n__2 = Neg(y) in choose", "z = If(c) in choose"));
  EXPECT_THAT(NodeLines(Subgraph(nodes[1], "then_branch")),
              ElementsAre("u__1 = Add(n__1, x) in choose", "v__1 = Neg(u__1) in choose"));
  EXPECT_THAT(NodeLines(Subgraph(nodes[1], "else_branch")),
              ElementsAre("u__1_1 = Sub(n__1, x) in choose", "v__1_0 = Neg(u__1_1) in choose"));
  EXPECT_THAT(NodeLines(Subgraph(nodes[3], "else_branch")),
              ElementsAre("u__2_3 = Sub(n__2, y) in choose", "v__2_2 = Neg(u__2_3) in choose"));
  EXPECT_EQ(Subgraph(nodes[3], "else_branch").outputs[0].name, "v__2_2");
}

TEST(InlineFunctionsTest, TakesFunctionsInAnyOrderAndAcrossDomains) {
  // As onnxscript writes them: the caller first, the callee in another domain.
  EXPECT_THAT(Inlined(R"(
    g (float x) => (float y) { y = acme.a (x) }
    <domain: "acme", opset_import: ["this" : 1]> a (x) => (y) { y = this.b (x) }
    <domain: "this", opset_import: ["" : 21]> b (x) => (y) { t = Neg (x) y = Abs (t) })"),
              ElementsAre("t__2 = Neg(x) in a/b", "y = Abs(t__2) in a/b"));
}

TEST(InlineFunctionsTest, OverloadsAreToldApart) {
  EXPECT_THAT(Inlined(R"(
    g (float x) => (float z) { y = acme.f:one (x) z = acme.f:two (y) }
    <domain: "acme", overload: "one", opset_import: ["" : 21]> f (x) => (y) { y = Neg (x) }
    <domain: "acme", overload: "two", opset_import: ["" : 21]> f (x) => (y) { y = Abs (x) })"),
              ElementsAre("y = Neg(x) in f", "z = Abs(y) in f"));
}

TEST(InlineFunctionsTest, ALocalFunctionWinsOverAnOperator) {
  EXPECT_THAT(Inlined(R"(
    g (float x) => (float y) { y = Relu (x) }
    <domain: "", opset_import: ["" : 21]> Relu (x) => (y) { y = Abs (x) })"),
              ElementsAre("y = Abs(x) in Relu"));
}

TEST(InlineFunctionsTest, NodesKeepTheImportsOfTheirFunction) {
  LoadedModel model = LoadGraph(R"(
    g (float[2] x) => (float[2] z) { y = acme.f (x) z = Softmax (y) }
    <domain: "acme", opset_import: ["" : 12]> f (x) => (y) { y = Softmax (x) })");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ((*model)->graph.nodes[0].imports->at(""), 12);
  EXPECT_EQ((*model)->graph.nodes[1].imports->at(""), 21);
  EXPECT_EQ((*model)->imports.at(""), 21);
}

TEST(InlineFunctionsTest, ImportsThatAFunctionLeavesOutAreTheModels) {
  LoadedModel model = LoadGraph(R"(
    g (float[2] x) => (float[2] y) { y = acme.f (x) }
    <domain: "acme", opset_import: ["other" : 1]> f (x) => (y) { y = Softmax (x) })");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ((*model)->graph.nodes[0].imports->at(""), 21);
}

TEST(InlineFunctionsTest, AttributesAreBound) {
  LoadedModel model = LoadGraph(R"(
    g (float[2,2] x) => (float[2,2] y) {
      a = acme.outer <k = 0> (x)
      y = acme.outer (a)
    }
    <domain: "acme", opset_import: ["" : 21, "acme" : 1]>
    outer <k: int = 1, m> (x) => (y) { y = acme.inner <n: int = @k, m: int = @m> (x) }
    <domain: "acme", opset_import: ["" : 21]>
    inner <n, m: int = -1> (x) => (y) {
      c = Constant <value = bool {1}> ()
      a = Softmax <axis: int = @n> (x)
      b = Softmax <axis: int = @absent> (a)
      y = If (c) <then_branch = t () => (v) { v = Softmax <axis: int = @m> (b) },
                  else_branch = e () => (v) { v = Softmax <axis: int = @n> (b) }>
    })");
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<Node>& nodes = (*model)->graph.nodes;
  ASSERT_EQ(nodes.size(), 8u);
  auto axis = [](const Node& node) { return std::get<int64_t>(node.attributes.at("axis")); };
  EXPECT_EQ(axis(nodes[1]), 0);                                     // the call's
  EXPECT_TRUE(nodes[2].attributes.empty());                         // nobody's
  EXPECT_EQ(axis(Subgraph(nodes[3], "then_branch").nodes[0]), -1);  // the inner default
  EXPECT_EQ(axis(Subgraph(nodes[3], "else_branch").nodes[0]), 0);
  EXPECT_EQ(axis(nodes[5]), 1);  // the outer default
}

TEST(InlineFunctionsTest, GraphsArePassedInTheCallersNames) {
  // The passed graph uses `t` of the caller, which is also a name of the function.
  constexpr char kModel[] = R"(
    g (float[1] x, bool c) => (float[1] y) {
      t = Add (x, x)
      [call] y = acme.apply <body = b () => (float[1] v) { v = acme.twice (t) }> (x, c)
    }
    <domain: "acme", opset_import: ["" : 21]>
    apply <body> (a, c) => (r) {
      t = Neg (a)
      r = If (c) <then_branch: graph = @body, else_branch = e () => (w) { w = Abs (t) }>
    }
    <domain: "acme", opset_import: ["" : 20]>
    twice (a) => (b) { b = Add (a, a) })";
  LoadedModel model = LoadGraph(kModel);
  ASSERT_TRUE(model.ok()) << model.status();
  const Node& if_node = (*model)->graph.nodes[2];
  EXPECT_THAT(NodeLines((*model)->graph),
              ElementsAre("t = Add(x, x)", "t__1 = Neg(x) in call", "y = If(c) in call"));
  EXPECT_THAT(NodeLines(Subgraph(if_node, "then_branch")), ElementsAre("v = Add(t, t) in twice"));
  EXPECT_EQ(Subgraph(if_node, "then_branch").nodes[0].imports->at(""), 20);
  EXPECT_THAT(NodeLines(Subgraph(if_node, "else_branch")), ElementsAre("w__1 = Abs(t__1) in call"));
  LoadOptions keep;
  keep.functions = Functions::kKeep;
  ExpectError(LoadGraph(kModel, keep).status(), absl::StatusCode::kUnimplemented,
              "acme.apply 'call': attribute 'body' passes a graph to a function");
}

TEST(InlineFunctionsTest, InputsAndOutputsMayBeLeftOut) {
  EXPECT_THAT(Inlined(R"(
    g (float x) => (float y) { , y = acme.f (x) }
    <domain: "acme", opset_import: ["" : 21]>
    f (x, low, high) => (a, b, c) { a = Abs (x) b = Clip (x, low, high) c = Neg (x) })"),
              ElementsAre("a__1 = Abs(x) in f", "y = Clip(x, , ) in f", "c__1 = Neg(x) in f"));
  EXPECT_THAT(Inlined(R"(
    g (float x) => (float y) { [n] y = acme.f (x) }
    <domain: "acme", opset_import: ["" : 21]> f (a, b) => (c) { c = Add (a, b) })"),
              ElementsAre("Add -> 'y' in n: its input 1 (B) is missing"));
  EXPECT_THAT(Inlined(R"(
    g (float x) => (float y) { [n] y = acme.f (x, x) }
    <domain: "acme", opset_import: ["" : 21]> f (a) => (c) { c = Neg (a) })"),
              ElementsAre("acme.f 'n': it has 2 inputs and 1 outputs where function acme.f has 1 "
                          "and 1"));
}

TEST(InlineFunctionsTest, FunctionsMayReturnTheirInputs) {
  constexpr char kModel[] = R"(
    g (float[1] x) => (float[1] z) { y, w = acme.f (x) z = Add (y, w) }
    <domain: "acme", opset_import: ["acme" : 1]> f (a) => (a, b) { b = acme.h (a) }
    <domain: "acme", opset_import: ["" : 21]> h (a) => (b) { b = Neg (a) })";
  EXPECT_THAT(Inlined(kModel),
              ElementsAre("w = Neg(x) in f/h", "y = Identity(x) in f", "z = Add(y, w)"));
  ExpectOutput(kModel, {{"x", Tensor::Of<float>({1}, {3})}}, Tensor::Of<float>({1}, {0}));
}

TEST(InlineFunctionsTest, LoopsMayPassTheirConditionThrough) {
  constexpr char kModel[] = R"(
    g (float[1] x, int64 n) => (float[1] y) { y = acme.repeat (x, n) }
    <domain: "acme", opset_import: ["" : 21]>
    repeat (x, n) => (y) {
      c = Constant <value = bool {1}> ()
      y = Loop (n, c, x) <body = b (int64 i, bool cond, float[1] a) => (bool cond, float[1] r) {
        r = Add (a, a)
      }>
    })";
  LoadedModel model = LoadGraph(kModel);
  ASSERT_TRUE(model.ok()) << model.status();
  const Graph& body = Subgraph((*model)->graph.nodes[1], "body");
  EXPECT_EQ(body.inputs[1].name, "cond__1");
  EXPECT_EQ(body.outputs[0].name, "cond__1");
  ExpectOutput(kModel, {{"x", Tensor::Of<float>({1}, {3})}, {"n", Tensor::Scalar(int64_t{4})}},
               Tensor::Of<float>({1}, {48}));
}

TEST(InlineFunctionsTest, BodiesAreSortedToo) {
  EXPECT_THAT(Inlined(R"(
    g (float x) => (float y) { y = acme.f (x) }
    <domain: "acme", opset_import: ["" : 21]> f (a) => (c) { c = Abs (b) b = Neg (a) })"),
              ElementsAre("b__1 = Neg(x) in f", "y = Abs(b__1) in f"));
}

TEST(InlineFunctionsTest, RecursionIsRefused) {
  auto expect_refused = [](absl::string_view graph, const std::string& part) {
    for (Functions functions : {Functions::kInline, Functions::kKeep}) {
      LoadOptions options;
      options.functions = functions;
      ExpectError(LoadGraph(graph, options).status(), absl::StatusCode::kInvalidArgument, part);
    }
  };
  expect_refused(R"(
    g (float x) => (float y) { y = acme.f (x) }
    <domain: "acme", opset_import: ["acme" : 1]> f (a) => (b) { b = acme.f (a) })",
                 "functions call themselves: acme.f -> acme.f");
  expect_refused(R"(
    g (float x) => (float y) { y = acme.e (x) }
    <domain: "acme", opset_import: ["acme" : 1]> e (a) => (b) { b = acme.f (a) }
    <domain: "acme", opset_import: ["acme" : 1]> f (a) => (b) { b = acme.h (a) }
    <domain: "acme", opset_import: ["acme" : 1]> h (a) => (b) { b = acme.f (a) })",
                 "functions call themselves: acme.f -> acme.h -> acme.f");
  // ONNX's inliner crashes on this one.
  expect_refused(R"(
    g (float x, bool c) => (float y) { y = acme.f (x, c) }
    <domain: "acme", opset_import: ["acme" : 1, "" : 21]> f (a, c) => (b) {
      b = If (c) <then_branch = t () => (v) { v = acme.f (a, c) },
                  else_branch = e () => (v) { v = Neg (a) }>
    })",
                 "functions call themselves: acme.f -> acme.f");
  expect_refused(R"(
    g (float x) => (float y) { y = Relu (x) }
    <domain: "", opset_import: ["" : 21]> Relu (x) => (y) { y = Relu (x) })",
                 "functions call themselves: Relu -> Relu");
}

// `levels` functions, each calling the next `calls` times.
std::string Multiplying(int levels, int calls) {
  std::string text = "g (float x) => (float y) { y = acme.f0 (x) }\n";
  for (int level = 0; level < levels; ++level) {
    absl::StrAppend(&text, "<domain: \"acme\", opset_import: [\"\" : 21, \"acme\" : 1]> f", level,
                    " (a0) => (a", calls, ") { ");
    for (int i = 0; i < calls; ++i) {
      absl::StrAppend(&text, "a", i + 1, " = ",
                      level + 1 == levels ? "Neg" : absl::StrCat("acme.f", level + 1), " (a", i,
                      ") ");
    }
    absl::StrAppend(&text, "}\n");
  }
  return text;
}

TEST(InlineFunctionsTest, ExpansionIsCountedBeforeItStarts) {
  EXPECT_EQ(Inlined(Multiplying(10, 2)).size(), 1024u);
  for (Functions functions : {Functions::kInline, Functions::kKeep}) {
    LoadOptions options;
    options.functions = functions;
    ExpectError(LoadGraph(Multiplying(18, 2), options).status(),
                absl::StatusCode::kResourceExhausted,
                "its 37 nodes would become 262144; the limit is 100000");
    ExpectError(LoadGraph(Multiplying(60, 3), options).status(),
                absl::StatusCode::kResourceExhausted, "would become more than can be counted");
  }
  LoadOptions options;
  options.max_nodes = 1000;
  ExpectError(LoadGraph(Multiplying(10, 2), options).status(), absl::StatusCode::kResourceExhausted,
              "would become 1024; the limit is 1000");
}

TEST(InlineFunctionsTest, NestingIsBounded) {
  EXPECT_EQ(Inlined(Multiplying(60, 1)).size(), 1u);
  ExpectError(LoadGraph(Multiplying(70, 1)).status(), absl::StatusCode::kResourceExhausted, "deep");
  ExpectError(LoadGraph(Multiplying(5000, 1)).status(), absl::StatusCode::kResourceExhausted,
              "functions call each other more than 64 deep");
}

TEST(InlineFunctionsTest, CopiesOfLargeConstantsAreBounded) {
  // 4000 calls of a function with a constant of 400 kB.
  std::string zeros = absl::StrJoin(std::vector<int>(100'000, 0), ",");
  std::string nodes;
  for (int i = 0; i < 4000; ++i) absl::StrAppend(&nodes, "a", i + 1, " = acme.f (a", i, ") ");
  ExpectError(LoadGraph(absl::StrCat("g (float a0) => (float a4000) { ", nodes, "}\n",
                                     "<domain: \"acme\", opset_import: [\"\" : 21]> f (x) => (y) {",
                                     "k = Constant <value = float[100000] {", zeros, "}> () ",
                                     "y = Add (x, k) }"))
                  .status(),
              absl::StatusCode::kResourceExhausted, "many times larger than its file");
}

TEST(InlineFunctionsTest, GraphsThatCallsPassOnAreBounded) {
  // Each level passes its graph on twice: small in the file, large when inlined.
  std::string text =
      "g (float x, bool c) => (float y) { y = acme.f0 <b = q () => (float v) { v = Neg (x) }> (c) "
      "}\n";
  for (int level = 0; level < 30; ++level) {
    std::string next = level == 29 ? "If" : absl::StrCat("acme.f", level + 1);
    std::string attributes =
        level == 29 ? "then_branch: graph = @b, else_branch: graph = @b" : "b: graph = @b";
    absl::StrAppend(&text, "<domain: \"acme\", opset_import: [\"\" : 21, \"acme\" : 1]> f", level,
                    " <b> (c) => (y) { y = ", next, " <", attributes, "> (c) z = ", next, " <",
                    attributes, "> (c) }\n");
  }
  EXPECT_EQ(LoadGraph(text).status().code(), absl::StatusCode::kResourceExhausted);
}

// f passes to Squeeze, at once and in a graph, what its callers may leave out.
TEST(InlineFunctionsTest, InputsThatACallLeavesOutAreAbsentInside) {
  constexpr char kFunction[] = R"(
    <domain: "acme", opset_import: ["" : 21, "acme" : 1]>
    f (x, axes, c) => (y) {
      a = Squeeze (x, axes)
      b = If (c) <then_branch = t () => (p) { p = Squeeze (x, axes) },
                  else_branch = e () => (q) { q = Identity (a) }>
      y = Add (a, b)
    }
    <domain: "acme", opset_import: ["" : 21, "acme" : 1]>
    g (x, axes, c) => (y) { y = acme.f (x, axes, c) })";
  const Feeds feeds = {{"x", Tensor::Of<float>({1, 2, 1}, {3, 4})}, {"c", Tensor::Scalar(true)}};
  for (const char* call : {"acme.f (x, , c)", "acme.g (x, , c)"}) {
    ExpectOutput(absl::StrCat("m (float[1,2,1] x, bool c) => (y) { y = ", call, " }", kFunction),
                 feeds, Tensor::Of<float>({2}, {6, 8}));
  }
  // Another call of the same function that leaves nothing out.
  ExpectOutput(absl::StrCat(R"(m (float[1,2,1] x, bool c) => (z) <int64[1] axes = {2}> {
                                 y = acme.f (x, , c)
                                 z = acme.f (x, axes, c)
                               })",
                            kFunction),
               feeds, Tensor::Of<float>({1, 2}, {6, 8}));
  LoadOptions options;
  for (Functions functions : {Functions::kInline, Functions::kKeep}) {
    options.functions = functions;
    ExpectError(LoadGraph(absl::StrCat("m (float[1,2,1] x, bool c) => (y) { y = acme.f (, , c) }",
                                       kFunction),
                          options)
                    .status(),
                absl::StatusCode::kInvalidArgument, "its input 0 (data) is missing");
  }
}

TEST(KeepFunctionsTest, CallsThatBindTheSameAttributesShareABody) {
  LoadOptions keep;
  keep.functions = Functions::kKeep;
  LoadedModel model = LoadGraph(R"(
    g (float[2,2] x) => (float[2,2] y) {
      [one] a = acme.f <k = 0> (x)
      [two] b = acme.f <k = 1> (a)
      [three] c = acme.f <k = 0> (b)
      y = acme.h (c)
    }
    <domain: "acme", opset_import: ["" : 12]> f <k> (x) => (y) { y = Softmax <axis: int = @k> (x) }
    <domain: "acme", opset_import: ["acme" : 1]> h (x) => (y) { y = acme.f <k = 1> (x) })",
                                keep);
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<Node>& nodes = (*model)->graph.nodes;
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[0].body, nodes[2].body);
  EXPECT_NE(nodes[0].body, nodes[1].body);
  EXPECT_EQ(nodes[1].body, nodes[3].body->nodes[0].body);
  const Node& softmax = nodes[1].body->nodes[0];
  EXPECT_EQ(std::get<int64_t>(softmax.attributes.at("axis")), 1);
  EXPECT_EQ(softmax.imports->at(""), 12);
  EXPECT_EQ(softmax.call_path, "");
  EXPECT_EQ(std::get<int64_t>(nodes[0].attributes.at("k")), 0);
}

}  // namespace
}  // namespace onnxcmp
