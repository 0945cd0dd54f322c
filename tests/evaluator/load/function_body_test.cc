// Operators that run through the bodies that ONNX's schemas give them.
#include "evaluator/load/function_body.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/run/evaluator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;

EvaluatorOptions Expanding() { return {.threads = 1, .expand_functions = true}; }
const Tensor kX = Tensor::Of<float>({1, 3}, {-1, 0, 2});

// Our operators but these.
OpRegistry RegistryWithout(std::initializer_list<absl::string_view> left_out) {
  OpRegistry registry;
  for (const OpRegistry::Entry& entry : Registry().Entries()) {
    const bool wanted =
        std::find(left_out.begin(), left_out.end(), entry.op_type) == left_out.end();
    for (int version : entry.versions) {
      if (!wanted || !entry.domain.empty()) continue;
      registry.Add("", entry.op_type, {version},
                   *Registry().FindKernel("", entry.op_type, version));
    }
  }
  return registry;
}

Node OneNode(const std::string& op_type, int opset, std::vector<std::string> inputs) {
  Node node;
  node.op_type = op_type;
  node.inputs = std::move(inputs);
  node.outputs = {"y"};
  node.imports = std::make_shared<const OpsetImports>(OpsetImports{{"", opset}});
  return node;
}

TEST(BodyKindTest, DependsOnTheOpset) {
  const OpRegistry registry;
  const auto kind = [&registry](const char* name, int opset) {
    return BodyKindOf(*registry.FindSchema("", name, opset), opset);
  };
  EXPECT_EQ(kind("Relu", 17), BodyKind::kNone);  // the schema of 14 has a body from 18 on
  EXPECT_EQ(kind("Relu", 18), BodyKind::kStatic);
  EXPECT_EQ(kind("Softmax", 12), BodyKind::kNone);
  EXPECT_EQ(kind("Softmax", 13), BodyKind::kDependent);
  EXPECT_EQ(kind("Add", 14), BodyKind::kNone);
}

TEST(FunctionBodyTest, RunsWhatHasNoKernel) {
  const OpRegistry registry = RegistryWithout({"HardSwish"});
  ASSERT_EQ(registry.FindKernel("", "HardSwish", 14), nullptr);
  const auto outputs = RunNode(OneNode("HardSwish", 14, {"x"}), registry, {kX}, {.threads = 1});
  // x * max(0, min(1, x / 6 + 0.5))
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<float>({1, 3}, {-1.0f / 3, 0, 5.0f / 3}), 1e-6);
}

TEST(FunctionBodyTest, BindsAttributesAndTheSchemasDefaults) {
  // (x - mean) / (standard deviation + 1e-9) over axes 0, 2 and 3 by default.
  Node node = OneNode("MeanVarianceNormalization", 13, {"x"});
  const Tensor x = Tensor::Of<float>({2, 1, 1, 1}, {1, 3});
  ExpectTensor(TensorAt(RunNode(node, Registry(), {x}, Expanding()), 0),
               Tensor::Of<float>({2, 1, 1, 1}, {-1, 1}));
  node.attributes["axes"] = std::vector<int64_t>{1, 2, 3};
  ExpectTensor(TensorAt(RunNode(node, Registry(), {x}, Expanding()), 0),
               Tensor::Of<float>({2, 1, 1, 1}, {0, 0}));
}

TEST(FunctionBodyTest, TakesTheBodyOfTheOpset) {
  // Before 18, ReduceMax takes its axes as an attribute, and so does the body.
  for (int opset : {13, 17, 18, 21}) {
    const auto outputs = RunNode(OneNode("Softmax", opset, {"x"}), Registry(), {kX}, Expanding());
    ExpectTensor(TensorAt(outputs, 0),
                 Tensor::Of<float>({1, 3}, {0.042010065f, 0.11419519f, 0.84379476f}), 1e-6);
  }
}

TEST(FunctionBodyTest, PlansABodyForEachTypeOfItsInputs) {
  const auto evaluator = EvaluatorFromText(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[n] x, float[n] like) => (float[n] y) { y = CastLike(x, like) })",
                                           Expanding());
  ASSERT_TRUE(evaluator.ok()) << evaluator.status();
  const Tensor x = Tensor::Of<float>({2}, {1, 2});
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (DType dtype : {DType::kFloat, DType::kInt32, DType::kFloat16}) {
      ExpectTensor(TensorAt(evaluator->RunNode(0, {x, Convert(x, dtype)}), 0), Convert(x, dtype));
    }
  }
}

TEST(FunctionBodyTest, LeavesOutWhatTheNodeLeavesOut) {
  const auto clip = [](std::vector<Value> inputs) {
    std::vector<std::string> names;
    for (const Value& input : inputs) names.push_back(input.empty() ? "" : "x");
    return TensorAt(RunNode(OneNode("Clip", 13, names), Registry(), inputs, Expanding()), 0);
  };
  const Value zero = Tensor::Scalar(0.0f);
  const Value one = Tensor::Scalar(1.0f);
  ExpectTensor(clip({kX}), kX);
  ExpectTensor(clip({kX, zero}), Tensor::Of<float>({1, 3}, {0, 0, 2}));
  ExpectTensor(clip({kX, Value(), one}), Tensor::Of<float>({1, 3}, {-1, 0, 1}));
  ExpectTensor(clip({kX, zero, one}), Tensor::Of<float>({1, 3}, {0, 0, 1}));
}

