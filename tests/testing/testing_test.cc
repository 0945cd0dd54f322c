// Tests that use onnxcmp/testing.h: when they pass, when they fail and with which words.
#include "onnxcmp/testing.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "onnx/onnx_pb.h"
#include "onnxcmp/evaluator.h"
#include "onnxcmp/ops.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::AgreeOptions;
using ::onnxcmp::testing::IsCloseTo;
using ::onnxcmp::testing::ModelOutputs;
using ::onnxcmp::testing::ModelsAgree;
using ::onnxcmp::testing::ModelsEqualForAllInputs;
using ::onnxcmp::testing::ModelText;
using ::onnxcmp::testing::Outputs;
using ::onnxcmp::testing::RunModel;
using ::onnxcmp::testing::TestModel;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TestModel Graph21(absl::string_view graph) {
  return ModelText(absl::StrCat("<ir_version: 10, opset_import: [\"\": 21]> g ", graph));
}

Tensor Pair(float a, float b) { return Tensor::Of<float>({2}, {a, b}); }

TestModel Doubled() { return Graph21("(float[2] x) => (float[2] y) { y = Add(x, x) }"); }
// The same, with other names.
TestModel Times(const std::string& factor) {
  return Graph21(absl::StrCat("(float[2] in) => (float[2] out) <float factor = {", factor,
                              "}> { out = Mul(in, factor) }"));
}

// The message of a failed assertion; "" if it passes.
template <typename T, typename M>
std::string Failure(const T& value, M matcher) {
  ::testing::StringMatchResultListener why;
  const bool matches = ::testing::SafeMatcherCast<const T&>(matcher).MatchAndExplain(value, &why);
  return matches ? "" : why.str();
}

TEST(OutputsTest, WhatARunGives) {
  EXPECT_THAT(RunModel(Doubled(), {{"x", Pair(1, 2)}}), Outputs(IsCloseTo(Pair(2, 4))));
  const TestModel two =
      Graph21("(float[2] x) => (float[2] y, int64[1] s) { y = Neg(x) s = Shape(x) }");
  EXPECT_THAT(RunModel(two, {{"x", Pair(1, 2)}}),
              Outputs(IsCloseTo(Pair(-1, -2)), IsCloseTo(Tensor::Of<int64_t>({1}, {2}))));
  const absl::StatusOr<ModelOutputs> outputs = RunModel(two, {{"x", Pair(1, 2)}});
  ASSERT_TRUE(outputs.ok());
  EXPECT_THAT(*outputs->Find("s"), IsCloseTo(Tensor::Of<int64_t>({1}, {2})));
  EXPECT_EQ(outputs->Find("x"), nullptr);
  EXPECT_EQ(::testing::PrintToString(outputs), "y float[2], s int64[1]");
}

TEST(OutputsTest, WrongOutputsFailWithTheirElements) {
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(RunModel(Doubled(), {{"x", Pair(1, 2)}}), Outputs(IsCloseTo(Pair(2, 5)))),
      "output y: \nfloat[2]: 1 of 2 elements beyond");
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(RunModel(Doubled(), {{"x", Pair(1, 2)}}), Outputs(IsCloseTo(Pair(2, 5)))),
      "[1] expected 5, got 4");
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(RunModel(Doubled(), {{"x", Pair(1, 2)}}),
                                      Outputs(IsCloseTo(Tensor::Of<double>({2}, {2, 4})))),
                          "float[2] instead of double[2]");
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(RunModel(Doubled(), {{"x", Pair(1, 2)}}),
                                      Outputs(IsCloseTo(Pair(2, 4)), IsCloseTo(Pair(2, 4)))),
                          "which are 1 outputs, not 2");
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(RunModel(Doubled(), {{"x", Pair(1, 2)}}), Not(Outputs(IsCloseTo(Pair(2, 4))))),
      "not outputs of which the first is close to float[2]");
}

