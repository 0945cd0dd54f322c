// The operator Gradient: what it differentiates, at which values, and what it refuses. The rules of
// the operators are tested in derivatives_test.cc.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/load/load_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;

// A graph, and functions after it, as a model; `Gradient` stands for the operator's full name.
std::string Text(std::string graph, const std::string& functions = "") {
  for (size_t at = 0; (at = graph.find("Gradient", at)) != std::string::npos; at += 33) {
    graph.insert(at, "ai.onnx.preview.training.");
  }
  return absl::StrCat(
      R"(<ir_version: 10, opset_import: ["": 22, "ai.onnx.preview.training": 1, "local": 1]> g )",
      graph, functions);
}

Tensor Scalar(float value) { return Tensor::Scalar<float>(value); }

void ExpectValues(const absl::StatusOr<std::vector<Value>>& outputs,
                  const std::vector<Tensor>& want) {
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ASSERT_EQ(outputs->size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) ExpectTensor(TensorAt(outputs, i), want[i], 1e-6);
}

void ExpectRefused(const std::string& graph, absl::StatusCode code, const std::string& words) {
  ExpectError(RunText(Text(graph), {{"a", Scalar(2)}, {"b", Scalar(3)}}).status(), code, words);
}

// d = (a + b) * a: dd/da = 2a + b, dd/db = a.
constexpr char kPolynomial[] = "c = Add(a, b) d = Mul(c, a) ";

TEST(GradientTest, IsThatOfTheWholeGraph) {
  const std::string text =
      Text(absl::StrCat("(float a, float b) => (float da, float db) {", kPolynomial,
                        "da, db = Gradient <xs = [\"a\", \"b\"], y = \"d\"> "
                        "(a, b) }"));
  ExpectValues(RunText(text, {{"a", Scalar(2)}, {"b", Scalar(3)}}), {Scalar(7), Scalar(2)});
}

TEST(GradientTest, OutputsThatAreNotWantedAreLeftOut) {
  const std::string text =
      Text(absl::StrCat("(float a, float b) => (float db) {", kPolynomial,
                        ", db = Gradient <xs = [\"a\", \"b\"], y = \"d\"> (a, b) }"));
  ExpectValues(RunText(text, {{"a", Scalar(2)}, {"b", Scalar(3)}}), {Scalar(2)});
}

// Nor is a rule needed for what only they depend on.
TEST(GradientTest, NothingIsAskedOfTheWayToThem) {
  const std::string text = Text(
      "(float[2] a, float[2] b) => (float[2] db) { c = Hardmax(a) d = Mul(c, b) "
      ", db = Gradient <xs = [\"a\", \"b\"], y = \"d\"> (a, b) }");
  ExpectValues(RunText(text, {{"a", Floats({3, 2})}, {"b", Floats({5, 6})}}), {Floats({1, 0})});
}

// The gradient is that of the sum of y's elements; what was broadcast is summed.
TEST(GradientTest, OfATensorItsSumIsDifferentiated) {
  const std::string text = Text(
      "(float[2,3] a, float[3] b) => (float[2,3] da, float[3] db) { d = Mul(a, b) "
      "da, db = Gradient <xs = [\"a\", \"b\"], y = \"d\"> (a, b) }");
  ExpectValues(RunText(text, {{"a", Iota({2, 3})}, {"b", Floats({5, 6, 7})}}),
               {Tensor::Of<float>({2, 3}, {5, 6, 7, 5, 6, 7}), Floats({3, 5, 7})});
}

TEST(GradientTest, TakesIntermediateValuesAsVariables) {
  const std::string text =
      Text(absl::StrCat("(float a, float b) => (float dc) {", kPolynomial,
                        "dc = Gradient <xs = [\"c\"], zs = [\"a\"], y = \"d\"> (c, a) }"));
  ExpectValues(RunText(text, {{"a", Scalar(2)}, {"b", Scalar(3)}}), {Scalar(2)});
}

