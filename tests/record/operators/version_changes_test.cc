// Rules that changed between versions: the table names versions that exist, and what a node says
// itself settles it.
#include "record/operators/version_changes.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/defs/schema.h"
#include "ops/operators.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Node NodeOf(const std::string& op_type) {
  Node node;
  node.op_type = op_type;
  return node;
}

TEST(VersionChanges, NameVersionsThatExistInOrder) {
  const OpRegistry registry = AllOperators();
  const absl::Span<const VersionChange> table = VersionChangeTable();
  for (size_t i = 0; i < table.size(); ++i) {
    const onnx::OpSchema* schema =
        registry.FindSchema(kOnnxDomain, table[i].op_type, table[i].since);
    ASSERT_NE(schema, nullptr) << table[i].op_type;
    EXPECT_EQ(schema->SinceVersion(), table[i].since) << table[i].op_type;
    EXPECT_LE(table[i == 0 ? 0 : i - 1].op_type, table[i].op_type);
  }
}

TEST(VersionChanges, AreToldBetweenTheVersionsOnly) {
  const Node softmax = NodeOf("LogSoftmax");
  EXPECT_THAT(VersionChangeTexts({softmax, 11}, {softmax, 13}),
              ElementsAre(HasSubstr("from 13 on axis is -1")));
  EXPECT_THAT(VersionChangeTexts({softmax, 13}, {softmax, 11}),
              ElementsAre(HasSubstr("from 13 on axis is -1")));
  EXPECT_THAT(VersionChangeTexts({softmax, 1}, {softmax, 11}), IsEmpty());
  EXPECT_THAT(VersionChangeTexts({NodeOf("Tanh"), 6}, {NodeOf("Tanh"), 13}), IsEmpty());
}

TEST(VersionChanges, TheLastAxisIsTheSameInAllVersions) {
  Node older = NodeOf("Softmax");
  Node newer = NodeOf("Softmax");
  older.attributes["axis"] = int64_t{-1};
  EXPECT_THAT(VersionChangeTexts({older, 11}, {newer, 13}), ElementsAre(HasSubstr("from 13 on")));
  newer.attributes["axis"] = int64_t{-1};
  EXPECT_THAT(VersionChangeTexts({older, 11}, {newer, 13}), IsEmpty());
  older.attributes["axis"] = newer.attributes["axis"] = int64_t{0};
  EXPECT_THAT(VersionChangeTexts({older, 11}, {newer, 13}), ElementsAre(HasSubstr("from 13 on")));
}

TEST(VersionChanges, AreSettledByAttributes) {
  const Node old = NodeOf("Upsample");
  Node resize = NodeOf("Resize");
  EXPECT_THAT(VersionChangeTexts({old, 9}, {resize, 13}),
              ElementsAre(HasSubstr("half_pixel"), HasSubstr("round_prefer_floor")));
  EXPECT_THAT(VersionChangeTexts({old, 9}, {resize, 10}), IsEmpty());
  resize.attributes["mode"] = std::string("linear");
  EXPECT_THAT(VersionChangeTexts({old, 9}, {resize, 13}), ElementsAre(HasSubstr("half_pixel")));
  resize.attributes["coordinate_transformation_mode"] = std::string("asymmetric");
  EXPECT_THAT(VersionChangeTexts({old, 9}, {resize, 13}), IsEmpty());
}

}  // namespace
}  // namespace onnxcmp