// Never silently: not even where the matcher is negated would a model that cannot run pass unseen.
TEST(OutputsTest, ModelsThatDoNotRunFailWithTheError) {
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(RunModel(Doubled(), {}), Outputs(IsCloseTo(Pair(2, 4)))),
                          "the model did not run");
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(RunModel("no/such.onnx", {}), Outputs(IsCloseTo(Pair(2, 4)))),
                          "no/such.onnx");
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(RunModel(ModelText("g (float x) => {"), {}), Outputs(IsCloseTo(Pair(2, 4)))),
      "the model did not run");
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(RunModel(Graph21("(float[2] x) => (float[2] y) { y = NoSuchOperator(x) }"), {}),
                  Outputs(IsCloseTo(Pair(2, 4)))),
      "NoSuchOperator");
}

TEST(OutputsTest, OfAnEvaluator) {
  const OpRegistry registry = AllOperators();
  const auto model = Doubled().Load(registry, {});
  ASSERT_TRUE(model.ok());
  const auto evaluator = Evaluator::Create(*model, registry);
  ASSERT_TRUE(evaluator.ok());
  EXPECT_THAT(evaluator->Run({{"x", Pair(1, 2)}}), Outputs(IsCloseTo(Pair(2, 4))));
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(evaluator->Run({{"x", Pair(1, 2)}}), Outputs(IsCloseTo(Pair(2, 5)))),
      "output 0: ");
}

TEST(IsCloseToTest, Tolerances) {
  const Tensor one = Pair(1, 1);
  EXPECT_THAT(Pair(1, std::nextafter(1.0f, 2.0f)), IsCloseTo(one));
  EXPECT_THAT(Failure(Pair(1, std::nextafter(1.0f, 2.0f)), IsCloseTo(one, {.rtol = 0, .atol = 0})),
              HasSubstr("1 of 2 elements"));
  EXPECT_THAT(Failure(Pair(1, 1.01f), IsCloseTo(one)), HasSubstr("1 of 2 elements"));
  EXPECT_THAT(Pair(1, 1.01f), IsCloseTo(one, {.rtol = 0.1}));
  EXPECT_THAT(Pair(1, 1.01f), IsCloseTo(one, {.atol = 0.1}));
  EXPECT_THAT(Failure(Pair(1, 1.01f), IsCloseTo(one, {.atol = 0.001})), HasSubstr("1 of 2"));
  // Integers are exact whatever is tolerated of floats.
  const Tensor number = Tensor::Of<int64_t>({1}, {1000});
  EXPECT_THAT(Failure(Tensor::Of<int64_t>({1}, {1001}), IsCloseTo(number, {.rtol = 0.5})),
              HasSubstr("1 of 1 elements"));
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(Pair(kNan, 1), IsCloseTo(Pair(kNan, 1)));
  EXPECT_THAT(Failure(Pair(kNan, 1), IsCloseTo(one)), HasSubstr("NaN: 0 expected, 1 got"));
  EXPECT_THAT(Failure(Tensor::Of<float>({1, 2}, {1, 1}), IsCloseTo(one)),
              HasSubstr("float[1,2] instead of float[2]"));
  EXPECT_THAT(Failure(Value(), IsCloseTo(one)), HasSubstr("absent instead of float[2]"));
}

TEST(ModelsAgreeTest, OnMadeUpInputsOnTheseAndOnSeveral) {
  EXPECT_MODELS_AGREE(Doubled(), Times("2"));
  ASSERT_MODELS_AGREE(Doubled(), Times("2"), Feeds{{"x", Pair(1, 2)}});
  EXPECT_MODELS_AGREE(Doubled(), Times("2"), Feeds{{"in", Pair(1, 2)}});
  const std::vector<Feeds> sets = {{{"x", Pair(1, 2)}}, {{"x", Pair(3, 4)}}};
  EXPECT_MODELS_AGREE(Doubled(), Times("2"), sets);
  EXPECT_MODELS_AGREE(Doubled(), Times("2.01"), {.tolerance = {.rtol = 0.1, .atol = 0}});
  EXPECT_MODELS_AGREE(Doubled(), Times("2.01"), sets, {.tolerance = {.rtol = 0.1}});
  if (sets.empty())
    EXPECT_MODELS_AGREE(Doubled(), Times("3"));
  else
    SUCCEED();
}