// The inputs say where the derivative is taken: nodes that depend on them are computed again.
TEST(GradientTest, IsTakenAtTheValuesOfItsInputs) {
  const std::string text = Text(
      absl::StrCat("(float a, float b, float at) => (float d, float da, float dc) {", kPolynomial,
                   "da = Gradient <xs = [\"a\"], zs = [\"b\"], y = \"d\"> (at, b)"
                   "dc = Gradient <xs = [\"c\"], zs = [\"a\"], y = \"d\"> (c, at) }"));
  ExpectValues(RunText(text, {{"a", Scalar(2)}, {"b", Scalar(3)}, {"at", Scalar(10)}}),
               {Scalar(10), Scalar(23), Scalar(10)});
}

TEST(GradientTest, IsZeroWhereNothingDepends) {
  const std::string text = Text(
      "(float[2] a, double[3] b) => (float[2] da, double[3] db, float[2] dn) "
      "{ d = Sin(a) n = Shape(a) m = Cast <to = 1> (n) "
      "da, db = Gradient <xs = [\"a\", \"b\"], y = \"d\"> (a, b) "
      "dn = Gradient <xs = [\"a\"], y = \"m\"> (a) }");
  ExpectValues(RunText(text, {{"a", Floats({0, 0})}, {"b", Tensor::Of<double>({3}, {1, 2, kInf})}}),
               {Floats({1, 1}), Tensor::Of<double>({3}, {0, 0, 0}), Floats({0, 0})});
}

TEST(GradientTest, OfAVariableItselfIsOne) {
  const std::string text = Text(
      "(float a, float b) => (float da, float db) { "
      "da, db = Gradient <xs = [\"a\", \"b\"], y = \"a\"> (a, b) }");
  ExpectValues(RunText(text, {{"a", Scalar(2)}, {"b", Scalar(3)}}), {Scalar(1), Scalar(0)});
}

// y = a^3 b: dy/da = 3 a^2 b; of that d/da = 6 a b, d/db = 3 a^2; and once more 6 b.
TEST(GradientTest, OfAGradientIsTheSecondDerivative) {
  const std::string text = Text(
      "(float a, float b) => (float daa, float dab, float daaa) "
      "{ p = Mul(a, a) q = Mul(p, a) y = Mul(q, b) "
      "da = Gradient <xs = [\"a\"], zs = [\"b\"], y = \"y\"> (a, b) "
      "daa, dab = Gradient <xs = [\"a\", \"b\"], y = \"da\"> (a, b) "
      "daaa = Gradient <xs = [\"a\", \"b\"], y = \"daa\"> (a, b) }");
  ExpectValues(RunText(text, {{"a", Scalar(2)}, {"b", Scalar(3)}}),
               {Scalar(36), Scalar(12), Scalar(18)});
}

// The example of the specification: y is linear in W, the loss not.
TEST(GradientTest, OfALayerAndItsLoss) {
  const std::string text = Text(
      "(float[2,2] X, float[1,2] W, float[2,1] L) => (float[1,2] dW, float[1,2] dWW) "
      "{ Y = Gemm <transB = 1> (X, W) e = Sub(Y, L) s = Mul(e, e) O = ReduceSum(s) "
      "dX, dW = Gradient <xs = [\"X\", \"W\"], zs = [\"L\"], y = \"O\"> (X, W, L) "
      "dXX, dWW = Gradient <xs = [\"X\", \"W\"], zs = [\"L\"], y = \"dW\"> (X, W, L) }");
  // Y = (5, 11), e = (4, 9), dW = 2 e'X = (62, 88); the sum of dW changes with W as
  // 2 * (1 + 2, 3 + 4)'X = (48, 68).
  ExpectValues(RunText(text, {{"X", Tensor::Of<float>({2, 2}, {1, 2, 3, 4})},
                              {"W", Tensor::Of<float>({1, 2}, {1, 2})},
                              {"L", Tensor::Of<float>({2, 1}, {1, 2})}}),
               {Tensor::Of<float>({1, 2}, {62, 88}), Tensor::Of<float>({1, 2}, {48, 68})});
}

