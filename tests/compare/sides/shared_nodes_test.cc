// What two models compute alike runs once, and the comparison does not show it.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compare/sides/lock_step.h"
#include "compare/sides/model_side.h"
#include "compare/sides/shared_nodes.h"
#include "ops/operators.h"
#include "record/base/timings.h"
#include "record/streams/fingerprint_cache.h"
#include "reports/render_json.h"
#include "tests/support/load_test.h"
#include "tests/support/model_pair.h"

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

// Three branches of a graph; what the first makes is read when the others are done.
constexpr char kBranches[] = R"((float[2,4] x) => (float[2,4] y) {
  a = Exp(x)
  b = Neg(a)
  c = Sqrt(a)
  d = Tanh(x)
  e = Abs(d)
  f = Mul(b, e)
  g = Add(f, c)
  y = Softmax(g)
})";

TEST(SharedNodes, InWhateverOrderTheOtherSideHasThem) {
  // An optimizer sorts anew: what the left let go long ago is held for the right, and the other way
  // round.
  constexpr char kOtherOrder[] = R"((float[2,4] x) => (float[2,4] y) {
    d = Tanh(x)
    e = Abs(d)
    a = Exp(x)
    c = Sqrt(a)
    b = Neg(a)
    f = Mul(b, e)
    g = Add(f, c)
    y = Softmax(g)
  })";
  EXPECT_EQ(CompareCounted(kBranches, kOtherOrder).shared, 8);
  EXPECT_EQ(CompareCounted(kOtherOrder, kBranches).shared, 8);
  EXPECT_EQ(CompareCounted(kOtherOrder, kBranches).report,
            CompareCounted(kOtherOrder, kBranches, /*share=*/false).report);
}

TEST(SharedNodes, ByNameWhereOtherRoadsLeadToTheSameBitsInAnotherOrder) {
  // The first branch comes by another road, last, and under the same names.
  constexpr char kOtherRoad[] = R"((float[2,4] x) => (float[2,4] y) {
    d = Tanh(x)
    e = Abs(d)
    x0 = Neg(x)
    x1 = Neg(x0)
    a = Exp(x1)
    b = Neg(a)
    c = Sqrt(a)
    f = Mul(b, e)
    g = Add(f, c)
    y = Softmax(g)
  })";
  EXPECT_EQ(CompareCounted(kBranches, kOtherRoad).shared, 8);
  EXPECT_EQ(CompareCounted(kOtherRoad, kBranches).shared, 8);
}

TEST(SharedNodes, ANameThatMeansSomethingElseMisleadsNobody) {
  constexpr char kRenamed[] = R"((float[2,4] x) => (float[2,4] y) {
    a = Exp(x)
    f = Neg(a)
    g = Sqrt(a)
    d = Tanh(x)
    e = Abs(d)
    b = Mul(f, e)
    c = Add(b, g)
    y = Softmax(c)
  })";
  EXPECT_EQ(CompareCounted(kBranches, kRenamed).shared, 8);
  EXPECT_EQ(CompareCounted(kBranches, kRenamed).report,
            CompareCounted(kBranches, kRenamed, /*share=*/false).report);
}

// A node alone, as the evaluator shows it.
class NodesThatRun {
 public:
  NodesThatRun() : registry_(AllOperators()), nodes_(registry_, &fingerprints_, nullptr) {}

  const Node& Make(const std::string& op_type) {
    Node& node = *made_.emplace_back(std::make_unique<Node>());
    node.op_type = op_type;
    node.inputs = {"x"};
    node.outputs = {"y"};
    return node;
  }

  Value Run(const std::string& op_type, const Value& input, const Value& output) {
    return Run(Make(op_type), input, output);
  }

  Value Run(const Node& node, const Value& input, const Value& output) {
    const std::vector<Value> inputs = {input};
    const PendingNode run = {node, "", inputs, 0, 0};
    std::vector<Value> outputs = {output};
    if (std::optional<std::vector<Value>> found = nodes_.Find(run)) return found->front();
    nodes_.Add(run, absl::MakeSpan(outputs), /*drew=*/false);
    return outputs.front();
  }

  SharedNodes& shared() { return nodes_; }

