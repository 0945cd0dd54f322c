#include "evaluator/load/module_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/onnx_pb.h"
#include "tests/support/load_test.h"

namespace onnxcmp {
namespace {

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

TEST(ModulePaths, OfAFile) {
  const testing::TestFolder folder;
  onnx::ModelProto model;
  onnx::NodeProto& node = *model.mutable_graph()->add_node();
  node.add_output("add_3");
  onnx::StringStringEntryProto& entry = *node.add_metadata_props();
  entry.set_key("pkg.torch.onnx.name_scopes");
  entry.set_value("['', 'head', 'add_3']");
  model.mutable_graph()->add_node()->add_output("plain");
  EXPECT_THAT(ReadModulePaths(folder.Write("m.onnx", model.SerializeAsString())),
              UnorderedElementsAre(Pair("add_3", "head")));
  EXPECT_THAT(ReadModulePaths(folder.Write("n.onnx", "nothing")), IsEmpty());
  EXPECT_THAT(ReadModulePaths(folder.Path("none.onnx")), IsEmpty());
}

}  // namespace
}  // namespace onnxcmp
