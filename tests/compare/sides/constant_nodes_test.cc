// What reads constants alone runs for the first set of inputs only, and no report shows it.
#include "compare/sides/constant_nodes.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "record/base/timings.h"
#include "reports/render_json.h"
#include "tests/support/model_pair.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;

// Two of five nodes read constants alone.
constexpr char kDequantized[] = R"(g (float[2,4] x) => (float[2,4] y)
    <int8[4] w = {1, 2, -3, 4}, float scale = {0.5}, int8 zero = {1}> {
  d = DequantizeLinear(w, scale, zero)
  e = Exp(d)
  a = Mul(x, e)
  c = Tanh(a)
  y = Add(c, c)
})";

class ConstantNodesTest : public ::testing::Test {
 protected:
  struct Set {
    int64_t shared = 0;
    std::string report;
  };

  // The right scales otherwise.
  std::vector<Set> CompareSets(const std::string& left, const std::string& right, bool remember,
                               int64_t keep_values = int64_t{1} << 20) {
    SeenConstants seen(/*letters=*/true);
    std::vector<Set> sets;
    const auto ours = SideFedWith(Tensor::Of<float>({2, 4}, {0, 0, 0, 0, 0, 0, 0, 0}), left);
    const auto theirs = SideFedWith(Tensor::Of<float>({2, 4}, {0, 0, 0, 0, 0, 0, 0, 0}), right);
    for (const float first : {1.0F, 2.0F, 3.0F}) {
      const Tensor x = Tensor::Of<float>({2, 4}, {first, 2, 3, 4, 5, 6, 7, 8});
      ours->SetFeeds({{"x", x}});
      theirs->SetFeeds({{"x", x}});
      Timings timings;
      CompareOptions options;
      options.threads = 1;
      options.keep_values = keep_values;
      options.timings = &timings;
      if (remember) options.seen = &seen;
      const absl::StatusOr<Comparison> comparison = Compare(*ours, *theirs, options);
      EXPECT_TRUE(comparison.ok()) << comparison.status();
      if (!comparison.ok()) return sets;
      sets.push_back({timings.shared, RenderJson(*comparison)});
    }
    return sets;
  }

  // How many nodes of each set did not run.
  std::vector<int64_t> Shared(const std::string& left, const std::string& right,
                              int64_t keep_values = int64_t{1} << 20) {
    const std::vector<Set> remembered = CompareSets(left, right, true, keep_values);
    const std::vector<Set> alone = CompareSets(left, right, false, keep_values);
    std::vector<int64_t> shared;
    for (size_t i = 0; i < remembered.size(); ++i) {
      EXPECT_EQ(remembered[i].report, alone[i].report) << i;
      shared.push_back(remembered[i].shared);
    }
    return shared;
  }
};

TEST_F(ConstantNodesTest, RunForTheFirstSetAlone) {
  // With another scale the right has constants of its own.
  const std::string right = absl::StrReplaceAll(kDequantized, {{"0.5", "0.25"}});
  EXPECT_THAT(Shared(kDequantized, right), ElementsAre(0, 4, 4));
}

TEST_F(ConstantNodesTest, RunAgainWhereTheyDoNotFit) {
  const std::string right = absl::StrReplaceAll(kDequantized, {{"0.5", "0.25"}});
  EXPECT_THAT(Shared(kDequantized, right, /*keep_values=*/0), ElementsAre(0, 0, 0));
}

// What draws random numbers is no constant, nor is what reads them.
TEST_F(ConstantNodesTest, RandomNumbersAreNone) {
  const std::string left =
      absl::StrReplaceAll(kDequantized, {{"e = Exp(d)", "n = RandomNormalLike(d) e = Add(d, n)"}});
  const std::string right = absl::StrReplaceAll(left, {{"0.5", "0.25"}});
  EXPECT_THAT(Shared(left, right), ElementsAre(0, 2, 2));
}

// The values outlive the runs, and are those of their own node.
TEST(ConstantNodes, HoldsAsMuchAsFits) {
  const auto value = [](float number) {
    return Value(Tensor::Of<float>({256}, std::vector<float>(256, number)));
  };
  const auto fingerprint = [](uint64_t number) {
    Fingerprint made;
    made.content = {number, number};
    return made;
  };
  ConstantNodes nodes;
  nodes.HoldUpTo(2500);
  const Hash128 two = {1, 1};
  const Hash128 too_much = {2, 2};
  const Hash128 not_worth = {3, 3};
  const std::vector<Value> pair = {value(1), Value(), value(2)};
  nodes.Add(two, pair, {fingerprint(1), {}, fingerprint(2)}, true);
  nodes.Add(too_much, {value(3)}, {fingerprint(3)}, true);
  nodes.Add(not_worth, {value(4)}, {fingerprint(4)}, false);
  const std::optional<std::vector<Value>> held = nodes.Outputs(two);
  ASSERT_TRUE(held.has_value());
  ASSERT_EQ(held->size(), 3U);
  EXPECT_EQ((*held)[0].tensor().AsSpan<float>()[7], 1);
  EXPECT_TRUE((*held)[1].empty());
  EXPECT_EQ((*held)[2].tensor().AsSpan<float>()[7], 2);
  EXPECT_FALSE(nodes.Outputs(too_much).has_value());
  EXPECT_FALSE(nodes.Outputs(not_worth).has_value());
  EXPECT_EQ(nodes.Fingerprints(too_much)->front().content, fingerprint(3).content);
  EXPECT_EQ(nodes.Fingerprints({9, 9}), nullptr);
  EXPECT_TRUE(nodes.IsConstant(fingerprint(3).content));
  EXPECT_FALSE(nodes.IsConstant(fingerprint(5).content));
}

}  // namespace
}  // namespace onnxcmp::testing
