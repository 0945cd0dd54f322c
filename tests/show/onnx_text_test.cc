#include "show/onnx_text.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "evaluator/load/load_model.h"
#include "evaluator/load/read_model.h"
#include "onnx/onnx_pb.h"
#include "tests/show/shown_test.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::testing::HasSubstr;
using testing::ShownTest;

class OnnxTextTest : public ShownTest {
 protected:
  // A message's bytes in a file.
  std::string WriteModel(const onnx::ModelProto& model) const {
    return folder_.Write("message.onnx", model.SerializeAsString());
  }
  static onnx::ModelProto Parse(const std::string& text) {
    const auto model = ReadModelText(text, 64);
    EXPECT_TRUE(model.ok()) << model.status() << "\n" << text.substr(0, 2000);
    return model.ok() ? **model : onnx::ModelProto();
  }
};

// Expects the loader to make the same of both models, whatever message they were in.
void ExpectSameModel(const std::string& path, const std::string& other) {
  LoadOptions options;
  options.functions = Functions::kKeep;
  const auto a = LoadModel(path, AllOperators(), options);
  const auto b = LoadModel(other, AllOperators(), options);
  ASSERT_EQ(a.ok(), b.ok()) << path << "\n" << a.status() << "\n" << b.status();
  if (!a.ok()) return;
  EXPECT_EQ(testing::NodeLines((*a)->graph), testing::NodeLines((*b)->graph));
  ASSERT_EQ((*a)->graph.initializers.size(), (*b)->graph.initializers.size());
  for (size_t i = 0; i < (*a)->graph.initializers.size(); ++i) {
    const Initializer& left = (*a)->graph.initializers[i];
    const Initializer& right = (*b)->graph.initializers[i];
    EXPECT_EQ(left.name, right.name);
    if (!left.value.is_tensor() || !right.value.is_tensor()) continue;
    const Tensor& x = left.value.tensor();
    const Tensor& y = right.value.tensor();
    ASSERT_EQ(x.TypeString(), y.TypeString());
    if (x.dtype() == DType::kString) continue;
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(x.raw_data()),
                          static_cast<size_t>(x.byte_size())),
              std::string(reinterpret_cast<const char*>(y.raw_data()),
                          static_cast<size_t>(y.byte_size())))
        << left.name;
  }
}

// Every model among the test data goes there and back, by numbers and by data beside the text.
TEST_F(OnnxTextTest, ModelsComeBack) {
  int64_t models = 0;
  std::vector<std::string> paths;
  for (const char* folder : {"models", "readme", "fusions"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(TestData(folder))) {
      const std::string path = entry.path().string();
      if (absl::EndsWith(path, ".onnx") || absl::EndsWith(path, ".onnxtxt")) paths.push_back(path);
    }
  }
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    const auto inlined = ModelToOnnxText(path);
    ASSERT_TRUE(inlined.ok()) << inlined.status();
    EXPECT_EQ(inlined->data, "");
    ExpectSameModel(path, folder_.Write("back.onnxtxt", inlined->text));
    const auto apart = ModelToOnnxText(path, {.data_name = "back.onnxtxt.data", .least_data = 64});
    ASSERT_TRUE(apart.ok()) << apart.status();
    folder_.Write("back.onnxtxt.data", apart->data);
    ExpectSameModel(path, folder_.Write("back.onnxtxt", apart->text));
    ++models;
  }
  EXPECT_GT(models, 40);
}

TEST_F(OnnxTextTest, EveryTypeComesBackBitByBit) {
  for (int type = 1; type < kNumDTypes; ++type) {
    const auto dtype = static_cast<DType>(type);
    if (dtype == DType::kString) continue;
    SCOPED_TRACE(std::string(DTypeName(dtype)));
    onnx::ModelProto model = Parse("<ir_version: 10, opset_import: [\"\" : 18]> g () => () { }");
    onnx::TensorProto* tensor = model.mutable_graph()->add_initializer();
    tensor->set_name("w/x:0");
    tensor->set_data_type(type);
    tensor->add_dims(4);
    std::string bytes;
    const auto size = static_cast<size_t>(*ByteSize(dtype, 4));
    for (size_t i = 0; i < size; ++i)
      bytes += static_cast<char>(dtype == DType::kBool ? i % 2 : 17 + 31 * i % 100);
    tensor->set_raw_data(bytes);
    const std::string path = WriteModel(model);
    const bool numbers = dtype != DType::kFloat6E2M3 && dtype != DType::kFloat6E3M2;
    const auto text = ModelToOnnxText(path);
    ASSERT_EQ(text.ok(), numbers) << text.status();
    if (numbers) {
      ExpectSameModel(path, folder_.Write("back.onnxtxt", text->text));
      continue;
    }
    // Models that the syntax cannot express are not lost: the error names --output, which can.
    EXPECT_THAT(std::string(text.status().message()), HasSubstr("--output"));
    const auto apart = ModelToOnnxText(path, {.data_name = "back.data"});
    ASSERT_TRUE(apart.ok()) << apart.status();
    folder_.Write("back.data", apart->data);
    ExpectSameModel(path, folder_.Write("back.onnxtxt", apart->text));
  }
}

