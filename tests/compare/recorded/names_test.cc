#include "compare/recorded/names.h"

#include <string>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/built_comparison.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::BuiltSide;
using ::onnxcmp::testing::SomeFloats;

// Two layers of a wrapper "m", of which an exporter tells the modules, and an output.
ResultStream Exported() {
  BuiltSide side;
  const int x = side.Input("x", SomeFloats({4, 8}, 1));
  const int a = side.Node("MatMul", {x}, "val_3", SomeFloats({4, 8}, 2));
  const int b = side.Node("Add", {a}, "linear", SomeFloats({4, 8}, 3));
  const int c = side.Node("Relu", {b}, "relu", SomeFloats({4, 8}, 4));
  const int d = side.Node("Add", {c, x}, "add_7", SomeFloats({4, 8}, 5));
  const int e = side.Node("MatMul", {d}, "scores", SomeFloats({4, 3}, 6));
  side.Output("scores", e);
  ResultStream stream = side.stream();
  const std::string modules[] = {"m.layers.0.dense", "m.layers.0.dense", "m.layers.0.act",
                                 "m.layers.0", "m.head"};
  for (size_t n = 0; n < stream.nodes.size(); ++n) stream.nodes[n].module = modules[n];
  return stream;
}

struct Called {
  std::string result;
  NameRule rule;

  friend bool operator==(const Called&, const Called&) = default;
};

Called Find(const ResultStream& model, const std::string& name, const Shape& shape = {4, 8}) {
  BuiltSide recording;
  // What tells that recorded paths lack the wrapper's name.
  recording.Recorded("layers.0.act", SomeFloats({4, 8}, 70));
  recording.Recorded(name, SomeFloats(shape, 71));
  const ResultStream stream = recording.stream();
  const NamedResult found = RecordedNames(stream, model).Find(1);
  return {found.result == kNone ? "" : model.results[Index(found.result)].name, found.rule};
}

TEST(RecordedNames, WhatAModuleGivesIsWhatLeavesIt) {
  const ResultStream model = Exported();
  EXPECT_EQ(Find(model, "layers.0.dense"), (Called{"linear", NameRule::kModule}));
  EXPECT_EQ(Find(model, "layers.0"), (Called{"add_7", NameRule::kModule}));
  EXPECT_EQ(Find(model, "layers.0.output"), (Called{"add_7", NameRule::kModule}));
  EXPECT_EQ(Find(model, "head", {4, 3}), (Called{"scores", NameRule::kModule}));
  // Another size is the module's if it gives one thing.
  EXPECT_EQ(Find(model, "head", {4, 5}), (Called{"scores", NameRule::kModule}));
  EXPECT_EQ(Find(model, "layers.1"), (Called{"", NameRule::kNone}));
}

TEST(RecordedNames, OneOfSeveralResultsOfAModuleIsNoOperator) {
  BuiltSide side;
  const int x = side.Input("x", SomeFloats({4, 8}, 1));
  const int a = side.Node("MatMul", {x}, "/attn/MatMul_1_output_0", SomeFloats({4, 8}, 2));
  const int b = side.Node("Softmax", {a}, "/attn/Softmax_output_0", SomeFloats({4, 8}, 3));
  const int c = side.Node("Add", {b, x}, "/Add_1_output_0", SomeFloats({4, 8}, 4));
  side.Output("y", c);
  const ResultStream model = side.stream();
  EXPECT_EQ(Find(model, "attn.1"), (Called{"/attn/Softmax_output_0", NameRule::kWithin}));
  EXPECT_EQ(Find(model, "attn.1", {8, 4}), (Called{"", NameRule::kNone}));
}