TEST(FunctionBodyTest, ResultsInsideAreNotReported) {
  Recorder recorder;
  const auto outputs = RunText(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[1,n] x) => (float[1,n] y) { y = HardSwish(x) })",
                               {{"x", kX}}, &recorder, Expanding());
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_THAT(recorder.Lines(), ElementsAre("INPUT x", "RESULT y HardSwish", "OUTPUT y"));
}

TEST(FunctionBodyTest, ErrorsNameTheOperatorAndTheNodeInside) {
  // A static body is looked through when the plan is made.
  const OpRegistry registry = RegistryWithout({"HardSwish", "HardSigmoid"});
  ExpectError(RunNode(OneNode("HardSwish", 14, {"x"}), registry, {kX}).status(),
              absl::StatusCode::kUnimplemented,
              "HardSwish -> 'output_0': in its body: a node cannot run: HardSigmoid -> ");
  Node node = OneNode("MeanVarianceNormalization", 13, {"x"});
  node.attributes["axes"] = std::vector<int64_t>{7};
  ExpectError(RunNode(node, Registry(), {kX}, Expanding()).status(),
              absl::StatusCode::kInvalidArgument,
              "ReduceMean -> 'X_RM' in output_0 (MeanVarianceNormalization): ");
}

TEST(FunctionBodyTest, TypesAreThoseOfTheOperator) {
  ExpectError(RunNode(OneNode("HardSwish", 14, {"x"}), Registry(), {Tensor::Scalar<int32_t>(1)},
                      Expanding())
                  .status(),
              absl::StatusCode::kInvalidArgument,
              "HardSwish -> 'output_0': its input X is int32[]");
}

// acme.Apply<body>(X) = body(X), as SequenceMap and FlexAttention take graphs into their bodies.
OpRegistry RegistryWithApply() {
  const auto build = [](const onnx::FunctionBodyBuildContext& context, const onnx::OpSchema& schema,
                        onnx::FunctionProto& function) {
    schema.BuildFunction(function);
    onnx::OperatorSetIdProto* import = function.add_opset_import();
    import->set_domain("");
    import->set_version(18);
    const auto identity = [&function](const std::string& from, const std::string& to) {
      onnx::NodeProto* node = function.add_node();
      node->set_op_type("Identity");
      node->add_input(from);
      node->add_output(to);
    };
    const onnx::GraphProto& body = context.getAttribute("body")->g();
    identity("X", body.input(0).name());
    for (const onnx::NodeProto& node : body.node()) *function.add_node() = node;
    identity(body.output(0).name(), "Y");
    return true;
  };
  OpRegistry registry = RegistryWithout({});
  onnx::OpSchema schema("Apply", __FILE__, __LINE__);
  schema.SetDomain("acme").SinceVersion(1).Attr("body", "", onnx::AttributeProto::GRAPH);
  schema.Input(0, "X", "", "T").Output(0, "Y", "", "T");
  schema.TypeConstraint("T", {"tensor(float)"}, "").SetContextDependentFunctionBodyBuilder(build);
  registry.AddSchema(std::move(schema));
  return registry;
}

TEST(FunctionBodyTest, TakesGraphsIntoItsBody) {
  const OpRegistry registry = RegistryWithApply();
  const auto run = [&registry](absl::string_view captured) -> absl::StatusOr<Tensor> {
    // The graph reads a value around it, directly and in a graph of its own, and its nodes keep
    // their attributes and the model's opset.
    const std::string text = absl::StrCat(
        R"(<ir_version: 9, opset_import: ["": 13, "acme": 1]>
        g (float[n] a, bool c) => (float[n] y) {
          )",
        captured, R"( = Neg(a)
          y = acme.Apply<body = b (float[n] v) => (float[n] r) {
            w = If(c) <then_branch = t () => (float[n] d) { d = Add(v, )",
        captured, R"() },
                       else_branch = e () => (float[n] f) { f = Identity(v) }>
            one = Constant<value_ints = [0]>()
            r = ReduceSum<keepdims = 1>(w, one)
          }>(a)
        })");
    OC_ASSIGN_OR_RETURN(const Evaluator evaluator, EvaluatorFromText(text, registry));
    return TensorAt(
        evaluator.Run({{"a", Tensor::Of<float>({2}, {1, 2})}, {"c", Tensor::Scalar(false)}}), 0);
  };
  ExpectTensor(run("outer"), Tensor::Of<float>({1}, {3}));
  ExpectError(run("X").status(), absl::StatusCode::kUnimplemented,
              "its graph reads 'X', a name that the operator's body uses itself");
}

}  // namespace
}  // namespace onnxcmp::testing
