#include "feed/input_mapping.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectError;
using ::onnxcmp::testing::LoadGraph;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct Mapped {
  absl::Status status;
  std::vector<std::string> pairs;  // "x=y name"; initializers in brackets
  InputMapping mapping;
};

Mapped MapInputsOf(absl::string_view left, absl::string_view right,
                   const std::vector<std::string>& overrides = {}) {
  Mapped mapped;
  const auto left_model = LoadGraph(left);
  const auto right_model = LoadGraph(right);
  EXPECT_TRUE(left_model.ok()) << left_model.status();
  EXPECT_TRUE(right_model.ok()) << right_model.status();
  if (!left_model.ok() || !right_model.ok()) return mapped;
  auto mapping = MapInputs((*left_model)->graph, (*right_model)->graph, overrides);
  mapped.status = mapping.status();
  if (!mapping.ok()) return mapped;
  for (const MappedInput& pair : mapping->pairs) {
    const auto text = [](const std::string& name, bool input) {
      return input ? name : absl::StrCat("[", name, "]");
    };
    static constexpr const char* kHow[] = {"option", "name", "type", "place", "order"};
    mapped.pairs.push_back(absl::StrCat(text(pair.left, pair.left_is_input), "=",
                                        text(pair.right, pair.right_is_input), " ",
                                        kHow[static_cast<int>(pair.how)]));
  }
  mapped.mapping = *std::move(mapping);
  mapped.status = CheckNoneAlone(mapped.mapping, (*left_model)->graph, (*right_model)->graph);
  return mapped;
}

constexpr char kSub[] = "g (float[2] a, float[2] b) => (float[2] y) { y = Sub(a, b) }";

// A scale is none of the numbers that are handed on; what only a dead node reads is not read.
TEST(MapInputsTest, NamesTellWhetherAnOutputDependsOnAnInput) {
  const char* graph = R"(g (float[2] x, float s, bool b, int64[3] dead) => (float[2] y) {
      d = Neg(dead) q = QuantizeLinear(x, s) r = DequantizeLinear(q, s)
      y = If(b) <then_branch = t () => (float[2] u) { u = Neg(r) },
                 else_branch = e () => (float[2] v) { v = Abs(r) }> })";
  const char* flat = R"(g (float[2] x, float s, int64[3] dead) => (float[2] y) {
      d = Neg(dead) q = QuantizeLinear(x, s) r = DequantizeLinear(q, s) y = Neg(r) })";
  for (const char* text : {graph, flat}) {
    // In one model, in two, and by a look at the places.
    const auto model = LoadGraph(text);
    ASSERT_TRUE(model.ok()) << model.status();
    const auto again = LoadGraph(text);
    const auto one = MapInputs((*model)->graph, (*model)->graph);
    const auto two = MapInputs((*model)->graph, (*again)->graph);
    const auto told = MapInputs((*model)->graph, (*again)->graph, {"x=x"});
    for (const auto* mapping : {&one, &two, &told}) {
      ASSERT_TRUE(mapping->ok()) << mapping->status();
      for (const MappedInput& pair : (*mapping)->pairs) {
        EXPECT_EQ(pair.left, pair.right);
        EXPECT_EQ(pair.read, pair.left == "x" || pair.left == "b") << pair.left;
      }
    }
    EXPECT_EQ(one->pairs.size(), (*model)->graph.inputs.size());
  }
}

TEST(MapInputsTest, NamesGoFirst) {
  const Mapped mapped =
      MapInputsOf(kSub, "g (float[2] b, float[2] a) => (float[2] y) { y = Sub(a, b) }");
  EXPECT_THAT(mapped.pairs, ElementsAre("a=a name", "b=b name"));
  EXPECT_THAT(DescribeMapping(mapped.mapping), IsEmpty());
  EXPECT_THAT(mapped.mapping.warnings, IsEmpty());
}

TEST(MapInputsTest, NamesThatPlacesContradictGiveAWarning) {
  const Mapped mapped =
      MapInputsOf(kSub, "g (float[2] a, float[2] b) => (float[2] y) { y = Sub(b, a) }");
  EXPECT_THAT(mapped.pairs, ElementsAre("a=a name", "b=b name"));
  EXPECT_THAT(mapped.mapping.warnings, ElementsAre(HasSubstr("`a` and `b` are matched by name")));
}

