// The questions of a replay, and their order.
#include "record/graphs/replay.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"
#include "tests/compare/forced_sides.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;

constexpr char kGraph[] = R"((float[2] x) => (float[2] y) {
  a = acme.Count(x)
  b = Neg(a)
  c = acme.Count(b)
  d = Abs(c)
  y = Add(d, a)
})";

std::vector<float> NumbersOf(const Value& value) {
  if (!value.is_tensor()) return {};
  const auto numbers = value.tensor().AsSpan<float>();
  return {numbers.begin(), numbers.end()};
}

class ReplayTest : public ::testing::Test {
 protected:
  const SideGraph& graph() const { return sides_.right_graph(); }

  ForcedSides sides_{kGraph, kGraph, Tensor::Of<float>({2}, {1, 2})};
};

TEST_F(ReplayTest, ReadersGetWhatWasSeenInstead) {
  std::vector<std::string> seen;
  std::vector<float> y;
  EXPECT_TRUE(ReplayWhole(graph(), sides_.leaves(), [&](int r, const Value& own) -> Value {
    seen.push_back(graph().result(r).name);
    if (seen.back() == "y") y = NumbersOf(own);
    return seen.back() == "c" ? Value(Tensor::Of<float>({2}, {10, -20})) : own;
  }));
  EXPECT_THAT(seen, ElementsAre("x", "a", "b", "c", "d", "y"));
  EXPECT_THAT(y, ElementsAre(11, 22));
  EXPECT_EQ(sides_.TakeCount(), 2);
}

TEST_F(ReplayTest, AReplayEndsWhereANodeCannotRun) {
  std::vector<std::string> seen;
  EXPECT_FALSE(ReplayWhole(graph(), sides_.leaves(), [&](int r, const Value& own) -> Value {
    seen.push_back(graph().result(r).name);
    return seen.back() == "c" ? Value() : own;
  }));
  EXPECT_THAT(seen, ElementsAre("x", "a", "b", "c"));
}

class FromTheMiddle : public HoldingReplay {
 public:
  FromTheMiddle(const SideGraph& graph, int given, int wanted, const std::vector<int>& nodes)
      : HoldingReplay(graph, nodes, {wanted}), given_(given) {}

  int asked() const { return asked_; }

 private:
  bool IsGiven(int r) const override { return r == given_ || graph().producer(r) == kNone; }
  Value Given(int /*r*/) override {
    ++asked_;
    return Tensor::Of<float>({2}, {3, 4});
  }

  const int given_;
  int asked_ = 0;
};

TEST_F(ReplayTest, WhatIsGivenIsAskedForOnceAndItsNodeNeedNotRun) {
  const int b = sides_.Right("b");
  const int d = sides_.Right("d");
  FromTheMiddle replay(graph(), b, d, {graph().producer(sides_.Right("c")), graph().producer(d)});
  EXPECT_TRUE(replay.Run());
  EXPECT_THAT(NumbersOf(replay.ValueOf(d)), ElementsAre(3, 4));
  EXPECT_EQ(replay.asked(), 1);
  EXPECT_EQ(replay.runs(), 2);
  EXPECT_EQ(sides_.TakeCount(), 1);
}

}  // namespace
}  // namespace onnxcmp::testing
