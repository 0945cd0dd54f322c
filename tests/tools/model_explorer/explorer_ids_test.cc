// Ids of Model Explorer's nodes. What is wanted here was printed by its adapter for ONNX.
#include "tools/model_explorer/explorer_ids.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/string_view.h"
#include "evaluator/load/read_model.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr absl::string_view kModel = R"(<ir_version: 8, opset_import: ["" : 18, "local" : 1]>
agraph (float[3] x, int64 steps) => (float[3] root, float[3] last) <float[3] w = {1, 2, 3}> {
  go = Constant <value = bool {1}> ()
  root = Loop (steps, go, x) <body = again (int64 i, bool keep, float[3] guess) => (bool more, float[3] better) {
    q = Div (x, guess)
    better = local.mean2 (guess, q)
    more = Identity (keep)
  }>
  [named] a = Add (x, w)
  [named] b = Add (a, w)
  positive = Constant <value = bool {0}> ()
  c = If (positive) <then_branch = yes () => (float[3] t) { t = Neg (b) },
                     else_branch = no () => (float[3] e) { m = Abs (b) e = Sqrt (m) }>
  ["/m/mean"] last = local.mean2 (c, b)
}
<domain: "local", opset_import: ["" : 18]>
mean2 (a, b) => (m)
{
  s = Add (a, b)
  two = Constant <value = float {2}> ()
  m = Div (s, two)
}
)";

class ExplorerIdsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto model = ReadModelText(kModel, 64);
    ASSERT_TRUE(model.ok()) << model.status();
    ids_ = std::make_unique<ExplorerIds>(*std::move(model));
  }

  std::vector<std::string> Places(absl::string_view path, absl::string_view name,
                                  bool output = false) const {
    return Texts(ids_->PlacesOf({path, name, output, -1, ""}));
  }
  std::vector<std::string> InFunction(absl::string_view path, absl::string_view name, int node,
                                      absl::string_view op_type) const {
    return Texts(ids_->PlacesOf({path, name, false, node, op_type}));
  }

 private:
  static std::vector<std::string> Texts(const std::vector<ExplorerPlace>& places) {
    std::vector<std::string> texts;
    for (const ExplorerPlace& place : places) texts.push_back(place.graph + " | " + place.node);
    return texts;
  }

  std::unique_ptr<ExplorerIds> ids_;
};

TEST_F(ExplorerIdsTest, OfTheMainGraph) {
  EXPECT_THAT(Places("", "x"), ElementsAre("agraph | [value] x"));
  EXPECT_THAT(Places("", "w"), ElementsAre("agraph | [value] w"));
  EXPECT_THAT(Places("", "last", true), ElementsAre("agraph | [value] last"));
  // Nodes without a name are counted, and so are those in bodies.
  EXPECT_THAT(Places("", "go"), ElementsAre("agraph | node"));
  EXPECT_THAT(Places("", "root"), ElementsAre("agraph | node_1"));
  EXPECT_THAT(Places("", "a"), ElementsAre("agraph | named"));
  EXPECT_THAT(Places("", "b"), ElementsAre("agraph | named_1"));
  EXPECT_THAT(Places("", "last"), ElementsAre("agraph | /m/mean"));
  EXPECT_THAT(Places("", "nobody"), IsEmpty());
}

TEST_F(ExplorerIdsTest, OfBodies) {
  EXPECT_THAT(Places("root[0]", "q"), ElementsAre("node_1/body | node"));
  EXPECT_THAT(Places("root[12]", "more"), ElementsAre("node_1/body | node_3"));
  EXPECT_THAT(Places("", "c"), ElementsAre("agraph | node_5", "agraph | node_5_phi"));
  EXPECT_THAT(Places("c[else_branch]", "e"), ElementsAre("agraph | node_5/else_branch/node_6"));
  EXPECT_THAT(Places("c[then_branch]", "t"), ElementsAre("agraph | node_5/then_branch/node"));
  EXPECT_THAT(Places("nobody[0]", "q"), IsEmpty());
}

TEST_F(ExplorerIdsTest, OfFunctionsThatWereInlinedAndTheirCalls) {
  EXPECT_THAT(InFunction("/m/mean", "s__2", 0, "Add"),
              ElementsAre("agraph | /m/mean", "[function]local::mean2 | node"));
  // The last one has the name that the caller gives.
  EXPECT_THAT(InFunction("/m/mean", "last", 2, "Div"),
              ElementsAre("agraph | /m/mean", "[function]local::mean2 | node_2"));
  EXPECT_THAT(InFunction("root[1]/better", "two__1", 1, "Constant"),
              ElementsAre("node_1/body | node_2", "[function]local::mean2 | node_1"));
  EXPECT_THAT(InFunction("root[1]/better", "two__1", 0, "Constant"),
              ElementsAre("node_1/body | node_2", "[function]local::mean2 | node_1"));
}

}  // namespace
}  // namespace onnxcmp
