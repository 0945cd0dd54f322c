// A side that is fed more positions than the other is compared where both have some.
#include "compare/sides/counted_parts.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/tensor.h"
#include "feed/longer_inputs.h"
#include "record/base/per_side.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Attention to rows that a mask is added for.
std::string Attention(const std::string& masked) {
  return absl::StrCat(R"((float[1,2] q, float[n,2] kv, float[1,n] mask)
      => (float[1,2] y, float[n,2] k) <float two = {2}> {
    k = Mul (kv, two)
    t = Transpose (k)
    s = MatMul (q, t)
    m = Add (s, mask)
    p = Softmax ()",
                      masked, R"()
    y = MatMul (p, k)
  })");
}

struct LongerFeeds {
  PerSide<Feeds> feeds;
  std::vector<LongerInput> longer;
};

// Three rows on the left; on the right others before or behind them, which the mask hides.
LongerFeeds RowsOfBoth(bool at_end) {
  const std::vector<float> rows = {1, 2, -1, 0.5, 3, -2};
  const std::vector<float> others = {7, -8, 9, 4};
  std::vector<float> all = at_end ? others : rows;
  const std::vector<float>& rest = at_end ? rows : others;
  all.insert(all.end(), rest.begin(), rest.end());
  const Tensor q = Tensor::Of<float>({1, 2}, {0.3F, -0.2F});
  const Tensor mask = at_end ? Tensor::Of<float>({1, 5}, {-1e9F, -1e9F, 0, 0, 0})
                             : Tensor::Of<float>({1, 5}, {0, 0, 0, -1e9F, -1e9F});
  LongerFeeds fed;
  fed.feeds.left = {{"q", q},
                    {"kv", Tensor::Of<float>({3, 2}, rows)},
                    {"mask", Tensor::Of<float>({1, 3}, {0, 0, 0})}};
  fed.feeds.right = {{"q", q}, {"kv", Tensor::Of<float>({5, 2}, all)}, {"mask", mask}};
  for (const char* const name : {"kv", "mask"}) {
    const auto longer =
        FindLonger(fed.feeds.left.at(name).tensor(), fed.feeds.right.at(name).tensor(), name);
    if (longer.has_value()) fed.longer.push_back(*longer);
  }
  return fed;
}

absl::StatusOr<Comparison> CompareLonger(const std::string& right, bool at_end, bool exchanged) {
  LongerFeeds fed = RowsOfBoth(at_end);
  if (exchanged) {
    std::swap(fed.feeds.left, fed.feeds.right);
    for (LongerInput& input : fed.longer) input.side = Other(input.side);
  }
  CompareOptions options;
  options.longer = fed.longer;
  return testing::CompareGraphs(Attention("m"), right, fed.feeds.left, fed.feeds.right, options);
}

TEST(CountedParts, TheRestDoesNotCount) {
  for (const bool at_end : {false, true}) {
    for (const bool exchanged : {false, true}) {
      const auto comparison = CompareLonger(Attention("m"), at_end, exchanged);
      ASSERT_TRUE(comparison.ok()) << comparison.status();
      EXPECT_EQ(comparison->verdict(), Verdict::kSame) << at_end << exchanged;
      EXPECT_THAT(comparison->causes, IsEmpty());
    }
  }
}

// Without the mask, what lies behind the rows counts, and what reads it is right.
TEST(CountedParts, AMaskThatIsDroppedIsTheCause) {
  for (const bool at_end : {false, true}) {
    const auto comparison = CompareLonger(Attention("s"), at_end, /*exchanged=*/false);
    ASSERT_TRUE(comparison.ok()) << comparison.status();
    EXPECT_EQ(comparison->verdict(), Verdict::kDifferent);
    EXPECT_THAT(testing::NamesOfWrong(*comparison), ElementsAre("p")) << at_end;
  }
}

TEST(CountedParts, AFaultInThePartThatCountsIsFound) {
  const std::string wrong = testing::Replaced(Attention("m"), "two = {2}", "two = {2.5}");
  const auto comparison = CompareLonger(wrong, /*at_end=*/false, /*exchanged=*/false);
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->verdict(), Verdict::kDifferent);
  EXPECT_THAT(testing::NamesOfWrong(*comparison), ElementsAre("two"));
}

TEST(FindLongerTest, InputsAgreeOnPlacesOrAreRefused) {
  const Tensor part = Tensor::Of<int64_t>({1, 2}, {1, 1});
  const auto first = FindLonger(part, Tensor::Of<int64_t>({1, 4}, {1, 1, 0, 0}), "a");
  const auto last = FindLonger(part, Tensor::Of<int64_t>({1, 4}, {0, 0, 1, 1}), "b");
  const auto any = FindLonger(Tensor::Of<int32_t>({1, 4}, {1, 1, 1, 1}), part, "c");
  ASSERT_TRUE(first.has_value() && last.has_value() && any.has_value());
  EXPECT_EQ(AreLast({*first, *any}), false);
  EXPECT_EQ(AreLast({*any, *last}), true);
  EXPECT_FALSE(AreLast({*first, *last}).has_value());
  EXPECT_EQ(any->side, SideId::kLeft);
  EXPECT_THAT(any->sizes, ElementsAre(4));
  EXPECT_FALSE(FindLonger(part, Tensor::Of<int64_t>({1, 4}, {1, 2, 0, 1}), "d").has_value());
  EXPECT_FALSE(FindLonger(part, Tensor::Of<int64_t>({4}, {1, 1, 0, 0}), "e").has_value());
  EXPECT_FALSE(FindLonger(Tensor::Of<int64_t>({2, 1}, {1, 1}), part, "f").has_value());
}

}  // namespace
}  // namespace onnxcmp
