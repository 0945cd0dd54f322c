// The formats that a model can come in, and files that are not models.
#include "evaluator/load/read_model.h"

#include <pthread.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "evaluator/load/load_model.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::ExpectError;
using testing::Registry;
using testing::TestFolder;

constexpr char kText[] = R"(
  # A comment with an unbalanced { and a "quote.
  <ir_version: 10, opset_import: ["" : 21]>
  g (float[2] x) => (float[2] y) { y = Relu (x) }
)";

std::string Serialized() { return (*ReadModelText(kText, 64))->SerializeAsString(); }

void ExpectRefused(const absl::Status& status, const std::string& part) {
  ExpectError(status, absl::StatusCode::kInvalidArgument, part);
  EXPECT_EQ(status.message().find('\n'), absl::string_view::npos) << status;
}

// A model with `depth` Ifs in each other.
std::string NestedText(int depth) {
  std::string text = "<ir_version: 10, opset_import: [\"\" : 21]>\ng (bool c) => (bool y) { ";
  for (int i = 0; i < depth; ++i) {
    absl::StrAppend(&text, "y = If (c) <then_branch = a", i, " () => (bool y) { ");
  }
  absl::StrAppend(&text, "y = Not (c) ");
  for (int i = 0; i < depth; ++i) {
    absl::StrAppend(&text, "}, else_branch = b", i, " () => (bool y) { y = Not (c) }> ");
  }
  return absl::StrCat(text, "}");
}

// The same as a message: attributes of nodes of graphs, built from the inside.
std::string NestedMessage(int depth) {
  onnx::GraphProto graph;
  graph.set_name("g");
  graph.add_output()->set_name("y");
  onnx::NodeProto* node = graph.add_node();
  node->set_op_type("Not");
  node->add_input("c");
  node->add_output("y");
  for (int i = 0; i < depth; ++i) {
    onnx::GraphProto outer;
    outer.set_name("g");
    outer.add_output()->set_name("y");
    node = outer.add_node();
    node->set_op_type("If");
    node->add_input("c");
    node->add_output("y");
    onnx::AttributeProto* attribute = node->add_attribute();
    attribute->set_name("then_branch");
    attribute->set_type(onnx::AttributeProto::GRAPH);
    attribute->mutable_g()->Swap(&graph);
    *node->add_attribute() = *attribute;
    node->mutable_attribute(1)->set_name("else_branch");
    if (i > 0) {  // only one branch is deep
      onnx::GraphProto* flat = node->mutable_attribute(1)->mutable_g();
      flat->mutable_node(0)->set_op_type("Not");
      flat->mutable_node(0)->clear_attribute();
    }
    graph.Swap(&outer);
  }
  graph.add_input()->set_name("c");
  onnx::ModelProto model;
  model.set_ir_version(10);
  model.add_opset_import()->set_version(21);
  model.mutable_graph()->Swap(&graph);
  return model.SerializeAsString();
}

TEST(ReadModelTest, ReadsBothFormatsWhateverTheFileIsCalled) {
  TestFolder folder;
  for (const char* name : {"m.onnx", "m.onnxtxt", "m.txt", "m"}) {
    EXPECT_TRUE(LoadModel(folder.Write(name, kText), Registry()).ok()) << name;
  }
  for (const char* name : {"b.onnx", "b.pb", "b"}) {
    EXPECT_TRUE(LoadModel(folder.Write(name, Serialized()), Registry()).ok()) << name;
  }
  EXPECT_TRUE(LoadModelFromBytes(Serialized(), Registry()).ok());
  EXPECT_TRUE(LoadModelFromBytes(kText, Registry()).ok());
}

TEST(ReadModelTest, KeepsThePathAndWhoMadeIt) {
  TestFolder folder;
  std::string path =
      folder.Write("m.onnxtxt",
                   "<ir_version: 9, opset_import: [\"ai.onnx\" : 20], producer_name: \"tool\", "
                   "producer_version: \"1.2\"> g (float x) => (float y) { y = Abs (x) }");
  testing::LoadedModel model = LoadModel(path, Registry());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ((*model)->path, path);
  EXPECT_EQ((*model)->ir_version, 9);
  EXPECT_EQ((*model)->producer, "tool 1.2");
  EXPECT_EQ((*model)->imports, (OpsetImports{{"", 20}}));
}

TEST(ReadModelTest, FilesThatCannotBeReadAreNamed) {
  TestFolder folder;
  ExpectRefused(LoadModel(folder.Path("none.onnx"), Registry()).status(), "none.onnx");
  ExpectRefused(LoadModel(folder.Path(""), Registry()).status(), "it is a folder");
  ExpectRefused(LoadModel(folder.Write("empty.onnx", ""), Registry()).status(),
                "empty.onnx: the file is empty");
  ExpectRefused(LoadModel("", Registry()).status(), "No such file");
}

TEST(ReadModelTest, FilesThatAreNoModels) {
  auto load = [](absl::string_view bytes) {
    return LoadModelFromBytes(bytes, Registry()).status();
  };
  ExpectRefused(load("\xff\xff\xff\xff garbage"), "it is no ONNX model");
  ExpectRefused(load("PK\3\4 and so on"), "it is no ONNX model");
  ExpectRefused(load("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"),
                "git lfs pull");
  // A tensor's message parses as a model's with unknown fields.
  onnx::TensorProto tensor;
  tensor.set_data_type(1);
  tensor.set_name("t");
  ExpectRefused(load(tensor.SerializeAsString()), "it is no ONNX model");
  ExpectRefused(load("<html><body>404</body></html>"), "no model in ONNX's text form");
}

