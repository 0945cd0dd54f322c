// What two models compute alike runs once, and the comparison does not show it.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "compare/pair/timings.h"
#include "compare/reports/render_json.h"
#include "compare/sides/lock_step.h"
#include "compare/sides/model_side.h"
#include "ops/operators.h"
#include "tests/compare/model_pair.h"
#include "tests/support/load_test.h"

namespace onnxcmp::testing {
namespace {

constexpr char kChain[] = R"((float[2,4] x) => (float[2,4] y)
    <float[4] w = {1, 2, 3, 4}, float[4] b = {0.5, 0.25, 0, 1}> {
  a = Mul(x, w)
  c = Tanh(a)
  d = Add(c, b)
  y = Exp(d)
})";

constexpr char kLoopOfTwo[] = R"((float[2,4] x) => (float[2,4] y) {
  n = Constant<value_int = 3>()
  go = Constant<value = bool {1}>()
  y = Loop(n, go, x) <body = body (int64 i, bool c, float[2,4] s) => (bool d, float[2,4] t) {
    d = Identity(c)
    u = Tanh(s)
    t = Add(u, s)
  }>
})";

struct Counted {
  int64_t shared = 0;
  int64_t nodes = 0;
  std::string report;
};

Counted CompareCounted(absl::string_view left, absl::string_view right, bool share = true) {
  Timings timings;
  CompareOptions options;
  options.threads = 1;
  options.share = share;
  options.timings = &timings;
  const absl::StatusOr<Comparison> comparison = CompareGraphs(left, right, GivenFeeds(), options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  if (!comparison.ok()) return {};
  return {timings.shared, timings.nodes, RenderJson(*comparison)};
}

std::string Replaced(absl::string_view text, absl::string_view from, absl::string_view to) {
  std::string replaced = absl::StrReplaceAll(text, {{from, to}});
  EXPECT_NE(replaced, text) << from;
  return replaced;
}

TEST(SharedNodes, AModelWithItselfRunsOnce) {
  const Counted counted = CompareCounted(kChain, kChain);
  EXPECT_EQ(counted.shared, 4);
  EXPECT_EQ(counted.nodes, 8);
}

TEST(SharedNodes, UpToWhereTheyDiffer) {
  // The last two read what another constant made.
  EXPECT_EQ(CompareCounted(kChain, Replaced(kChain, "0.25", "0.75")).shared, 2);
  EXPECT_EQ(CompareCounted(kChain, Replaced(kChain, "Tanh", "Sigmoid")).shared, 1);
}

TEST(SharedNodes, AgainWhereOtherRoadsLeadToTheSameBits) {
  // Relu twice is Relu: what follows reads the same bits as in a model with one.
  constexpr char kOne[] = R"((float[2,4] x) => (float[2,4] y) {
    a = Relu(x)
    b = Tanh(a)
    y = Exp(b)
  })";
  constexpr char kTwo[] = R"((float[2,4] x) => (float[2,4] y) {
    zero = Constant<value = float {0}>()
    a = Max(x, zero)
    b = Tanh(a)
    y = Exp(b)
  })";
  EXPECT_EQ(CompareCounted(kOne, kTwo).shared, 2);
}

TEST(SharedNodes, AttributesAndVersionsTell) {
  constexpr char kSoftmax[] = R"((float[2,4] x) => (float[2,4] y) { y = Softmax<axis = 1>(x) })";
  EXPECT_EQ(CompareCounted(kSoftmax, kSoftmax).shared, 1);
  EXPECT_EQ(CompareCounted(kSoftmax, Replaced(kSoftmax, "= 1", "= -1")).shared, 0);
  EXPECT_EQ(CompareCounted(kSoftmax, Replaced(kSoftmax, "= 1", "= 0")).shared, 0);
}

TEST(SharedNodes, InsideLoops) {
  // Each iteration's three, and the two constants; the loop itself is no node to share. Iterations
  // that give the same may share, too.
  EXPECT_GE(CompareCounted(kLoopOfTwo, kLoopOfTwo).shared, 11);
}

TEST(SharedNodes, RandomNumbersOnlyOfTheSamePlace) {
  constexpr char kRandom[] = R"((float[2,4] x) => (float[2,4] y) {
    noise = RandomNormalLike(x)
    y = Add(x, noise)
  })";
  EXPECT_EQ(CompareCounted(kRandom, kRandom).shared, 2);
  // Named by its output, it draws others there.
  EXPECT_EQ(CompareCounted(kRandom, Replaced(kRandom, "noise", "other")).shared, 0);
  // A seed of its own makes it the same anywhere.
  const std::string seeded = Replaced(kRandom, "Like(", "Like<seed = 3.0>(");
  EXPECT_EQ(CompareCounted(seeded, Replaced(seeded, "noise", "other")).shared, 2);
}

TEST(SharedNodes, NoReportShowsIt) {
  const std::string other = Replaced(kChain, "0.25", "0.75");
  for (const std::string& right :
       {std::string(kChain), other, Replaced(kChain, "Exp", "Sigmoid")}) {
    const Counted alone = CompareCounted(kChain, right, /*share=*/false);
    EXPECT_EQ(alone.shared, 0);
    EXPECT_EQ(CompareCounted(kChain, right).report, alone.report) << right;
  }
}

// Each run counts what it does by itself.
TEST(SharedNodes, NotUnderLimitsOfARun) {
  const auto model = LoadModelFromText(
      "<ir_version: 9, opset_import: [\"\": 18]> g (float[2] x) => (float[2] y) { y = Exp(x) }",
      AllOperators());
  ASSERT_TRUE(model.ok()) << model.status();
  const OpRegistry registry = AllOperators();
  const auto alike = [&](const EvaluatorOptions& of_left, const EvaluatorOptions& of_right) {
    auto left = ModelSide::Create(*model, registry, of_left);
    auto right = ModelSide::Create(*model, registry, of_right);
    EXPECT_TRUE(left.ok() && right.ok());
    return ComputeAlike({left->get(), right->get()});
  };
  const EvaluatorOptions plain = {.threads = 1};
  EXPECT_TRUE(alike(plain, plain));
  EXPECT_FALSE(alike(plain, {.threads = 1, .max_steps = 100}));
  EXPECT_FALSE(alike({.threads = 1, .max_memory = 1 << 20}, plain));
  EXPECT_FALSE(alike(plain, {.threads = 1, .seed = 1}));
}

TEST(LockStep, TheRightComesBehindWhatItShares) {
  std::vector<SideId> order;
  PerSide<int> left_over = {4, 3};
  // The right's second node is the left's third.
  RunInLockStep(
      [&](SideId side) {
        order.push_back(side);
        return --left_over[side] > 0;
      },
      {1, 3, 4});
  constexpr SideId kL = SideId::kLeft;
  constexpr SideId kR = SideId::kRight;
  EXPECT_EQ(order, (std::vector<SideId>{kL, kR, kL, kL, kR, kL, kR}));
}

TEST(LockStep, OneThatEndsEarlyDoesNotHoldUpTheOther) {
  std::vector<SideId> order;
  PerSide<int> left_over = {1, 3};
  RunInLockStep(
      [&](SideId side) {
        order.push_back(side);
        return --left_over[side] > 0;
      },
      {1, 2, 9});
  EXPECT_EQ(order.size(), 4);
}

}  // namespace
}  // namespace onnxcmp::testing
