// Models that are written and loaded again are the same computation.
#include "evaluator/load/model_proto.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/run/evaluator.h"
#include "onnx/onnx_pb.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::LoadGraph;
using ::onnxcmp::testing::NodeLines;
using ::onnxcmp::testing::Registry;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

onnx::ModelProto Written(const Model& model) {
  onnx::ModelProto proto;
  const absl::Status status = ModelToProto(model, &proto);
  EXPECT_TRUE(status.ok()) << status;
  return proto;
}

std::shared_ptr<const Model> Loaded(const onnx::ModelProto& proto,
                                    const LoadOptions& options = {}) {
  auto model = LoadModelFromBytes(proto.SerializeAsString(), Registry(), options);
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *model : nullptr;
}

Tensor Given(const std::shared_ptr<const Model>& model, const Tensor& x) {
  const auto evaluator = Evaluator::Create(model, Registry(), {.threads = 1});
  EXPECT_TRUE(evaluator.ok()) << evaluator.status();
  if (!evaluator.ok()) return Tensor();
  const auto outputs = evaluator->Run({{"x", x}});
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  return outputs.ok() ? (*outputs)[0].tensor() : Tensor();
}

const Tensor& X() {
  static const Tensor* const kX = new Tensor(Tensor::Of<float>({3}, {-1, 0.5f, 2}));
  return *kX;
}

TEST(ModelProto, NodesAttributesAndInitializersSurvive) {
  const auto model = LoadGraph(R"(g (float[3] x) => (float[3] y) <float[3] w = {1, 2, 3}> {
    a = Add (x, w)
    b = LeakyRelu <alpha = 0.5> (a)
    c = Unsqueeze (b, axes)
    axes = Constant <value = int64[1] {0}> ()
    d = Transpose <perm = [1, 0]> (c)
    y = Squeeze (d)
  })");
  ASSERT_TRUE(model.ok()) << model.status();
  const std::shared_ptr<const Model> again = Loaded(Written(**model));
  ASSERT_NE(again, nullptr);
  EXPECT_THAT(again->notes, IsEmpty());
  EXPECT_EQ(NodeLines(again->graph), NodeLines((*model)->graph));
  EXPECT_EQ(again->ir_version, 10);
  EXPECT_EQ(again->imports, (OpsetImports{{"", 21}}));
  testing::ExpectSameBits(Given(again, X()), Tensor::Of<float>({3}, {0, 2.5f, 5}));
}

TEST(ModelProto, SubgraphsKeepWhatTheyCapture) {
  const auto model = LoadGraph(R"(g (float[3] x) => (float[3] y) <bool c = {1}, float k = {2}> {
    a = Neg (x)
    y = If (c) <
      then_branch = t () => (float[3] r) <float[1] w = {10}> { s = Mul (a, k) r = Add (s, w) },
      else_branch = e () => (float[3] q) { q = Identity (a) }
    >
  })");
  ASSERT_TRUE(model.ok()) << model.status();
  const std::shared_ptr<const Model> again = Loaded(Written(**model));
  ASSERT_NE(again, nullptr);
  EXPECT_THAT(again->notes, IsEmpty());
  testing::ExpectSameBits(Given(again, X()), Tensor::Of<float>({3}, {12, 9, 6}));
}

TEST(ModelProto, ASparseInitializer) {
  auto model = std::make_shared<Model>();
  model->ir_version = 8;
  model->imports = {{"", 18}};
  model->graph.name = "g";
  TypeInfo type;
  type.kind = TypeInfo::Kind::kTensor;
  type.dtype = DType::kFloat;
  type.shape = {{{.value = 3, .symbol = ""}}};
  model->graph.inputs = {{"x", type}};
  model->graph.outputs = {{"y", type}};
  SparseTensor sparse;
  sparse.values = Tensor::Of<float>({1}, {5});
  sparse.indices = Tensor::Of<int64_t>({1}, {2});
  sparse.dims = {3};
  model->graph.initializers.push_back({"w", sparse});
  Node& node = model->graph.nodes.emplace_back();
  node.op_type = "Add";
  node.inputs = {"x", "w"};
  node.outputs = {"y"};
  node.imports = std::make_shared<const OpsetImports>(model->imports);
  testing::ExpectSameBits(Given(Loaded(Written(*model)), X()),
                          Tensor::Of<float>({3}, {-1, 0.5f, 7}));
}