 private:
  const OpRegistry registry_;
  FingerprintCache fingerprints_;
  SharedNodes nodes_;
  std::vector<std::unique_ptr<Node>> made_;
};

TEST(SharedNodes, LargeOutputsOfTheSameBitsBecomeOne) {
  const std::vector<float> numbers(40000, 0.5F);
  const Value x = Tensor::Of<float>({2}, {1, 2});
  const Value first = Tensor::Of<float>({200, 200}, numbers);
  const Value second = Tensor::Of<float>({200, 200}, numbers);
  const Value flat = Tensor::Of<float>({40000}, numbers);
  const auto buffer = [](const Value& value) { return value.tensor().buffer().get(); };
  NodesThatRun nodes;
  EXPECT_EQ(buffer(nodes.Run("Exp", x, first)), buffer(first));
  EXPECT_EQ(buffer(nodes.Run("Log", x, second)), buffer(first));
  // Another shape, another layout, a part of more: left as it is.
  EXPECT_EQ(buffer(nodes.Run("Abs", x, flat)), buffer(flat));
  const Value turned = second.tensor().Strided({200, 200}, {1, 200}, 0);
  EXPECT_EQ(buffer(nodes.Run("Neg", x, turned)), buffer(second));
  std::vector<float> more = numbers;
  more.push_back(0.5F);
  const Value whole = Tensor::Of<float>({40001}, more);
  const Value part = whole.tensor().Strided({200, 200}, {200, 1}, 0);
  EXPECT_EQ(buffer(nodes.Run("Sin", x, part)), buffer(whole));
  // What ran before is handed on as what it has become.
  EXPECT_EQ(buffer(nodes.Run("Log", x, Value())), buffer(first));
}

TEST(SharedNodes, WhatIsGoneIsNotHandedOn) {
  const Value x = Tensor::Of<float>({2}, {1, 2});
  NodesThatRun nodes;
  nodes.Run("Exp", x, Tensor::Of<float>({200, 200}, std::vector<float>(40000, 0.5F)));
  const Value again = Tensor::Of<float>({200, 200}, std::vector<float>(40000, 0.5F));
  EXPECT_EQ(nodes.Run("Log", x, again).tensor().buffer(), again.tensor().buffer());
  EXPECT_EQ(nodes.Run("Exp", x, again).tensor().buffer(), again.tensor().buffer());
}

TEST(SharedNodes, HoldsWhatOthersComeToLater) {
  const Value x = Tensor::Of<float>({2}, {1, 2});
  const auto made = [] { return Value(Tensor::Of<float>({4}, {1, 2, 3, 4})); };
  for (const int64_t bytes : {int64_t{1} << 20, int64_t{0}}) {
    NodesThatRun nodes;
    const Node& left = nodes.Make("Exp");
    const Node& right = nodes.Make("Exp");
    const Node& second = nodes.Make("Exp");
    NodeMeetings meetings;
    meetings.Add(left, right);
    meetings.Add(left, second);
    nodes.shared().HoldFor(std::move(meetings), bytes);
    std::weak_ptr<Buffer> first = nodes.Run(left, x, made()).tensor().buffer();
    EXPECT_EQ(first.expired(), bytes == 0);
    nodes.Run(right, x, made());
    EXPECT_EQ(nodes.shared().nodes(), bytes == 0 ? 0 : 1);
    EXPECT_EQ(first.expired(), bytes == 0);
    nodes.Run(second, x, made());
    EXPECT_EQ(nodes.shared().nodes(), bytes == 0 ? 0 : 2);
    EXPECT_TRUE(first.expired()) << "after the last of them";
  }
}

TEST(SharedNodes, AttributesAndVersionsTell) {
  constexpr char kSoftmax[] = R"((float[2,4] x) => (float[2,4] y) { y = Softmax<axis = 1>(x) })";
  EXPECT_EQ(CompareCounted(kSoftmax, kSoftmax).shared, 1);
  EXPECT_EQ(CompareCounted(kSoftmax, Replaced(kSoftmax, "= 1", "= -1")).shared, 0);
  EXPECT_EQ(CompareCounted(kSoftmax, Replaced(kSoftmax, "= 1", "= 0")).shared, 0);
}