TEST(ReadModelTest, EveryTruncationIsRefused) {
  // Some of them are whole messages: without the part that makes them a model.
  std::string bytes = Serialized();
  for (size_t size = 0; size < bytes.size(); ++size) {
    absl::Status status =
        LoadModelFromBytes(absl::string_view(bytes).substr(0, size), Registry()).status();
    EXPECT_FALSE(status.ok()) << size;
  }
  absl::string_view text = kText;
  for (size_t size = 0; size < text.find('}'); ++size) {
    EXPECT_FALSE(LoadModelFromText(text.substr(0, size), Registry()).ok()) << size;
  }
}

TEST(ReadModelTest, TextErrorsAreOneLineWithAPosition) {
  ExpectRefused(
      LoadModelFromText("<ir_version: 10> g (float x) => (float y) { y = }", Registry()).status(),
      "line: 1");
  ExpectRefused(LoadModelFromText(absl::StrCat(kText, "} more"), Registry()).status(),
                "no model in ONNX's text form");
  // Numbers over which ONNX's parser throws.
  ExpectRefused(
      LoadModelFromText("<ir_version: 99999999999999999999999> g () => () {}", Registry()).status(),
      "a number is out of range");
}

TEST(ReadModelTest, DeepNestingIsRefusedBeforeTheParserRecurses) {
  ExpectRefused(LoadModelFromText(NestedText(20'000), Registry()).status(), "nested");
  ExpectRefused(
      LoadModelFromText(
          absl::StrCat("<ir_version: 10> g (", std::string(100'000, '('), ") => () {}"), Registry())
          .status(),
      "nested");
  std::string types;
  for (int i = 0; i < 50'000; ++i) types += "seq(";
  ExpectRefused(LoadModelFromText(absl::StrCat("<ir_version: 10> g (", types, "float x) => () {}"),
                                  Registry())
                    .status(),
                "nested");
  ExpectRefused(LoadModelFromBytes(NestedMessage(300), Registry()).status(), "nested deeper");
  ExpectError(LoadModelFromBytes(NestedMessage(70), Registry()).status(),
              absl::StatusCode::kResourceExhausted, "nested deeper than 64");
}

TEST(ReadModelTest, TypesNestedDeepAreRefused) {
  const auto load = [](int depth) {
    onnx::ModelProto model = *(*ReadModelText(kText, 64));
    onnx::TypeProto type = model.graph().input(0).type();
    for (int i = 0; i < depth; ++i) {
      onnx::TypeProto outer;
      outer.mutable_sequence_type()->mutable_elem_type()->Swap(&type);
      type.Swap(&outer);
    }
    model.mutable_graph()->mutable_input(0)->mutable_type()->Swap(&type);
    return LoadModelFromBytes(model.SerializeAsString(), Registry()).status();
  };
  ExpectError(load(17), absl::StatusCode::kResourceExhausted,
              "the type of 'x' is nested deeper than 16");
  EXPECT_FALSE(absl::IsResourceExhausted(load(16))) << load(16);
}

// The status of a load in a thread with a stack of 256 KiB.
absl::Status LoadedOnSmallStack(const std::string& model) {
  struct Load {
    const std::string& model;
    absl::Status status;
  } load = {model, absl::OkStatus()};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT_EQ(pthread_attr_setstacksize(&attributes, size_t{256} << 10), 0);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    auto* mine = static_cast<Load*>(argument);
    mine->status = LoadModelFromBytes(mine->model, Registry()).status();
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &load), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return load.status;
}

#if defined(__linux__)
TEST(ReadModelTest, ASmallStackAllowsFewLevels) {
  Registry();
  EXPECT_TRUE(LoadedOnSmallStack(Serialized()).ok());
  for (const int depth : {40, 70}) {
    ExpectError(LoadedOnSmallStack(NestedMessage(depth)), absl::StatusCode::kResourceExhausted,
                "If -> 'y' has a subgraph nested deeper than ");
  }
  EXPECT_TRUE(absl::IsInvalidArgument(LoadedOnSmallStack(NestedMessage(300))));
}
#endif

TEST(ReadModelTest, ReasonableNestingIsRead) {
  testing::LoadedModel model = LoadModelFromText(NestedText(60), Registry());
  EXPECT_TRUE(model.ok()) << model.status();
  model = LoadModelFromBytes(NestedMessage(60), Registry());
  EXPECT_TRUE(model.ok()) << model.status();
  LoadOptions options;
  options.max_depth = 10;
  ExpectError(LoadModelFromBytes(NestedMessage(11), Registry(), options).status(),
              absl::StatusCode::kResourceExhausted, "nested deeper than 10");
}

TEST(ReadModelTest, FilesBeyondTwoGigabytesAreRefusedWithAdvice) {
  TestFolder folder;
  std::string path = folder.Write("big.onnx", "\x08\x0a");
  std::error_code error;
  std::filesystem::resize_file(path, (int64_t{1} << 31) + 1, error);  // a hole
  if (error) GTEST_SKIP() << error.message();
  ExpectRefused(LoadModel(path, Registry()).status(), "external data");
}

}  // namespace
}  // namespace onnxcmp
