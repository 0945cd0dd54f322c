// Nodes that no attribute tells apart have one entry; what tells others apart is their operation.
#include "record/streams/node_facts.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "evaluator/model/model.h"
#include "ops/operators.h"

namespace onnxcmp {
namespace {

Node NodeOf(const std::string& op_type, const std::shared_ptr<const OpsetImports>& imports) {
  Node node;
  node.op_type = op_type;
  node.imports = imports;
  return node;
}

TEST(NodeFactsTest, AnotherVersionOfAnOperatorIsAnotherOperation) {
  const OpRegistry registry = AllOperators();
  const auto old_set = std::make_shared<const OpsetImports>(OpsetImports{{"", 12}});
  const auto new_set = std::make_shared<const OpsetImports>(OpsetImports{{"", 13}});
  const Node first = NodeOf("ReduceSum", old_set);
  const Node again = NodeOf("ReduceSum", old_set);
  const Node newer = NodeOf("ReduceSum", new_set);
  NodeFactsCache facts(registry);
  EXPECT_EQ(&facts.Of(first), &facts.Of(again));
  EXPECT_NE(facts.Of(first).operation, facts.Of(newer).operation);
}

TEST(NodeFactsTest, OperatorsAndDomainsAreToldApart) {
  const OpRegistry registry = AllOperators();
  const auto imports = std::make_shared<const OpsetImports>(OpsetImports{{"", 21}});
  const Node relu = NodeOf("Relu", imports);
  const Node neg = NodeOf("Neg", imports);
  Node other = NodeOf("Relu", imports);
  other.domain = "other";
  NodeFactsCache facts(registry);
  EXPECT_NE(facts.Of(relu).operation, facts.Of(neg).operation);
  EXPECT_NE(facts.Of(relu).operation, facts.Of(other).operation);
}

TEST(NodeFactsTest, AttributesAndOverloadsAreToldApart) {
  const OpRegistry registry = AllOperators();
  const auto imports = std::make_shared<const OpsetImports>(OpsetImports{{"", 21}});
  const Node plain = NodeOf("ReduceSum", imports);
  Node flat = NodeOf("ReduceSum", imports);
  flat.attributes["keepdims"] = int64_t{0};
  Node said = NodeOf("ReduceSum", imports);
  said.attributes["keepdims"] = int64_t{1};
  Node overload = NodeOf("ReduceSum", imports);
  overload.overload = "one";
  NodeFactsCache facts(registry);
  EXPECT_NE(facts.Of(plain).operation, facts.Of(flat).operation);
  EXPECT_EQ(facts.Of(plain).operation, facts.Of(said).operation);  // the default
  EXPECT_NE(facts.Of(plain).operation, facts.Of(overload).operation);
}

}  // namespace
}  // namespace onnxcmp