TEST(MapInputsTest, TypesAndShapesThatAreUnique) {
  const Mapped mapped = MapInputsOf(
      "g (float[N,4] x, int64[N] ids, float[N] z) => (float[N,4] y, int64[N] i, float[N] w)"
      "{ y = Neg(x) i = Neg(ids) w = Neg(z) }",
      "g (int32[3] p, float16[3] q, float[M,4] r) => (float[M,4] y, int32[3] i, float16[3] w)"
      "{ y = Abs(r) i = Abs(p) w = Abs(q) }");
  EXPECT_TRUE(mapped.status.ok()) << mapped.status;
  EXPECT_THAT(mapped.pairs, ElementsAre("x=r type", "ids=p type", "z=q type"));
  EXPECT_THAT(DescribeMapping(mapped.mapping),
              ::testing::Contains("left input `x` -> right input `r` (by type and shape)"));
}

TEST(MapInputsTest, PlacesInTheGraph) {
  // The same but for names, orders, and an Identity and a Cast in between.
  const Mapped mapped = MapInputsOf(
      "g (float[2,2] a, float[2,2] b, float[2,2] c) => (float[2,2] y)"
      "{ m = MatMul(a, b) n = Softmax(m) y = MatMul(n, c) }",
      "g (float[2,2] p, float[2,2] q, float[2,2] r) => (float[2,2] z)"
      "{ i = Identity(r) m = MatMul(i, p) n = Softmax(m) h = Cast<to = 1>(n) z = MatMul(h, q) }");
  EXPECT_TRUE(mapped.status.ok()) << mapped.status;
  EXPECT_THAT(mapped.pairs, ElementsAre("a=r place", "b=p place", "c=q place"));
}

TEST(MapInputsTest, PlacesInSubgraphsAndBehindKnownInputs) {
  const Mapped mapped = MapInputsOf(
      "g (bool c, float[2] a, float[2] b) => (float[2] y) { y = If(c) <"
      "then_branch = t () => (float[2] u) { u = Neg(a) },"
      "else_branch = e () => (float[2] v) { v = Abs(b) }> }",
      "g (float[2] q, float[2] p, bool k) => (float[2] y) { y = If(k) <"
      "then_branch = t () => (float[2] u) { u = Neg(p) },"
      "else_branch = e () => (float[2] v) { v = Abs(q) }> }");
  EXPECT_THAT(mapped.pairs, ElementsAre("c=k type", "a=p place", "b=q place"));
  // Only what they are added to tells the weights apart.
  const Mapped anchored = MapInputsOf(
      "g (float[3] x, float[5] z, float[1] v, float[1] w) => (float[3] y, float[5] u)"
      "{ y = Add(x, v) u = Add(z, w) }",
      "g (float[1] p, float[1] q, float[3] x, float[5] z) => (float[3] y, float[5] u)"
      "{ y = Add(q, x) u = Add(p, z) }");
  EXPECT_THAT(anchored.pairs, ElementsAre("x=x name", "z=z name", "v=q place", "w=p place"));
}

TEST(MapInputsTest, LayersGoInOrderThoughTheirEndsDiffer) {
  const Mapped mapped = MapInputsOf(
      "g (float[2,2] x, float[2,2] a, float[2,2] b, float[2,2] c) => (float[2,2] y)"
      "{ p = MatMul(x, a) q = MatMul(p, b) r = MatMul(q, c) y = Relu(r) }",
      "g (float[2,2] k, float[2,2] l, float[2,2] x, float[2,2] m) => (float[2,2] y)"
      "{ p = MatMul(x, m) q = MatMul(p, k) r = MatMul(q, l) s = Clip(r) y = Neg(s) }");
  EXPECT_TRUE(mapped.status.ok()) << mapped.status;
  EXPECT_THAT(mapped.pairs, ElementsAre("x=x name", "a=m place", "b=k place", "c=l place"));
  EXPECT_THAT(mapped.mapping.warnings, IsEmpty());
}

TEST(MapInputsTest, OrderAmongEqualsGivesAWarning) {
  const Mapped mapped = MapInputsOf("g (float[2] a, float[2] b) => (float[2] y) { y = Add(a, b) }",
                                    "g (float[2] p, float[2] q) => (float[2] y) { y = Add(p, q) }");
  EXPECT_TRUE(mapped.status.ok()) << mapped.status;
  EXPECT_THAT(mapped.pairs, ElementsAre("a=p order", "b=q order"));
  EXPECT_THAT(mapped.mapping.warnings, ElementsAre(HasSubstr("`a` -> `p`, `b` -> `q`")));
}