// Softmax of opset 11 takes its axis and all after it together, that of opset 13 one axis.
constexpr char kOldSoftmax[] = R"(g (float[3] x) => (float[1,1,3] y) <int64[3] s = {1, 1, 3}> {
    a = Reshape (x, s)
    b = acme.Old (a)
    c = Softmax <axis = 1> (b)
    y = Sub (b, c)
  }
  <opset_import: ["" : 11], domain: "acme">
  Old (v) => (r) { r = Softmax <axis = 1> (v) })";

TEST(ModelProto, NodesOfAnotherOpsetGetAFunction) {
  const auto model = LoadGraph(kOldSoftmax);
  ASSERT_TRUE(model.ok()) << model.status();
  const Tensor wanted = Given(*model, X());
  const onnx::ModelProto proto = Written(**model);
  ASSERT_EQ(proto.functions_size(), 1);
  EXPECT_EQ(proto.functions(0).domain(), "onnxcmp");
  EXPECT_EQ(proto.functions(0).name(), "Softmax");
  EXPECT_EQ(proto.functions(0).opset_import(0).version(), 11);
  const std::shared_ptr<const Model> again = Loaded(proto);
  ASSERT_NE(again, nullptr);
  EXPECT_THAT(NodeLines(again->graph), ElementsAre("a = Reshape(x, s)", "b = Softmax(a) in Softmax",
                                                   "c = Softmax(b)", "y = Sub(b, c)"));
  testing::ExpectSameBits(Given(again, X()), wanted);
}

TEST(ModelProto, WhatANodeOfAnotherOpsetCapturesGoesIntoItsFunction) {
  const auto model = LoadGraph(R"(g (float[3] x) => (float[3] y) <bool c = {1}, float k = {2}> {
    a = Neg (x)
    b = Abs (a)
    d = Neg (b)
    e = acme.Choose (c, d, k)
    y = Neg (e)
  }
  <opset_import: ["" : 11], domain: "acme">
  Choose (c, a, k) => (r) {
    r = If (c) <
      then_branch = t () => (float[3] s) { s = Mul (a, k) },
      else_branch = e () => (float[3] q) { q = Identity (a) }
    >
  })");
  ASSERT_TRUE(model.ok()) << model.status();
  const onnx::ModelProto proto = Written(**model);
  ASSERT_EQ(proto.functions_size(), 1);
  EXPECT_EQ(proto.functions(0).input_size(), 3);
  testing::ExpectSameBits(Given(Loaded(proto), X()), Tensor::Of<float>({3}, {2, 1, 4}));
}

TEST(ModelProto, TheOpsetOfMostNodesIsImported) {
  const auto model = LoadGraph(R"(g (float[3] x) => (float[3] y) { y = acme.F (x) }
  <opset_import: ["" : 17], domain: "acme">
  F (v) => (r) { a = Neg (v) b = Neg (a) r = Abs (b) })");
  ASSERT_TRUE(model.ok()) << model.status();
  const onnx::ModelProto proto = Written(**model);
  EXPECT_EQ(proto.functions_size(), 0);
  ASSERT_EQ(proto.opset_import_size(), 1);
  EXPECT_EQ(proto.opset_import(0).version(), 17);
}

TEST(ModelProto, KeptFunctionsAreFunctionsAgain) {
  LoadOptions keep;
  keep.functions = Functions::kKeep;
  const auto model = LoadGraph(R"(g (float[3] x) => (float[3] y) {
    a = acme.Scale <by = 2.0> (x)
    b = acme.Scale <by = 3.0> (a)
    y = acme.Scale <by = 2.0> (b)
  }
  <opset_import: ["" : 18], domain: "acme">
  Scale <by> (v) => (r) { f = Constant <value_float : float = @by> () r = Mul (v, f) })",
                               keep);
  ASSERT_TRUE(model.ok()) << model.status();
  const onnx::ModelProto proto = Written(**model);
  // One for each binding.
  EXPECT_EQ(proto.functions_size(), 2);
  const Tensor wanted = Tensor::Of<float>({3}, {-12, 6, 24});
  testing::ExpectSameBits(Given(Loaded(proto), X()), wanted);
  const std::shared_ptr<const Model> kept = Loaded(proto, keep);
  ASSERT_NE(kept, nullptr);
  EXPECT_THAT(kept->graph.nodes, SizeIs(3));
  testing::ExpectSameBits(Given(kept, X()), wanted);
}

TEST(ModelProto, InitializersNeedNoInputs) {
  auto model =
      LoadGraph("g (float[3] x) => (float[3] y) <float[3] w = {1, 2, 3}> { y = Add (x, w) }");
  ASSERT_TRUE(model.ok()) << model.status();
  Model old = **model;
  old.ir_version = 3;
  EXPECT_EQ(Written(old).ir_version(), 4);
}

}  // namespace
}  // namespace onnxcmp