// Results are called by the node, what they are for, and their operator.
TEST(GradientTest, ItsNodesAreSeen) {
  const std::string text = Text(
      "(float a, float b) => (float da, float db) { c = Add(a, b) [square] d = Mul(c, c) "
      "[grad] da, db = Gradient <xs = [\"a\", \"b\"], y = \"d\"> (a, b) }");
  Recorder recorder;
  const auto outputs = RunText(text, {{"a", Scalar(2)}, {"b", Scalar(3)}}, &recorder);
  ExpectValues(outputs, {Scalar(10), Scalar(10)});
  const std::vector<std::string> lines = recorder.Lines();
  EXPECT_THAT(lines, Contains("RESULT grad/d_d CastLike"));
  EXPECT_THAT(lines, Contains("RESULT grad/square/Mul Mul"));
  EXPECT_THAT(lines, Contains("RESULT grad/d_c Sum"));
  EXPECT_THAT(lines, Contains("RESULT da Reshape"));
}

TEST(GradientTest, NamesAreTakenOnce) {
  const std::string text = Text(
      "(float a) => (float da, float db) { b = Sin(a) [square] d = Mul(b, b) "
      "[grad] da = Gradient <xs = [\"a\"], y = \"d\"> (a) "
      "[grad] db = Gradient <xs = [\"b\"], y = \"d\"> (b) }");
  Recorder recorder;
  ASSERT_TRUE(RunText(text, {{"a", Scalar(2)}}, &recorder).ok());
  EXPECT_THAT(recorder.Lines(), AllOf(Contains("RESULT grad/square/Mul Mul"),
                                      Contains("RESULT grad/square/Mul_2 Mul"),
                                      Contains("RESULT grad/square/Mul_3 Mul")));
}

// Inlined, the names in the attributes are those of the call.
TEST(GradientTest, WorksInsideLocalFunctions) {
  const std::string function =
      "<domain: \"local\", opset_import: [\"\" : 22, \"ai.onnx.preview.training\" : 1]> "
      "F (p, q) => (r) { s = Mul(p, q) t = Sin(s) "
      "r = ai.onnx.preview.training.Gradient <xs = [\"p\"], zs = [\"q\"], y = \"t\"> (p, q) }";
  // p and s are also values of the caller, which are not meant.
  const std::string text =
      Text("(float a, float b) => (float e) { p = Neg(a) s = Neg(b) t = Neg(p) e = local.F(s, a) }",
           function);
  // t = sin(p q), dt/dp = q cos(p q) at p = -b, q = a.
  const Feeds feeds = {{"a", Scalar(2)}, {"b", Scalar(0)}};
  for (const Functions functions : {Functions::kInline, Functions::kKeep}) {
    const auto model = LoadModelFromText(text, Registry(), {.functions = functions});
    ASSERT_TRUE(model.ok()) << model.status();
    const auto evaluator = Evaluator::Create(*model, Registry(), {.threads = 1});
    ASSERT_TRUE(evaluator.ok()) << evaluator.status();
    ExpectValues(evaluator->Run(feeds), {Scalar(2)});
  }
}

// The derivative by a value of a graph around, too: d(a sin a)/da = sin a + a cos a.
TEST(GradientTest, WorksInsideSubgraphs) {
  const std::string text = Text(
      "(float a, bool go) => (float e) { b = Sin(a) e = If (go) "
      "<then_branch = t () => (float u) { c = Mul(b, a) "
      "u = Gradient <xs = [\"a\"], y = \"c\"> (a) }, "
      "else_branch = f () => (float v) { v = Neg(a) }> }");
  ExpectValues(RunText(text, {{"a", Scalar(1)}, {"go", Bools({}, {1})}}), {Scalar(1.38177329f)});
  ExpectValues(RunText(text, {{"a", Scalar(1)}, {"go", Bools({}, {0})}}), {Scalar(-1)});
}