TEST(MapInputsTest, LiftedWeightsTakeInitializersValues) {
  constexpr char kLifted[] =
      "g (float[2,2] p_4, float[3,2] p_1, float[2,2] p_7) => (float[3,2] y)"
      "{ a = MatMul(p_1, p_7) b = Relu(a) y = MatMul(b, p_4) }";
  constexpr char kWhole[] =
      "g (float[3,2] x) => (float[3,2] y)"
      "<float[2,2] v = {1, 2, 3, 4}, float[2,2] w = {5, 6, 7, 8}>"
      "{ a = MatMul(x, w) b = Relu(a) y = MatMul(b, v) }";
  const Mapped left = MapInputsOf(kLifted, kWhole);
  EXPECT_TRUE(left.status.ok()) << left.status;
  EXPECT_THAT(left.pairs, ElementsAre("p_4=[v] place", "p_1=x type", "p_7=[w] place"));
  EXPECT_THAT(DescribeMapping(left.mapping),
              ElementsAre("left input `p_4` takes the value of right initializer `v` (by place in "
                          "the graph)",
                          "left input `p_1` -> right input `x` (by type and shape)",
                          "left input `p_7` takes the value of right initializer `w` (by place in "
                          "the graph)"));
  EXPECT_THAT(MapInputsOf(kWhole, kLifted).pairs,
              ElementsAre("x=p_1 type", "[v]=p_4 place", "[w]=p_7 place"));
}

TEST(MapInputsTest, InitializersByNameAndBesideOthers) {
  // A default of one side, a constant node, and one whose reader was fused.
  const Mapped mapped = MapInputsOf(
      "g (float[2,2] x, float[2] d, float[2,2] c, float[2] bias) => (float[2,2] y)"
      "{ a = Add(x, d) b = MatMul(a, c) y = Add(b, bias) }",
      "g (float[2,2] x, float[2] d) => (float[2,2] y)"
      "<float[2] d = {1, 2}, float[2] e = {3, 4}>"
      "{ k = Constant<value = float[2,2] {1, 2, 3, 4}>() a = Add(x, d) y = Gemm(a, k, e) }");
  EXPECT_TRUE(mapped.status.ok()) << mapped.status;
  EXPECT_THAT(mapped.pairs, ElementsAre("x=x name", "d=[d] name", "c=[k] place", "bias=[e] type"));
}

TEST(MapInputsTest, InitializersThatHoldTheSameNeedNoGuess) {
  const Mapped mapped = MapInputsOf(
      "g (float[2] x, float[2] a, float[2] b) => (float[2] y, float[2] z)"
      "{ y = Mul(x, a) z = Mul(x, b) }",
      "g (float[2] x) => (float[2] y, float[2] z) <float[2] v = {1, 1}, float[2] w = {1, 1}>"
      "{ y = Mul(x, v) z = Mul(x, w) }");
  EXPECT_TRUE(mapped.status.ok()) << mapped.status;
  EXPECT_THAT(mapped.mapping.warnings, IsEmpty());
  EXPECT_EQ(mapped.pairs.size(), 3u);
}

TEST(MapInputsTest, ConstantsThatWereSharedOrCopied) {
  constexpr char kShared[] =
      "g (float[2] x, float[2] w) => (float[2] y, float[2] z)"
      "{ y = Sub(x, w) a = Neg(x) z = Sub(a, w) }";
  constexpr char kCopied[] =
      "g (float[2] x) => (float[2] y, float[2] z) <float[2] v = {1, 2}, float[2] w2 = {1, 2}>"
      "{ y = Sub(x, v) a = Neg(x) z = Sub(a, w2) }";
  Mapped mapped = MapInputsOf(kShared, kCopied);
  EXPECT_TRUE(mapped.status.ok()) << mapped.status;
  EXPECT_THAT(mapped.pairs, ElementsAre("x=x name", "w=[v] place"));
  mapped = MapInputsOf(
      "g (float[2] x) => (float[2] y, float[2] z) <float[2] v = {1, 2}>"
      "{ y = Sub(x, v) a = Neg(x) z = Sub(a, v) }",
      "g (float[2] x, float[2] p, float[2] q) => (float[2] y, float[2] z)"
      "{ y = Sub(x, p) a = Neg(x) z = Sub(a, q) }");
  EXPECT_TRUE(mapped.status.ok()) << mapped.status;
  EXPECT_THAT(mapped.pairs, ElementsAre("x=x name", "[v]=p place", "[v]=q place"));
}