// The failure is the table, with the cause.
TEST(ModelsAgreeTest, FailsWithTheTable) {
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(Doubled(), Times("2.125")),
                          "models that do not agree: Doubled(), Times(\"2.125\")\n");
  const absl::Status status = ModelsAgree(Doubled(), Times("2.125"));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr("left   before  1 node"), HasSubstr("\nright  after"), HasSubstr("\ncause"),
            HasSubstr("operator: Add | Mul"), StartsWith("different "), HasSubstr("\nexit 1\n")));
  EXPECT_FATAL_FAILURE(ASSERT_MODELS_AGREE(Doubled(), Times("2.125")), "\nexit 1\n");
  EXPECT_THAT(std::string(ModelsAgree(Doubled(), Times("2.125"), {.causes = false}).message()),
              Not(HasSubstr("\ncause")));
  // On the set that shows it.
  const std::vector<Feeds> sets = {{{"x", Pair(0, 0)}}, {{"x", Pair(3, 4)}}};
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(Doubled(), Times("2.125"), sets), "\nset 1: ");
  EXPECT_NONFATAL_FAILURE(
      EXPECT_MODELS_AGREE(Doubled(), Times("2.5"), {.tolerance = {.rtol = 0.01}}), "\nexit 1\n");
}

TEST(ModelsEqualForAllInputsTest, WhatIsProvedPasses) {
  EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(Doubled(), Times("2"));
  ASSERT_MODELS_EQUAL_FOR_ALL_INPUTS(Doubled(), Times("2"), Feeds{{"x", Pair(1, 2)}});
  const std::vector<Feeds> sets = {{{"x", Pair(1, 2)}}, {{"x", Pair(3, 4)}}};
  EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(Doubled(), Times("2"), sets, {.causes = false});
}

// A weight's last place agrees within any tolerance, and is no equal.
TEST(ModelsEqualForAllInputsTest, AMutantFails) {
  EXPECT_MODELS_AGREE(Doubled(), Times("2.0000002"));
  EXPECT_NONFATAL_FAILURE(
      EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(Doubled(), Times("2.0000002")),
      "models that are not proved equal for all inputs: Doubled(), Times(\"2.0000002\")\n");
  const absl::Status status = ModelsEqualForAllInputs(Doubled(), Times("2.0000002"));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("but not proved for all inputs of these shapes: y | out differs in exact"));
  EXPECT_FATAL_FAILURE(
      ASSERT_MODELS_EQUAL_FOR_ALL_INPUTS(Doubled(), Times("2.0000002"), Feeds{{"x", Pair(1, 2)}}),
      "not proved");
}

TEST(ModelsEqualForAllInputsTest, ConversionsHaveToBeAskedFor) {
  const TestModel plain =
      Graph21("(float[2] x) => (float[2] y) <float[2] w = {0.1, 0.3}> { y = Mul(x, w) }");
  const auto with = [](const char* bits) {
    return Graph21(absl::StrCat("(float[2] x) => (float[2] y) { h = Constant<value = float16[2] {",
                                bits, "}>() w = Cast<to = 1>(h) y = Mul(x, w) }"));
  };
  EXPECT_MODELS_AGREE(plain, with("11878, 13517"));
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(plain, with("11878, 13517")),
                          "with exact numbers");
  EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(plain, with("11878, 13517"), {.conversions = true});
  EXPECT_NONFATAL_FAILURE(
      EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(plain, with("11878, 13518"), {.conversions = true}),
      "not proved");
}

