// Attributes as nodes give them or as their schemas do: a default is as good as saying it.
#include "record/operators/node_settings.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operators.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Node NodeOf(const std::string& op_type, int64_t opset) {
  Node node;
  node.op_type = op_type;
  node.imports = std::make_shared<const OpsetImports>(OpsetImports{{"", opset}});
  return node;
}

// "axis: 1 | -1 (default), differs"
std::vector<std::string> Pairs(const Node* left, const Node* right, bool same = false) {
  const OpRegistry registry = AllOperators();
  std::vector<std::string> texts;
  for (const AttributePair& pair : AttributePairs(&registry, left, &registry, right, same)) {
    texts.push_back(pair.name + ": " + pair.left + " | " + pair.right +
                    (pair.differs ? ", differs" : ""));
  }
  return texts;
}

TEST(AttributePairs, ADefaultIsAsGoodAsSayingIt) {
  Node left = NodeOf("LayerNormalization", 17);
  Node right = NodeOf("LayerNormalization", 17);
  left.attributes["epsilon"] = 0.01f;
  right.attributes["stash_type"] = int64_t{1};
  EXPECT_THAT(Pairs(&left, &right), ElementsAre("epsilon: 0.01 | 1e-05 (default), differs",
                                                "stash_type: 1 (default) | 1"));
  right.attributes["stash_type"] = int64_t{16};
  EXPECT_THAT(Pairs(&left, &right), ElementsAre("epsilon: 0.01 | 1e-05 (default), differs",
                                                "stash_type: 1 (default) | 16, differs"));
}

TEST(AttributePairs, AValueThatAVersionRenamedIsTheSame) {
  Node left = NodeOf("GridSample", 16);
  Node right = NodeOf("GridSample", 20);
  left.attributes["mode"] = std::string("bicubic");
  right.attributes["mode"] = std::string("cubic");
  EXPECT_THAT(Pairs(&left, &right), ElementsAre("mode: \"cubic\" | \"cubic\""));
  right.attributes["mode"] = std::string("nearest");
  EXPECT_THAT(Pairs(&left, &right), ElementsAre("mode: \"cubic\" | \"nearest\", differs"));
  left.attributes.clear();
  right.attributes["mode"] = std::string("linear");
  EXPECT_THAT(Pairs(&left, &right), ElementsAre("mode: \"linear\" (default) | \"linear\""));
}

TEST(AttributePairs, AValueBesideADefaultHasTheDigitsThatTellThemApart) {
  const Node left = NodeOf("LayerNormalization", 17);
  Node right = NodeOf("LayerNormalization", 17);
  right.attributes["epsilon"] = 1.0000001e-5f;
  EXPECT_THAT(Pairs(&left, &right),
              ElementsAre("epsilon: 1e-05 (default) | 9.99999975e-06 | 1.00000007e-05, differs"));
}

TEST(AttributePairs, DefaultsOfVersions) {
  const Node old = NodeOf("Softmax", 11);
  Node now = NodeOf("Softmax", 13);
  EXPECT_THAT(Pairs(&old, &now), ElementsAre("axis: 1 (default) | -1 (default), differs"));
  EXPECT_THAT(Pairs(&now, &now), IsEmpty());
  now.attributes["axis"] = int64_t{1};
  EXPECT_THAT(Pairs(&old, &now), ElementsAre("axis: 1 (default) | 1"));
}

TEST(AttributePairs, WithoutADefaultOneSideAloneDiffers) {
  Node left = NodeOf("Transpose", 13);
  const Node right = NodeOf("Transpose", 13);
  left.attributes["perm"] = std::vector<int64_t>{1, 0};
  EXPECT_THAT(Pairs(&left, &right), ElementsAre("perm: [1,0] | not given, differs"));
  EXPECT_THAT(Pairs(&left, &right, /*same=*/true), ElementsAre("perm: [1,0] | not given"));
  EXPECT_THAT(Pairs(&left, nullptr), ElementsAre("perm: [1,0] | "));
}

TEST(AttributePairs, NoSchemaHasNoDefaults) {
  Node left = NodeOf("NoSuch", 13);
  const Node right = NodeOf("NoSuch", 13);
  left.attributes["alpha"] = 1.0f;
  EXPECT_THAT(Pairs(&left, &right), ElementsAre("alpha: 1 | not given, differs"));
}

}  // namespace
}  // namespace onnxcmp
