#include "feed/index_limits.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

Node MakeNode(const std::string& op_type, std::vector<std::string> inputs, std::string output,
              absl::string_view domain = "") {
  Node node;
  node.op_type = op_type;
  node.domain = std::string(domain);
  node.inputs = std::move(inputs);
  node.outputs = {std::move(output)};
  return node;
}

Graph TableGraph() {
  Graph graph;
  graph.inputs.resize(2);
  graph.inputs[0].name = "ids";
  graph.inputs[1].name = "types";
  graph.initializers.push_back({"table", *Tensor::Allocate(DType::kFloat, {30, 4})});
  graph.initializers.push_back({"small", *Tensor::Allocate(DType::kFloat, {2, 4})});
  return graph;
}

TEST(IndexLimitsTest, FollowsIdsAndTables) {
  Graph graph = TableGraph();
  graph.nodes = {MakeNode("Cast", {"ids"}, "a"), MakeNode("Unsqueeze", {"a", "axes"}, "b"),
                 MakeNode("Identity", {"table"}, "t"), MakeNode("Gather", {"t", "b"}, "y")};
  EXPECT_THAT(IndexLimits(graph), UnorderedElementsAre(Pair("ids", 30)));
}

TEST(IndexLimitsTest, TakesTheSmallestTableAndTheAxis) {
  Graph graph = TableGraph();
  graph.nodes = {MakeNode("Gather", {"table", "ids"}, "y"),
                 MakeNode("Gather", {"table", "ids"}, "z")};
  graph.nodes[1].attributes["axis"] = int64_t{-1};
  EXPECT_THAT(IndexLimits(graph), UnorderedElementsAre(Pair("ids", 4)));
}

TEST(IndexLimitsTest, KnowsConstantsAndEmbeddings) {
  Graph graph = TableGraph();
  Node constant = MakeNode("Constant", {}, "c");
  constant.attributes["value"] = Tensor::Of<float>({3}, {1, 2, 3});
  graph.nodes = {constant, MakeNode("Gather", {"c", "types"}, "y"),
                 MakeNode("EmbedLayerNormalization", {"ids", "types", "table", "table", "small"},
                          "z", kMicrosoftDomain)};
  EXPECT_THAT(IndexLimits(graph), UnorderedElementsAre(Pair("ids", 30), Pair("types", 2)));
}

TEST(IndexLimitsTest, WhatIsNotKnownHasNoLimit) {
  Graph graph = TableGraph();
  graph.nodes = {MakeNode("Add", {"ids", "types"}, "sum"),
                 MakeNode("Gather", {"table", "sum"}, "y"),   // computed ids
                 MakeNode("Gather", {"types", "ids"}, "z"),   // a table that is an input
                 MakeNode("Gather", {"table"}, "w"),          // no ids at all
                 MakeNode("Gather", {"table", "ids"}, "v")};  // no such axis
  graph.nodes[4].attributes["axis"] = int64_t{7};
  EXPECT_THAT(IndexLimits(graph), IsEmpty());
}

}  // namespace
}  // namespace onnxcmp