TEST(GradientTest, GoesThroughLocalFunctionsThatAreKept) {
  const std::string text = Text(
      "(float a, float b) => (float da) { [call] c, d = local.F(a, b) e = Add(c, d) f = Mul(e, a) "
      "[grad] da = Gradient <xs = [\"a\"], zs = [\"b\"], y = \"f\"> (a, b) }",
      "<domain: \"local\", opset_import: [\"\": 22]> F (b, a) => (p, b) { p = Mul(b, a) }");
  // f = (a b + a) a.
  for (const Functions functions : {Functions::kInline, Functions::kKeep}) {
    const auto model = LoadModelFromText(text, Registry(), {.functions = functions});
    ASSERT_TRUE(model.ok()) << model.status();
    const auto evaluator = Evaluator::Create(*model, Registry(), {.threads = 1});
    ASSERT_TRUE(evaluator.ok()) << evaluator.status();
    ExpectValues(evaluator->Run({{"a", Scalar(2)}, {"b", Scalar(3)}}), {Scalar(16)});
  }
}

// The nodes inside of a function are computed once more, which must give the same.
TEST(GradientTest, DoesNotGoThroughFunctionsThatDrawNumbers) {
  const std::string text = Text(
      "(float a) => (float da) { [call] c = local.F(a) "
      "da = Gradient <xs = [\"a\"], y = \"c\"> (a) }",
      "<domain: \"local\", opset_import: [\"\": 22]> F (a) => (y) "
      "{ r = RandomNormalLike(a) y = Mul(r, a) }");
  EXPECT_TRUE(RunText(text, {{"a", Scalar(2)}}).ok());
  ExpectError(LoadModelFromText(text, Registry(), {.functions = Functions::kKeep}).status(),
              kUnimplemented, "local.F 'call' (a node of its body draws other numbers)");
}

// Its further outputs say that BatchNormalization trains: z = (1, 3) becomes (-1, 1).
TEST(GradientTest, NodesThatAreComputedAgainKeepTheirOutputs) {
  const std::string text =
      R"(<ir_version: 7, opset_import: ["": 13, "ai.onnx.preview.training": 1]>
      g (float[2,1] x, float[2,1] z) => (float[2,1] dx)
      <float[2,1] w = {0, 1}, float[1] scale = {1}, float[1] zero = {0}, float[1] one = {1}> {
      n, m, v, o, p = BatchNormalization <epsilon = 0.0> (w, scale, zero, zero, one)
      y = Mul(n, x)
      dx = ai.onnx.preview.training.Gradient <xs = ["x"], zs = ["w"], y = "y"> (x, z) })";
  const Tensor x = Tensor::Of<float>({2, 1}, {5, 6});
  ExpectValues(RunText(text, {{"x", x}, {"z", Tensor::Of<float>({2, 1}, {1, 3})}}),
               {Tensor::Of<float>({2, 1}, {-1, 1})});
}