TEST(RecordedNames, PathsAreReadFromNodesToo) {
  BuiltSide side;
  const int x = side.Input("x", SomeFloats({4, 8}, 1));
  const int a = side.Node("Conv", {x}, "/stem/stem.0/Conv_output_0", SomeFloats({4, 8}, 2));
  const int b = side.Node("Relu", {a}, "/stem/stem.1/Relu_output_0", SomeFloats({4, 8}, 3));
  side.Output("y", b);
  const ResultStream model = side.stream();
  BuiltSide recording;
  recording.Recorded("stem.0", SomeFloats({4, 8}, 9));
  recording.Recorded("stem", SomeFloats({4, 8}, 9));
  const ResultStream stream = recording.stream();
  const RecordedNames names(stream, model);
  EXPECT_EQ(names.Find(0).result, a);
  EXPECT_EQ(names.Find(1).result, b);
}

// Exporters count the calls of one module; hooks have the last, unless sizes tell otherwise.
TEST(RecordedNames, CallsOfOneModule) {
  BuiltSide side;
  const int x = side.Input("x", SomeFloats({2, 4}, 1));
  const int first = side.Node("Resize", {x}, "/up/Resize_output_0", SomeFloats({4, 4}, 2));
  const int relu = side.Node("Relu", {first}, "/act/Relu_output_0", SomeFloats({4, 4}, 3));
  const int second = side.Node("Resize", {relu}, "/up_1/Resize_output_0", SomeFloats({8, 4}, 4));
  const int third = side.Node("Resize", {second}, "/up_2/Resize_output_0", SomeFloats({8, 4}, 5));
  side.Output("y", third);
  const ResultStream model = side.stream();
  EXPECT_EQ(Find(model, "up", {4, 4}).result, model.results[Index(first)].name);
  EXPECT_EQ(Find(model, "up", {8, 4}).result, model.results[Index(third)].name);
  EXPECT_EQ(Find(model, "up_1", {8, 4}).result, model.results[Index(second)].name);
  EXPECT_EQ(Find(model, "act", {4, 4}).result, model.results[Index(relu)].name);
}

// Modules of names like that have weights of their own.
TEST(RecordedNames, ModulesWithNumbersAreNoCalls) {
  BuiltSide side;
  const int x = side.Input("x", SomeFloats({4, 4}, 1));
  int last = x;
  for (const char* name : {"conv", "conv_1", "conv_2"}) {
    const int w = side.Initializer(absl::StrCat(name, ".weight"), SomeFloats({4, 4}, last + 9));
    const int product = side.Node("MatMul", {last, w}, absl::StrCat("/", name, "/MatMul_output_0"),
                                  SomeFloats({4, 4}, last + 20));
    last = side.Node("Relu", {product}, absl::StrCat("/", name, "/Relu_output_0"),
                     SomeFloats({4, 4}, last + 30));
  }
  side.Output("y", last);
  const ResultStream model = side.stream();
  EXPECT_EQ(Find(model, "conv", {4, 4}).result, "/conv/Relu_output_0");
  EXPECT_EQ(Find(model, "conv_1", {4, 4}).result, "/conv_1/Relu_output_0");
  EXPECT_EQ(Find(model, "conv_2", {4, 4}).result, "/conv_2/Relu_output_0");
}

TEST(RecordedNames, TheSameNameOrTheSameLetters) {
  const ResultStream model = Exported();
  EXPECT_EQ(Find(model, "relu"), (Called{"relu", NameRule::kSame}));
  EXPECT_EQ(Find(model, "_relu"), (Called{"relu", NameRule::kSame}));
  EXPECT_EQ(Find(model, "add_7"), (Called{"add_7", NameRule::kCounted}));
  EXPECT_EQ(Find(model, "scores", {4, 3}), (Called{"scores", NameRule::kOutput}));
}

TEST(RecordedNames, WhatToolsCount) {
  for (const char* name : {"add_12", "Unsqueeze_21_output_0", "onnx::MatMul_117", "17", "t3"}) {
    EXPECT_TRUE(IsCounted(name)) << name;
  }
  for (const char* name : {"logits", "/layer.0/Add_1_output_0", "encoder.layer.0", ""}) {
    EXPECT_FALSE(IsCounted(name)) << name;
  }
}

}  // namespace
}  // namespace onnxcmp