TEST(MapInputsTest, AConstantIsNotSharedByMoreThanReadIt) {
  const Mapped mapped = MapInputsOf(
      "g (float[2] x, float[2] v, float[2] w) => (float[2] y)"
      "{ a = Sub(x, v) b = Neg(a) y = Sub(b, w) }",
      "g (float[2] x) => (float[2] y) <float[2] v = {1, 2}>"
      "{ a = Sub(x, v) y = Neg(a) }");
  EXPECT_THAT(mapped.pairs, ElementsAre("x=x name", "v=[v] name"));
  ExpectError(mapped.status, absl::StatusCode::kInvalidArgument, "left input `w` has no counter");
}

TEST(MapInputsTest, WhatNobodyReadsNeedsNoPartner) {
  const Mapped mapped = MapInputsOf(
      "g (float[2] x, int64[7] unused, float[3] dead) => (float[2] y)"
      "{ y = Neg(x) d = Neg(dead) }",
      "g (float[2] x) => (float[2] y) { y = Neg(x) }");
  EXPECT_TRUE(mapped.status.ok()) << mapped.status;
  EXPECT_THAT(mapped.pairs, ElementsAre("x=x name"));
  EXPECT_THAT(DescribeMapping(mapped.mapping),
              ElementsAre("left input `unused` is not read", "left input `dead` is not read"));
}

TEST(MapInputsTest, OverridesGoFirst) {
  const Mapped mapped = MapInputsOf(kSub, kSub, {"a=b"});
  EXPECT_THAT(mapped.pairs, UnorderedElementsAre("a=b option", "b=a type"));
  ExpectError(MapInputsOf(kSub, kSub, {"a=x"}).status, absl::StatusCode::kInvalidArgument,
              "LEFT=RIGHT must name inputs; left: `a` float[2], `b` float[2]; right: `a`");
  ExpectError(MapInputsOf(kSub, kSub, {"a"}).status, absl::StatusCode::kInvalidArgument,
              "LEFT=RIGHT");
  ExpectError(MapInputsOf(kSub, kSub, {"a=b", "b=b"}).status, absl::StatusCode::kInvalidArgument,
              "mapped already");
  ExpectError(MapInputsOf(kSub, "g (int64[2] a) => (int64[2] y) { y = Neg(a) }", {"a=a"}).status,
              absl::StatusCode::kInvalidArgument, "left is float[2], right is int64[2]");
}

TEST(MapInputsTest, WhatFitsNothingIsAnErrorWithTheCandidates) {
  const Mapped mapped = MapInputsOf(
      "g (float[2] a, int64[2] mask) => (float[2] y)"
      "{ m = Cast<to = 1>(mask) y = Mul(a, m) }",
      "g (float[2] a) => (float[2] y) <float[1] k = {2}> { y = Mul(a, k) }");
  ExpectError(mapped.status, absl::StatusCode::kInvalidArgument,
              "left input `mask` has no counterpart on the other side; left candidates: input "
              "`mask` int64[2], input `a` float[2]; right candidates: input `a` float[2], "
              "initializer `k` float[1]; --map-input");
}

TEST(MapInputsTest, SizesThatDifferAreAnErrorThatSaysSo) {
  constexpr char kSmall[] = "g (float[2,3] x) => (float[2,3] y) { y = Neg(x) }";
  ExpectError(MapInputsOf(kSmall, "g (float[4,3] x) => (float[4,3] y) { y = Neg(x) }").status,
              absl::StatusCode::kInvalidArgument,
              "the sizes differ: left input `x` is float[2,3], right input `x` is "
              "float[4,3]");
  ExpectError(MapInputsOf(kSmall, "g (float[4,3] z) => (float[4,3] y) { y = Neg(z) }").status,
              absl::StatusCode::kInvalidArgument, "the sizes differ");
  ExpectError(
      MapInputsOf(kSmall, "g (float[2,5] z) => (float[2,5] y) { y = Neg(z) }", {"x=z"}).status,
      absl::StatusCode::kInvalidArgument, "the sizes differ");
}

}  // namespace
}  // namespace onnxcmp