TEST(GradientTest, OperatorsWithoutRuleAreAllNamed) {
  ExpectRefused(
      "(float a, float b) => (float da) { [first] t = Hardmax(a) u = Mul(t, b) "
      "[second] v = Hardmax(u) [third] w = Hardmax(b) x = Add(v, w) "
      "[grad] da = Gradient <xs = [\"a\"], y = \"x\"> (a) }",
      kUnimplemented,
      "ai.onnx.preview.training.Gradient 'grad': on the way to 'x' there is no "
      "derivative of Hardmax 'second' (version 13); Hardmax 'first' (version 13)");
  // Through inputs of a rule that has none for them, through graphs, in other opsets.
  ExpectRefused(
      "(float a, float b) => (float da) { c = Clip(b, , a) "
      "da = Gradient <xs = [\"a\"], y = \"c\"> (a) }",
      kUnimplemented, "no derivative of Clip -> 'c' for its input 2, 'a'");
  ExpectRefused(
      "(float a, float b) => (float da) { t = Greater(a, b) c = If (t) "
      "<then_branch = t () => (float u) { u = Neg(a) }, "
      "else_branch = f () => (float v) { v = Neg(b) }> "
      "da = Gradient <xs = [\"a\"], y = \"c\"> (a) }",
      kUnimplemented, "no derivative of If -> 'c' (version 21)");
  const std::string old =
      R"(<ir_version: 10, opset_import: ["": 6, "ai.onnx.preview.training": 1]>
      g (float a, float b) => (float da) { c = Add(a, b)
      da = ai.onnx.preview.training.Gradient <xs = ["a"], y = "c"> (a) })";
  ExpectError(RunText(old, {{"a", Scalar(2)}, {"b", Scalar(3)}}).status(), kUnimplemented,
              "no derivative of Add -> 'c' (version 6)");
}

// A value that a graph reads cannot be exchanged.
TEST(GradientTest, OtherValuesDoNotReachIntoGraphs) {
  ExpectRefused(
      "(float a, float b) => (float db) { t = Greater(a, b) c = If (t) "
      "<then_branch = t () => (float u) { u = Neg(a) }, "
      "else_branch = f () => (float v) { v = Abs(a) }> d = Mul(c, b)"
      "db = Gradient <xs = [\"b\"], zs = [\"a\"], y = \"d\"> (b, b) }",
      kUnimplemented, "If -> 'c' cannot be computed at other values: a graph in it reads");
}

TEST(GradientTest, WrongNamesAreErrors) {
  const auto refused = [](const std::string& node, const std::string& words) {
    ExpectRefused(absl::StrCat("(float a, float b) => (float da) {", kPolynomial, node, "}"),
                  kInvalid, words);
  };
  refused("da = Gradient <xs = [\"x\"], y = \"d\"> (a)", "'x', but no value before it");
  refused("da = Gradient <xs = [\"a\"], y = \"y\"> (a)", "'y', but no value before it");
  refused("da = Gradient <xs = [\"a\"], y = \"\"> (a)", "it names no xs or no y");
  refused("da = Gradient <xs = [\"a\"]> (a)", "y");
  refused("da = Gradient <xs = [\"a\"], y = \"d\"> (a, b)", "2 inputs, but xs and zs name 1");
  refused("da, db = Gradient <xs = [\"a\"], y = \"d\"> (a)", "2 outputs, but xs names 1");
  refused("da = Gradient <xs = [\"a\"], zs = [\"a\"], y = \"d\"> (a, a)", "names 'a' twice");
  refused("da = Gradient <xs = [\"a\", \"c\"], y = \"d\"> (a, c)",
          "'c' is computed from 'a', so they are no independent values");
}

// Each gradient of a gradient is many times as long.
TEST(GradientTest, DoesNotGrowWithoutLimit) {
  std::string graph = "(float a) => (float d20) { d0 = Tan(a) ";
  for (int i = 1; i <= 20; ++i) {
    absl::StrAppend(&graph, "d", i, " = Gradient <xs = [\"a\"], y = \"d", i - 1, "\"> (a) ");
  }
  ExpectError(RunText(Text(graph + "}"), {{"a", Scalar(0)}}).status(),
              absl::StatusCode::kResourceExhausted, "many times larger than its file");
}

TEST(GradientTest, ByItselfHasNothingToDifferentiate) {
  OpTest test("Gradient", 1, "ai.onnx.preview.training");
  test.Attr("xs", std::vector<std::string>{"a"}).Attr("y", "b").Input(Scalar(1));
  ExpectError(test.Run().status(), kUnimplemented, "it needs the graph around it");
}

}  // namespace
}  // namespace onnxcmp::testing
