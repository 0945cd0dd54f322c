// What a region is given, and what it holds.
#include "record/graphs/region.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"
#include "tests/compare/forced_sides.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;

// p is given, though the node that makes q makes it too.
constexpr char kGraph[] = R"((float[4] x) => (float[2] y) {
  p, q = Split<num_outputs = 2>(x)
  n = Neg(q)
  s = Add(p, n)
  y = Sub(s, n)
})";

class RegionTest : public ::testing::Test {
 protected:
  // y, if x and p are given; p as 10, 20.
  Value Run(std::vector<std::string>* asked) const {
    const SideGraph& graph = sides_.right_graph();
    const int x = sides_.Right("x");
    const int p = sides_.Right("p");
    const Region region =
        RegionOf(graph, sides_.Right("y"), [&](int r) { return r == x || r == p; });
    return RunRegion(
        graph, region, sides_.Right("y"),
        [&](int r) {
          asked->push_back(graph.result(r).name);
          return r == p ? Value(Tensor::Of<float>({2}, {10, 20}))
                        : Value(Tensor::Of<float>({4}, {1, 2, 3, 4}));
        },
        [](int, const Value& value) { return value; });
  }

  ForcedSides sides_{kGraph, kGraph, Tensor::Of<float>({4}, {1, 2, 3, 4})};
};

TEST_F(RegionTest, WhatIsGivenIsNotMade) {
  std::vector<std::string> asked;
  const Value y = Run(&asked);
  ASSERT_TRUE(y.is_tensor());
  EXPECT_THAT(y.tensor().AsSpan<float>(), ElementsAre(10, 20));
}

TEST_F(RegionTest, EntriesAreAskedForOnceWhenTheyAreRead) {
  std::vector<std::string> asked;
  Run(&asked);
  EXPECT_THAT(asked, ElementsAre("x", "p"));
}

}  // namespace
}  // namespace onnxcmp::testing
