#include "evaluator/kernels/op_registry.h"

#include "gtest/gtest.h"
#include "onnx/defs/schema.h"
#include "tests/evaluator/kernels/made_schema.h"

namespace onnxcmp {
namespace {

using testing::MadeSchema;

absl::Status DoNothing(KernelContext&) { return absl::OkStatus(); }

TEST(OpRegistryTest, ResolvesOnnxSchemasByOpsetVersion) {
  OpRegistry registry;
  EXPECT_EQ(registry.FindSchema("", "Softmax", 12)->SinceVersion(), 11);
  EXPECT_EQ(registry.FindSchema("", "Softmax", 13)->SinceVersion(), 13);
  EXPECT_EQ(registry.FindSchema("", "LayerNormalization", 16), nullptr);
  EXPECT_EQ(registry.FindSchema("", "Softmax", 0), nullptr);
  EXPECT_EQ(registry.FindSchema("", "Softmax", -1), nullptr);
  EXPECT_NE(registry.FindSchema("", "Softmax", int64_t{1} << 40), nullptr);
  EXPECT_EQ(registry.FindSchema("", "NoSuch", 13), nullptr);
}

TEST(OpRegistryTest, AddsSchemasWithoutTouchingOnnx) {
  OpRegistry registry;
  EXPECT_EQ(registry.LatestVersion("acme"), 0);
  registry.AddSchema(MadeSchema("acme", "Foo", 1));
  registry.AddSchema(MadeSchema("acme", "Foo", 3));
  EXPECT_EQ(registry.FindSchema("acme", "Foo", 2)->SinceVersion(), 1);
  EXPECT_EQ(registry.FindSchema("acme", "Foo", 3)->SinceVersion(), 3);
  EXPECT_EQ(registry.LatestVersion("acme"), 3);
  EXPECT_EQ(registry.schemas().GetSchema("Foo", 3, "acme")->SinceVersion(), 3);
  EXPECT_EQ(onnx::OpSchemaRegistry::Schema("Foo", 3, "acme"), nullptr);
  EXPECT_EQ(OpRegistry().FindSchema("acme", "Foo", 3), nullptr);
}

TEST(OpRegistryTest, FillsGapsInOnnxDomainOnly) {
  OpRegistry registry;
  registry.AddSchema(MadeSchema("", "LayerNormalization", 1));
  EXPECT_EQ(registry.FindSchema("", "LayerNormalization", 16)->SinceVersion(), 1);
  EXPECT_EQ(registry.FindSchema("", "LayerNormalization", 17)->SinceVersion(), 17);
  EXPECT_GE(registry.LatestVersion(""), 26);
}

TEST(OpRegistryTest, WhatWasAskedForBeforeDoesNotHideWhatIsAdded) {
  OpRegistry registry;
  registry.AddSchema(MadeSchema("acme", "Foo", 1));
  EXPECT_EQ(registry.FindSchema("acme", "Foo", 4)->SinceVersion(), 1);
  EXPECT_EQ(registry.FindSchema("acme", "Bar", 4), nullptr);
  registry.AddSchema(MadeSchema("acme", "Foo", 3));
  registry.AddSchema(MadeSchema("acme", "Bar", 2));
  EXPECT_EQ(registry.FindSchema("acme", "Foo", 4)->SinceVersion(), 3);
  EXPECT_EQ(registry.FindSchema("acme", "Foo", 2)->SinceVersion(), 1);
  EXPECT_EQ(registry.FindSchema("acme", "Bar", 4)->SinceVersion(), 2);
}

TEST(OpRegistryTest, KeepsKernelsByVersionAndListsThemSorted) {
  OpRegistry registry;
  registry.Add("", "Relu", {6, 13}, DoNothing);
  registry.Add("", "Abs", {13}, DoNothing);
  registry.Add("", "Relu", {14}, DoNothing);
  EXPECT_NE(registry.FindKernel("", "Relu", 13), nullptr);
  EXPECT_EQ(registry.FindKernel("", "Relu", 1), nullptr);
  EXPECT_EQ(registry.FindKernel("acme", "Relu", 13), nullptr);
  std::vector<OpRegistry::Entry> entries = registry.Entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].op_type, "Abs");
  EXPECT_EQ(entries[1].versions, (std::vector<int>{6, 13, 14}));
}

TEST(OpRegistryTest, AllVersionsAreThoseOfTheSchemas) {
  OpRegistry registry;
  registry.Add("", "Relu", AllVersions(6, 14), DoNothing);
  registry.AddSchema(MadeSchema("acme", "Foo", 2));
  registry.Add("acme", "Foo", AllVersions(2, 2), DoNothing);
  const std::vector<OpRegistry::Entry> entries = registry.Entries();
  EXPECT_EQ(entries[0].versions, (std::vector<int>{6, 13, 14}));
  EXPECT_EQ(entries[1].versions, (std::vector<int>{2}));
}

TEST(OpRegistryDeathTest, AllVersionsMustBeginAndEndWithOne) {
  OpRegistry registry;
  EXPECT_DEATH(registry.Add("", "Relu", AllVersions(2, 14), DoNothing), "op_registry.cc");
  EXPECT_DEATH(registry.Add("", "Relu", AllVersions(1, 15), DoNothing), "op_registry.cc");
  EXPECT_DEATH(registry.Add("", "NoSuch", AllVersions(1, 2), DoNothing), "op_registry.cc");
}

TEST(OpRegistryDeathTest, AddingAVersionTwiceIsOurMistake) {
  OpRegistry registry;
  registry.Add("", "Relu", {6}, DoNothing);
  EXPECT_DEATH(registry.Add("", "Relu", {6}, DoNothing), "op_registry.cc");
}

}  // namespace
}  // namespace onnxcmp