TEST(ModelsEqualForAllInputsTest, WhatAProofOnlyTellsHasToBeAccepted) {
  const TestModel less = Graph21("(float[2] a, float[2] b) => (float[2] y) { y = Sub(a, b) }");
  const TestModel crosswise = Graph21("(float[2] p, float[2] q) => (float[2] y) { y = Sub(q, p) }");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(less, crosswise),
                          "a = q, b = p (guessed_inputs)");
  EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(less, crosswise, {.guessed_inputs = true});
  const TestModel renamed = Graph21("(float[2] p, float[2] q) => (float[2] y) { y = Sub(p, q) }");
  EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(less, renamed);

  const TestModel text = Graph21(
      "(float[2] x, string[2] s) => (float[2] y) <string[2] c = {\"a\", \"b\"}> "
      "{ e = Equal(s, c) d = Add(x, x) y = Where(e, d, x) }");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(text, text), "s as fed (as_fed)");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(text, text, {.as_fed = {"x"}}),
                          "s as fed (as_fed)");
  EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(text, text, {.as_fed = {"s"}});

  const TestModel divided =
      Graph21("(float[4] x) => (float[4] y) <float k = {41}> { q = Div(x, k) y = Floor(q) }");
  const TestModel multiplied = Graph21(
      "(float[4] x) => (float[4] y) <float k = {0.024390243}> { q = Mul(x, k) y = Floor(q) }");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(divided, multiplied),
                          "roundings before Floor y (rounded_jumps)");
  EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(divided, multiplied, {.rounded_jumps = true});

  const auto masked = [](const char* number) {
    return Graph21(absl::StrCat("(float[2,3] x) => (float[2,3] y) <float[3] m = {0, 0, ", number,
                                "}> { s = Add(x, m) y = Softmax(s) }"));
  };
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(masked("-10000"), masked("-20000")),
                          "(large_masks)");
  EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(masked("-10000"), masked("-20000"), {.large_masks = true});
  EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(masked("-10000"), masked("-10000"));

  const TestModel some = Graph21(
      "(float[4] x) => (float[n] y) <float z = {0}> { g = Greater(x, z) y = Compress(x, g) }");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(some, some), "(given_shapes)");
  EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(some, some, {.given_shapes = true});
}

// Nor is what nobody can prove passed, nor what differs by itself or cannot run.
TEST(ModelsEqualForAllInputsTest, WhatIsNotProvedFailsWithWhereTheProofEnds) {
  const TestModel random =
      Graph21("(float[2] x) => (float[2] y) { r = RandomNormalLike<seed = 1.0>(x) y = Add(x, r) }");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(random, random), "RandomNormalLike");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(Doubled(), Times("3")), "\nexit 1\n");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(Doubled(), "no/such.onnx"),
                          "the model `after`: ");
  EXPECT_NONFATAL_FAILURE(
      EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(Doubled(), Doubled(), std::vector<Feeds>()),
      "there is no set of inputs");
}

TEST(ModelsAgreeTest, NothingToCompareFails) {
  const TestModel none = Graph21("(float[2] x) => () { y = Add(x, x) }");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(none, none), "models that do not agree");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(none, none, Feeds{{"x", Pair(1, 2)}}),
                          "models that do not agree");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(Doubled(), Doubled(), std::vector<Feeds>()),
                          "there is no set of inputs");
  // On inputs that are made up every output is NaN: nothing was seen that could differ.
  const TestModel nan = Graph21("(float[2] x) => (float[2] y) { a = Sub(x, x) y = Div(a, a) }");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(nan, nan), "\nexit 2\n");
  EXPECT_NONFATAL_FAILURE(
      EXPECT_MODELS_AGREE(Doubled(), Graph21("(float[2] x) => (float[2] y, float[2] z) "
                                             "{ y = Add(x, x) z = Neg(x) }")),
      "z");
}