// In which order a kernel adds may depend on how its inputs lie.
TEST(SharedNodes, LayoutsTell) {
  const Value x = Tensor::Of<float>({8}, {1, 1, 1, 1, 1, 1, 1, 1});
  const auto strided = [&](int64_t stride) {
    return Value(x.tensor().Strided({2, 2}, {stride, 2}, 0));
  };
  const Value y = Tensor::Of<float>({1}, {2});
  NodesThatRun nodes;
  nodes.Run("Exp", strided(3), y);
  nodes.Run("Exp", strided(1), y);
  nodes.Run("Exp", Tensor::Of<float>({2, 2}, {1, 1, 1, 1}), y);
  EXPECT_EQ(nodes.shared().nodes(), 0);
  nodes.Run("Exp", strided(1), y);
  EXPECT_EQ(nodes.shared().nodes(), 1);
}

// What nobody wanted is not there for those who do.
TEST(SharedNodes, OutputsThatAreWantedTell) {
  constexpr char kBoth[] = R"((float[2,4] x) => (float[2,2] v, int64[2,2] i) {
    k = Constant<value_ints = [2]>()
    v, i = TopK(x, k)
  })";
  constexpr char kOne[] = R"((float[2,4] x) => (float[2,2] v, int64[2,2] i) {
    k = Constant<value_ints = [2]>()
    n, i = TopK(x, k)
    v = Neg(n)
  })";
  EXPECT_EQ(CompareCounted(kBoth, kOne).shared, 2);
  const std::string without = Replaced(Replaced(kOne, "n, i", "\"\", i"), "Neg(n)", "Neg(x)");
  EXPECT_EQ(CompareCounted(without, kBoth).shared, 1);
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

// By node of the right: how many steps the left has made, and "later" if the two meet later.
std::vector<std::string> PlanOf(const std::string& left, const std::string& right) {
  const auto side_of = [](const std::string& graph) {
    return SideFedWith(GivenX(), absl::StrCat("g ", graph));
  };
  const std::unique_ptr<ModelSide> ours = side_of(left);
  const std::unique_ptr<ModelSide> theirs = side_of(right);
  const OpRegistry registry = AllOperators();
  NodeFactsCache facts(registry);
  FingerprintCache fingerprints;
  const LockStep plan = PlanLockStep({ours.get(), theirs.get()}, &facts, &fingerprints, nullptr);
  std::vector<std::string> texts;
  for (size_t i = 0; i < plan.left_before.size(); ++i) {
    const Node& node = theirs->evaluator()->model().graph.nodes[i];
    texts.push_back(absl::StrCat(node.outputs[0],
                                 plan.meetings.Of(node).has_value() ? " later " : " ",
                                 plan.left_before[i]));
  }
  return texts;
}

TEST(LockStep, AsManyAsPossibleComeRightAfterTheirLike) {
  // The product of matrices is worth more than the two that come before it here and after it there.
  EXPECT_EQ(PlanOf(R"((float[2,4] x) => (float[2,2] y) {
    t = Transpose(x)
    m = MatMul(x, t)
    a = Exp(x)
    b = ReduceSum<keepdims = 0>(a)
    y = Add(m, b)
  })",
                   R"((float[2,4] x) => (float[2,2] y) {
    a = Exp(x)
    b = ReduceSum<keepdims = 0>(a)
    t = Transpose(x)
    m = MatMul(x, t)
    y = Add(m, b)
  })"),
            (std::vector<std::string>{"a later 0", "b later 0", "t 1", "m 2", "y 5"}));
}

TEST(LockStep, NamesTellWhereTheRoadsDiffer) {
  EXPECT_EQ(PlanOf(R"((float[2,4] x) => (float[2,4] y) {
    a = Exp(x)
    b = Tanh(a)
    c = Sqrt(b)
    y = Neg(c)
  })",
                   R"((float[2,4] x) => (float[2,4] y) {
    x1 = Neg(x)
    x2 = Neg(x1)
    a = Exp(x2)
    c1 = Tanh(a)
    c = Sqrt(c1)
    y = Neg(c)
  })"),
            (std::vector<std::string>{"x1 0", "x2 0", "a 1", "c1 2", "c 3", "y 4"}));
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
