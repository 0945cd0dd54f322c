#include "evaluator/load/module_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "onnx/onnx_pb.h"
#include "tests/support/load_test.h"

namespace onnxcmp {
namespace {

using ::testing::_;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(ModulePaths, OfWhatExportersWrite) {
  EXPECT_EQ(ModuleOfNameScopes("['', 'encoder', 'encoder.layer.0', 'add_3']"), "encoder.layer.0");
  EXPECT_EQ(ModuleOfNameScopes("['', 'add_3']"), "");
  EXPECT_EQ(ModuleOfNameScopes(""), "");
  EXPECT_EQ(ModuleOfNameScopes("['open"), "");
  EXPECT_EQ(ModuleOfNamespace(": Net/encoder: Encoder/encoder.0: Layer/add_3: aten.add"),
            "encoder.0");
  EXPECT_EQ(ModuleOfNamespace("add_3"), "");
}

TEST(ModulePaths, LinesOfStackTraces) {
  constexpr char kTrace[] =
      "File \"/home/me/net.py\", line 33, in forward\n    x = block(x)\n"
      "  File \"C:\\me\\block.py\", line 23, in forward\n    x = self.norm(x)\n"
      "  File \"/x/lib/python3.11/site-packages/torch/nn/modules/linear.py\", line 134, in "
      "forward\n"
      "    return F.linear(input, self.weight, self.bias)";
  EXPECT_EQ(LineOfStackTrace(kTrace), "block.py:23");
  // Other packages are what a reader looks into; PyTorch alone is better than nothing.
  EXPECT_EQ(LineOfStackTrace("File \"/x/site-packages/transformers/bert.py\", line 7, in forward"),
            "bert.py:7");
  EXPECT_EQ(LineOfStackTrace("File \"/x/site-packages/torch/nn/functional.py\", line 9, in gelu"),
            "functional.py:9");
  EXPECT_EQ(LineOfStackTrace("File \"/x/torch/mine.py\", line 3, in f"), "mine.py:3");
  EXPECT_EQ(LineOfStackTrace("File \"net.py\", line 5"), "net.py:5");
  EXPECT_EQ(LineOfStackTrace("File \"net.py"), "");
  EXPECT_EQ(LineOfStackTrace(""), "");
}

onnx::NodeProto& AddNode(const std::string& output, onnx::GraphProto* graph) {
  onnx::NodeProto& node = *graph->add_node();
  node.add_output(output);
  return node;
}

void Note(const std::string& key, const std::string& value, onnx::NodeProto* node) {
  onnx::StringStringEntryProto& entry = *node->add_metadata_props();
  entry.set_key(key);
  entry.set_value(value);
}

TEST(ModulePaths, OfAFile) {
  const testing::TestFolder folder;
  onnx::ModelProto model;
  onnx::NodeProto& scoped = AddNode("add_3", model.mutable_graph());
  Note("namespace", ": Net/other: Other/add_3: aten.add", &scoped);
  Note("pkg.torch.onnx.name_scopes", "['', 'head', 'add_3']", &scoped);
  Note("namespace", ": Net/other: Other/add_3: aten.add", &scoped);
  Note("pkg.torch.onnx.stack_trace", "File \"/me/net.py\", line 8, in forward",
       &AddNode("traced", model.mutable_graph()));
  AddNode("plain", model.mutable_graph());
  const auto places = ReadProgramPlaces(folder.Write("m.onnx", model.SerializeAsString()));
  ASSERT_THAT(places, UnorderedElementsAre(Pair("add_3", _), Pair("traced", _)));
  EXPECT_EQ(places.at("add_3").module, "head");
  EXPECT_EQ(places.at("add_3").line, "");
  EXPECT_EQ(places.at("traced").module, std::nullopt);
  EXPECT_EQ(places.at("traced").line, "net.py:8");
  EXPECT_THAT(ReadProgramPlaces(folder.Write("n.onnx", "nothing")), IsEmpty());
  EXPECT_THAT(ReadProgramPlaces(folder.Path("none.onnx")), IsEmpty());
}

}  // namespace
}  // namespace onnxcmp