TEST_F(OnnxTextTest, NumbersWithoutAWordOfTheirOwnComeBack) {
  const std::string path = Write(R"((float[2] x) => (y)
      <float[6] w = {nan, inf, -inf, -0.0, 1e-45, 3.4028234e38}>
      { k = LeakyRelu <alpha = -0.0> (x) y = Add (k, x) })");
  const auto text = ModelToOnnxText(path);
  ASSERT_TRUE(text.ok()) << text.status();
  ExpectSameModel(path, folder_.Write("back.onnxtxt", text->text));
  EXPECT_TRUE(std::signbit(Parse(text->text).graph().node(0).attribute(0).f()));
}

TEST_F(OnnxTextTest, NamesOfAnyKindComeBack) {
  onnx::ModelProto model = Parse(R"(<ir_version: 10, opset_import: ["" : 18]>
      g (float[2] x) => (float[2] y) { y = Abs (x) })");
  const std::vector<std::string> names = {"a/b.c:0", "q\"uo\\te", "float",
                                          "nan",     "0",         "日本\n\x01"};
  onnx::GraphProto* graph = model.mutable_graph();
  std::string before = "x";
  for (const std::string& name : names) {
    onnx::NodeProto* node = graph->add_node();
    node->set_op_type("Abs");
    node->set_name("node " + name);
    node->add_input(before);
    node->add_output(name);
    before = name;
  }
  graph->mutable_output(0)->set_name(before);
  const auto text = ModelToOnnxText(WriteModel(model));
  ASSERT_TRUE(text.ok()) << text.status();
  const onnx::ModelProto back = Parse(text->text);
  ASSERT_EQ(back.graph().node_size(), graph->node_size());
  for (int i = 0; i < graph->node_size(); ++i) {
    EXPECT_EQ(back.graph().node(i).name(), graph->node(i).name());
    EXPECT_EQ(back.graph().node(i).output(0), graph->node(i).output(0));
  }
}

TEST_F(OnnxTextTest, FunctionsWithOtherNamesAreCalledOtherwise) {
  onnx::ModelProto model = Parse(R"(<ir_version: 10, opset_import: ["" : 18, "local" : 1]>
      g (float[2] x) => (y) { y = local.F (x) }
      <domain: "local", opset_import: ["" : 18]> F (a) => (b) { b = Neg (a) })");
  model.mutable_functions(0)->set_name("Layer.0|x");
  model.mutable_graph()->mutable_node(0)->set_op_type("Layer.0|x");
  const std::string path = WriteModel(model);
  const auto text = ModelToOnnxText(path);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(text->text, HasSubstr("# The function Layer.0|x is called Layer_0_x here.\n"));
  const std::string back = folder_.Write("back.onnxtxt", text->text);
  EXPECT_TRUE(LoadModel(back, AllOperators()).ok());
}

TEST_F(OnnxTextTest, WhatIsLostIsSaidAndWhatMattersIsRefused) {
  onnx::ModelProto model = Parse(R"(<ir_version: 10, opset_import: ["" : 18]>
      g (float[2] x) => (y) { y = Abs (x) })");
  model.mutable_graph()->mutable_node(0)->set_doc_string("why");
  const auto text = ModelToOnnxText(WriteModel(model));
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(text->text, HasSubstr("# Not in this text: documentation\n"));
  onnx::SparseTensorProto* sparse = model.mutable_graph()->add_sparse_initializer();
  sparse->mutable_values()->set_name("s");
  const auto refused = ModelToOnnxText(WriteModel(model));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("sparse"));
}

}  // namespace
}  // namespace onnxcmp
