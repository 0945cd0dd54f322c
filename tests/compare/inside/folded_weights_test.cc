#include "compare/inside/folded_weights.h"

#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/support/load_test.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A layer with a normalization behind it.
std::vector<FoldedWeight> Folded(absl::string_view layer) {
  const auto model = testing::LoadGraph(absl::StrCat(
      R"(g (float[1, 1, 2, 2] x) => (float[1, 2, 2, 2] y)
  <float[2, 1, 1, 1] w = {2, 3}, float[2] s = {4, 1}, float[2] o = {10, 20}, float[2] m = {1, 2},
   float[2] v = {4, 1}, float[2] c = {1, 1}> {
    )",
      layer, R"(
    y = BatchNormalization <epsilon = 0.0> (a, s, o, m, v)
  })"));
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? FoldedWeightsOf((*model)->graph) : std::vector<FoldedWeight>();
}

TEST(FoldedWeightsTest, TheWeightAndTheBiasOfALayer) {
  const std::vector<FoldedWeight> folded = Folded("a = Conv(x, w)");
  ASSERT_THAT(folded, SizeIs(2));
  EXPECT_EQ(folded[0].of, "w");
  EXPECT_THAT(folded[0].value.AsSpan<float>(), ElementsAre(4, 3));
  EXPECT_THAT(folded[1].value.AsSpan<float>(), ElementsAre(8, 18));
  const std::vector<FoldedWeight> with_bias = Folded("a = Conv(x, w, c)");
  ASSERT_THAT(with_bias, SizeIs(2));
  EXPECT_THAT(with_bias[1].value.AsSpan<float>(), ElementsAre(10, 19));
}

TEST(FoldedWeightsTest, NotOfALayerWithOtherReaders) {
  EXPECT_THAT(Folded("a = Conv(x, w) b = Neg(a)"), IsEmpty());
}

}  // namespace
}  // namespace onnxcmp
