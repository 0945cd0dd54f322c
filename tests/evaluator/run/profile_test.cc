#include "evaluator/run/profile.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using std::chrono::nanoseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A clock that goes on by one each time that it is asked, so that a node without inner nodes
// takes 1. Counting operations takes 1000, which is the profiler's and nobody's own.
class ProfilerTest : public ::testing::Test {
 protected:
  ProfilerOptions Options() {
    ProfilerOptions options;
    options.clock = [this] { return nanoseconds(++now_); };
    options.operations = [this](const Node& node, absl::Span<const Value>,
                                absl::Span<const Value>) -> std::optional<double> {
      now_ += 1000;
      if (node.op_type == "Neg") return std::nullopt;
      return 10;
    };
    return options;
  }

  int64_t now_ = 0;
};

const NodeProfile& NodeNamed(const Profile& profile, const std::string& name) {
  for (const NodeProfile& node : profile.nodes) {
    if (node.name == name) return node;
  }
  ADD_FAILURE() << "no node " << name;
  static const NodeProfile* const kMissing = new NodeProfile();
  return *kMissing;
}

constexpr char kLoop[] = R"(<ir_version: 9, opset_import: ["": 18]>
  g (float[2] x) => (float[2] z, float[3,2] all)
  <int64 rounds = {3}, bool yes = {1}>
  {
    [before] y = Neg(x)
    [loop] z, all = Loop(rounds, yes, y) <body = b (int64 i, bool c, float[2] v)
      => (bool d, float[2] w, float[2] out) {
        [stay] d = Identity(c)
        [twice] w = Add(v, v)
        [copy] out = Identity(w)
      }>
  })";

TEST_F(ProfilerTest, TellsOwnTimeFromThatOfInnerNodes) {
  Profiler profiler(Options());
  ASSERT_TRUE(RunText(kLoop, {{"x", Tensor::Of<float>({2}, {1, 2})}}, &profiler).ok());
  const Profile& profile = profiler.profile();
  ASSERT_EQ(profile.nodes.size(), 5);

  const NodeProfile& before = NodeNamed(profile, "before");
  EXPECT_EQ(before.op_type, "Neg");
  EXPECT_EQ(before.path, "");
  EXPECT_EQ(before.parent, -1);
  EXPECT_EQ(before.runs, 1);
  EXPECT_EQ(before.own, nanoseconds(1));
  EXPECT_EQ(before.total, nanoseconds(1));
  EXPECT_EQ(before.bytes, 16);
  EXPECT_EQ(before.operations, std::nullopt);

  const NodeProfile& twice = NodeNamed(profile, "twice");
  EXPECT_EQ(twice.path, "loop[*]");
  EXPECT_EQ(profile.nodes[static_cast<size_t>(twice.parent)].name, "loop");
  EXPECT_EQ(twice.runs, 3);
  EXPECT_EQ(twice.own, nanoseconds(3));
  EXPECT_EQ(twice.operations, 30);
  EXPECT_EQ(twice.bytes, 3 * 24);
  EXPECT_THAT(profile.types[static_cast<size_t>(twice.first_types)].inputs,
              ElementsAre("float[2]", "float[2]"));

  // From one of its nine inner nodes to the next the clock is asked once, and before and after
  // them.
  const NodeProfile& loop = NodeNamed(profile, "loop");
  EXPECT_EQ(loop.runs, 1);
  EXPECT_TRUE(loop.has_inner_nodes);
  EXPECT_EQ(loop.own, nanoseconds(10));
  EXPECT_EQ(loop.total, nanoseconds(19));

  nanoseconds own{0};
  for (const NodeProfile& node : profile.nodes) own += node.own;
  EXPECT_EQ(own, before.total + loop.total);
  EXPECT_EQ(profile.duration, own + nanoseconds(1));
  EXPECT_THAT(profile.runs, IsEmpty());
}

TEST_F(ProfilerTest, KeepsEveryRunWithinTheOneAround) {
  ProfilerOptions options = Options();
  options.keep_runs = true;
  Profiler profiler(options);
  ASSERT_TRUE(RunText(kLoop, {{"x", Tensor::Of<float>({2}, {1, 2})}}, &profiler).ok());
  const Profile& profile = profiler.profile();
  ASSERT_EQ(profile.runs.size(), 11);
  const NodeRun& loop = profile.runs.back();
  EXPECT_EQ(profile.nodes[static_cast<size_t>(loop.node)].name, "loop");
  nanoseconds end{0};
  for (size_t i = 1; i + 1 < profile.runs.size(); ++i) {
    const NodeRun& inner = profile.runs[i];
    EXPECT_GT(inner.start, i == 1 ? loop.start : end);
    end = inner.start + inner.duration;
  }
  EXPECT_LT(end, loop.start + loop.duration);
}

// A view moves no bytes.
TEST_F(ProfilerTest, CountsNoBytesOfViews) {
  Profiler profiler(Options());
  ASSERT_TRUE(RunText(R"(<ir_version: 9, opset_import: ["": 18]>
                        g (float[2,3] x) => (float[3,2] y, float[3,2] z) <int64[2] s = {3, 2}>
                        { [view] y = Reshape(x, s) [copy] z = Abs(y) })",
                      {{"x", Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6})}}, &profiler)
                  .ok());
  EXPECT_EQ(NodeNamed(profiler.profile(), "view").bytes, 0);
  EXPECT_EQ(NodeNamed(profiler.profile(), "copy").bytes, 48);
}

// Both branches have a node of the same name; only numbers of iterations are left out.
TEST_F(ProfilerTest, TellsBranchesApart) {
  constexpr char kBranches[] = R"(<ir_version: 9, opset_import: ["": 18]>
    g (bool which, float[2] x) => (float[2] y, float[2] z)
    {
      [pick] y = If(which) <then_branch = t () => (float[2] r) { [n] r = Abs(x) },
                               else_branch = e () => (float[2] r) { [n] r = Neg(x) }>
      other = Not(which)
      z = If(other) <then_branch = t () => (float[2] r) { [m] r = Abs(x) },
                   else_branch = e () => (float[2] r) { [m] r = Neg(x) }>
    })";
  Profiler profiler(Options());
  const auto outputs = RunText(
      kBranches, {{"which", Tensor::Scalar<bool>(true)}, {"x", Tensor::Of<float>({2}, {1, 2})}},
      &profiler);
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ(NodeNamed(profiler.profile(), "n").path, "pick[then_branch]");
  EXPECT_EQ(NodeNamed(profiler.profile(), "m").path, "z[else_branch]");
}

TEST_F(ProfilerTest, ShowsTheNodesOfBodies) {
  Profiler profiler(Options());
  EvaluatorOptions options = {.threads = 1};
  options.expand_functions = true;
  ASSERT_TRUE(RunText(R"(<ir_version: 9, opset_import: ["": 18]>
                        g (float[2] x) => (float[2] y) { [soft] y = Softplus(x) })",
                      {{"x", Tensor::Of<float>({2}, {1, 2})}}, &profiler, options)
                  .ok());
  const NodeProfile& outer = NodeNamed(profiler.profile(), "soft");
  EXPECT_TRUE(outer.has_inner_nodes);
  ASSERT_GT(profiler.profile().nodes.size(), 2);
  EXPECT_EQ(profiler.profile().nodes[1].path, "soft (Softplus)");
  EXPECT_EQ(profiler.profile().nodes[1].parent, 0);
}

}  // namespace
}  // namespace onnxcmp::testing