TEST(ModelsAgreeTest, WhatCannotBeLoadedOrRunOrFedFails) {
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(Doubled(), "no/such.onnx"), "the model `after`: ");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE("no/such.onnx", Doubled()), "the model `before`: ");
  const TestModel fails = Graph21(
      "(float[2] x) => (float[2] y) <int64[1] shape = {3}> { r = Reshape(x, shape) y = Add(x, r) "
      "}");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(fails, fails), "\nexit 2\n");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(Doubled(), fails, Feeds{{"x", Pair(1, 2)}}),
                          "\nexit 2\n");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(Doubled(), Times("2"), Feeds{}),
                          "no value for left input `x`");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(Doubled(), Times("2"), Feeds{{"x", Tensor()}}), "");
  EXPECT_NONFATAL_FAILURE(
      EXPECT_MODELS_AGREE(Doubled(), Times("2"), Feeds{{"x", Pair(1, 2)}, {"q", Pair(1, 2)}}), "q");
}

// A path, a message, a loaded model: each the same model.
TEST(TestModelTest, EveryForm) {
  const std::string path = SourceFile("examples/affine.onnxtxt");
  const OpRegistry registry = AllOperators();
  const absl::StatusOr<std::shared_ptr<const Model>> loaded = LoadModel(path, registry);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_MODELS_AGREE(path, loaded);
  EXPECT_MODELS_AGREE(path.c_str(), *loaded);
  EXPECT_MODELS_AGREE(path, **loaded);
  onnx::ModelProto proto;
  proto.set_ir_version(10);
  auto* import = proto.add_opset_import();
  import->set_version(21);
  onnx::GraphProto* graph = proto.mutable_graph();
  graph->set_name("g");
  for (onnx::ValueInfoProto* info : {graph->add_input(), graph->add_output()}) {
    auto* type = info->mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnx::TensorProto::FLOAT);
    type->mutable_shape()->add_dim()->set_dim_value(2);
  }
  graph->mutable_input(0)->set_name("x");
  graph->mutable_output(0)->set_name("y");
  onnx::NodeProto* node = graph->add_node();
  node->set_op_type("Add");
  node->add_input("x");
  node->add_input("x");
  node->add_output("y");
  EXPECT_MODELS_AGREE(proto, Doubled());
  EXPECT_THAT(RunModel(proto, {{"x", Pair(1, 2)}}), Outputs(IsCloseTo(Pair(2, 4))));
  const TestModel before = proto;
  node->set_op_type("Mul");
  EXPECT_MODELS_AGREE(before, Doubled());
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(proto, Doubled()), "\nexit 1\n");
  EXPECT_NONFATAL_FAILURE(EXPECT_MODELS_AGREE(std::shared_ptr<const Model>(), Doubled()),
                          "the model is null");
}

// Local functions are inlined, or kept as one node each.
TEST(ModelsAgreeTest, LocalFunctions) {
  const TestModel functions = ModelText(R"(
      <ir_version: 10, opset_import: ["": 21, "local": 1]>
      g (float[2] x) => (float[2] y) { y = local.Twice(x) }
      <opset_import: ["": 21], domain: "local"> Twice (a) => (b) { b = Add(a, a) })");
  EXPECT_MODELS_AGREE(Doubled(), functions);
  AgreeOptions keep;
  keep.run.load.functions = Functions::kKeep;
  EXPECT_MODELS_AGREE(Doubled(), functions, keep);
  EXPECT_THAT(RunModel(functions, {{"x", Pair(1, 2)}}, keep.run), Outputs(IsCloseTo(Pair(2, 4))));
}

TEST(ModelsAgreeTest, LimitsHold) {
  EXPECT_NONFATAL_FAILURE(
      EXPECT_MODELS_AGREE(Doubled(), Doubled(), {.run = {.evaluator = {.max_tensor = 4}}}),
      "more than the limit of 4");
}

}  // namespace
}  // namespace onnxcmp
