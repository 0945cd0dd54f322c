#include "tools/fix/edit.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "evaluator/load/onnx_library.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;

using Kind = Operation::Kind;

class EditTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(ParseOnnxText(R"(<ir_version: 8, opset_import: ["" : 17]>
        g (float[2] x, bool c) => (float[2] y) <float[2] w = {1, 2}, float[2] v = {3, 4}> {
          a = Add(x, w)
          b = Mul(a, v)
          e = If(c) <then_branch = t () => (float[2] p) { p = Neg(a) },
                     else_branch = f () => (float[2] q) { q = Exp(b) }>
          y = Sub(e, b)
        })",
                              &model_)
                    .ok());
  }
  std::vector<std::string> Reads(int node) const {
    const auto& inputs = model_.graph().node(node).input();
    return {inputs.begin(), inputs.end()};
  }
  std::vector<std::string> Constants() const {
    std::vector<std::string> names;
    for (const auto& constant : model_.graph().initializer()) names.push_back(constant.name());
    return names;
  }
  onnx::ModelProto model_;
};

TEST_F(EditTest, ReadersInSubgraphsAreRedirected) {
  ASSERT_TRUE(ApplyEdit({{{Kind::kRedirect, "a", 0, "x"}}, {}}, &model_).ok());
  EXPECT_THAT(Reads(1), ElementsAre("x", "v"));
  EXPECT_EQ(model_.graph().node(2).attribute(0).g().node(0).input(0), "x");
  EXPECT_EQ(model_.graph().node(2).attribute(1).g().node(0).input(0), "b");
}

TEST_F(EditTest, WhatNothingReadsIsDropped) {
  Edit edit = {{{Kind::kRedirect, "b", 0, "x"}, {Kind::kRedirect, "a", 0, "x"}}, {}};
  ASSERT_TRUE(ApplyAndClean(&edit, &model_).ok());
  EXPECT_EQ(model_.graph().node_size(), 2);
  EXPECT_THAT(Constants(), ElementsAre());
  // The operations say it, too.
  EXPECT_EQ(edit.operations.size(), 6U);
}

TEST_F(EditTest, AddedNodesComeBeforeTheirReaders) {
  onnx::NodeProto node;
  node.set_op_type("Neg");
  node.add_input("x");
  node.add_output("n");
  ASSERT_TRUE(ApplyEdit({{{Kind::kAddNode, "", 0, "", node.SerializeAsString()},
                          {Kind::kSetInput, "a", 1, "n"}},
                         {}},
                        &model_)
                  .ok());
  EXPECT_EQ(model_.graph().node(0).op_type(), "Neg");
  EXPECT_THAT(Reads(1), ElementsAre("x", "n"));
}

TEST_F(EditTest, WhatTheModelDoesNotHave) {
  for (const Operation& operation : std::vector<Operation>{{Kind::kSetInput, "nothing", 0, "x"},
                                                           {Kind::kDropNode, "w"},
                                                           {Kind::kSetConstant, "a"}}) {
    onnx::ModelProto model = model_;
    EXPECT_TRUE(absl::IsNotFound(ApplyEdit({{operation}, {}}, &model)));
  }
  // A circle.
  EXPECT_FALSE(ApplyEdit({{{Kind::kSetInput, "a", 0, "y"}}, {}}, &model_).ok());
}

}  // namespace
}  // namespace onnxcmp
