// What the verdict counts as not exercised.
#include <cmath>
#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "compare/outcome/exit_status.h"
#include "tests/compare/input_sets/on_sets.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::OnSets;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

auto Misses(const std::string& name, const std::string& why) {
  return Contains(
      AllOf(Field(&UnexercisedNode::name, name), Field(&UnexercisedNode::why, HasSubstr(why))));
}

// A tree of one feature with a leaf that no number comes to, and one without.
std::string Tree(const char* second) {
  return absl::StrCat(
      "(float[n,1] x) => (float[n,1] y) { y = ai.onnx.ml.TreeEnsembleRegressor<n_targets = 1,"
      " nodes_treeids = [0, 0, 0, 0, 0], nodes_nodeids = [0, 1, 2, 3, 4],"
      " nodes_featureids = [0, 0, 0, 0, 0], nodes_values = [1.5, ",
      second,
      ", 0.0, 0.0, 0.0],"
      " nodes_modes = [\"BRANCH_LEQ\", \"BRANCH_LEQ\", \"LEAF\", \"LEAF\", \"LEAF\"],"
      " nodes_truenodeids = [1, 3, 0, 0, 0], nodes_falsenodeids = [2, 4, 0, 0, 0],"
      " target_treeids = [0, 0, 0], target_nodeids = [2, 3, 4], target_ids = [0, 0, 0],"
      " target_weights = [1.0, 2.0, 3.0]>(x) }");
}

TEST(CoverageSetsTest, LeavesThatNothingCameToAreCounted) {
  const std::string never = Tree("9.5");
  EXPECT_THAT(OnSets(never, never).coverage->missing, Misses("y", "1 of 3 leaves was not reached"));
  const std::string all = Tree("-0.5");
  EXPECT_THAT(OnSets(all, all).coverage->missing, IsEmpty());
}

TEST(CoverageSetsTest, KeysThatNothingWasAreCounted) {
  // What becomes 0 or 1 is never the third key.
  const char* const never =
      "(float[n] x) => (int64[n] y) <float z = {0}> { c = Greater(x, z) i = Cast<to = 7>(c)"
      " y = ai.onnx.ml.LabelEncoder<keys_int64s = [0, 1, 7], values_int64s = [3, 4, 5]>(i) }";
  EXPECT_THAT(OnSets(never, never).coverage->missing, Misses("y", "1 of 3 keys was not reached"));
  const char* const all =
      "(string[n] x) => (int64[n] y) {"
      " y = ai.onnx.ml.LabelEncoder<keys_strings = [\"a\", \"b\"], values_int64s = [3, 4]>(x) }";
  EXPECT_THAT(OnSets(all, all).coverage->missing, IsEmpty());
}

TEST(CoverageSetsTest, RoundsOfLoopsAreCounted) {
  const char* const body =
      "(float[2] x, int64 m) => (float[2] y) <bool t = {1}> { y = Loop(m, t, x) <body ="
      " b (int64 i, bool c, float[2] a) => (bool d, float[2] e) { d = Identity(c) e = Sin(a) }> }";
  EXPECT_THAT(OnSets(body, body).coverage->missing, IsEmpty());
  const char* const few =
      "(float[2] x, int64 m) => (float[2] y) <bool t = {1}, int64 o = {1}, int64 z = {0}> {"
      " k = Clip(m, o, o) y = Loop(k, t, x) <body ="
      " b (int64 i, bool c, float[2] a) => (bool d, float[2] e) { d = Identity(c) e = Sin(a) }> }";
  EXPECT_THAT(OnSets(few, few).coverage->missing, Misses("y", "it never had more than one round"));
}

TEST(CoverageSetsTest, AChoiceThatIsAlwaysTheFirstIsNone) {
  const char* const first =
      "(float[n,1] x) => (int64[n] y) <float[3] w = {1, 0, -1}> { a = Abs(x) p = Mul(a, w)"
      " y = ArgMax<axis = 1, keepdims = 0>(p) }";
  EXPECT_THAT(OnSets(first, first).coverage->missing, Misses("y", "it always chose the first"));
  const char* const any =
      "(float[n,3] x) => (int64[n] y) { y = ArgMax<axis = 1, keepdims = 0>(x) }";
  EXPECT_THAT(OnSets(any, any).coverage->missing, Not(Misses("y", "it always chose the first")));
}

TEST(CoverageSetsTest, ABatchOfOneAloneIsSaid) {
  const char* const baked =
      "(float[b,8] x) => (float[b,8] y) <int64[2] s = {1, 8}> { r = Reshape(x, s) y = Relu(r) }";
  EXPECT_THAT(OnSets(baked, baked).coverage->missing,
              Misses("x", "its first axis never had more than one element"));
}

TEST(TrySizesTest, SizesOfOneSideAreAFinding) {
  SetsOptions sizes;
  sizes.sizes = true;
  const char* const any = "(float[b,8] x) => (float[b,8] y) { y = Relu(x) }";
  const char* const four =
      "(float[b,8] x) => (float[b,8] y) <int64[2] s = {4, 8}> { r = Reshape(x, s) y = Relu(r) }";
  for (const bool exchanged : {false, true}) {
    const Comparison found = OnSets(exchanged ? four : any, exchanged ? any : four, sizes);
    EXPECT_EQ(found.verdict(), Verdict::kDifferent);
    EXPECT_EQ(ExitStatusOf(found), 1);
    EXPECT_THAT(found.sizes_of_one_side, HasSubstr("both run with b 4"));
    EXPECT_THAT(found.sizes, Contains(AllOf(Field(&TriedSizes::sizes, "b 4"),
                                            Field(&TriedSizes::agrees, true))));
  }
  const char* const fixed = "(float[4,8] x) => (float[4,8] y) { y = Relu(x) }";
  EXPECT_THAT(OnSets(any, fixed, sizes).sizes_of_one_side,
              HasSubstr("the right takes only 4 along axis 0 of `x`, the left any size"));
  const Comparison honest =
      OnSets(any, "(float[b,8] x) => (float[b,8] y) <float z = {0}> { y = Max(x, z) }", sizes);
  EXPECT_LE(honest.verdict(), Verdict::kClose);
  EXPECT_THAT(honest.sizes, Not(IsEmpty()));
  EXPECT_EQ(honest.sizes_of_one_side, "");
}

TEST(SearchTest, WhatItFindsIsMadeSmall) {
  // They differ where an element is beyond 35.
  const char* const left = "(float[2,8] x, float[2,8] u) => (float[2,8] y) { y = Add(x, u) }";
  const char* const right =
      "(float[2,8] x, float[2,8] u) => (float[2,8] y) <float k = {3.5}, float t = {10}> {"
      " m = Mul(k, t) c = Min(x, m) y = Add(c, u) }";
  SetsOptions search;
  search.sets = 1;
  search.search = absl::Seconds(5);
  Feeds fed;
  const Comparison found = OnSets(left, right, search, kDefaultKeepValues, &fed);
  ASSERT_EQ(found.verdict(), Verdict::kDifferent);
  ASSERT_TRUE(fed.contains("u") && fed.contains("x"));
  const Tensor x = fed.at("x").tensor();
  const Tensor u = fed.at("u").tensor();
  int others = 0;
  for (int64_t i = 0; i < 16; ++i) {
    EXPECT_EQ(u.data<float>()[i], 0);
    if (x.data<float>()[i] != 0) ++others;
    EXPECT_EQ(x.data<float>()[i], std::round(x.data<float>()[i]));
  }
  EXPECT_EQ(others, 1);
}

}  // namespace
}  // namespace onnxcmp
