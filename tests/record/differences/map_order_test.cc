#include "record/differences/map_order.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/differences/value_difference.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;

template <typename K, typename V>
Map MapOf(const std::vector<K>& keys, const std::vector<V>& values) {
  const auto count = static_cast<int64_t>(keys.size());
  return {.keys = Tensor::Of<K>({count}, keys),
          .values = std::make_shared<const Value>(Tensor::Of<V>({count}, values))};
}

TEST(MapOrder, KeysAscendWithTheirValues) {
  const Map sorted = SortedByKey(MapOf<int64_t, float>({5, -2, 3}, {0.5F, 0.2F, 0.3F}));
  EXPECT_THAT(sorted.keys.AsSpan<int64_t>(), ElementsAre(-2, 3, 5));
  EXPECT_THAT(sorted.values->tensor().AsSpan<float>(), ElementsAre(0.2F, 0.3F, 0.5F));
}

TEST(MapOrder, TextsAndSequences) {
  Sequence parts;
  for (const std::vector<float>& part : {std::vector<float>{1}, std::vector<float>{2, 3}}) {
    parts.elements.emplace_back(Tensor::Of<float>({static_cast<int64_t>(part.size())}, part));
  }
  const Map sorted =
      SortedByKey({.keys = Tensor::Of<std::string>({2}, {"b", "a"}),
                   .values = std::make_shared<const Value>(Value(std::move(parts)))});
  EXPECT_THAT(sorted.keys.AsSpan<std::string>(), ElementsAre("a", "b"));
  EXPECT_EQ(sorted.values->sequence().elements[0].tensor().num_elements(), 2);
}

TEST(MapOrder, OneOrderIsAsGoodAsAnother) {
  const auto bits = [](const Map& map) { return FingerprintOf(Value(map)).bits; };
  const Map left = MapOf<std::string, int64_t>({"x", "y"}, {1, 2});
  EXPECT_EQ(bits(left), bits(MapOf<std::string, int64_t>({"y", "x"}, {2, 1})));
  EXPECT_NE(bits(left), bits(MapOf<std::string, int64_t>({"y", "x"}, {1, 2})));
}

TEST(MapOrder, DamagedOnesStayAsTheyAre) {
  Map damaged = MapOf<int64_t, float>({2, 1}, {1.0F, 2.0F});
  damaged.values = std::make_shared<const Value>(Tensor::Of<float>({3}, {1, 2, 3}));
  EXPECT_THAT(SortedByKey(damaged).keys.AsSpan<int64_t>(), ElementsAre(2, 1));
}

TEST(MapOrder, MapsOfRowsAreAMatrix) {
  Sequence rows;
  rows.elements.emplace_back(MapOf<std::string, float>({"b", "a"}, {1, 2}));
  rows.elements.emplace_back(MapOf<std::string, float>({"b", "a"}, {3, 4}));
  const Tensor matrix = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(DifferenceOf(matrix, rows, {}, /*floats_by_value=*/true).agree());
  EXPECT_TRUE(DifferenceOf(rows, matrix, {}, /*floats_by_value=*/true).agree());
  EXPECT_EQ(DifferenceOf(matrix, rows, {}).reason, "type float[2,2] | seq(map(string)[2])[2]");
  const Tensor other = Tensor::Of<float>({2, 2}, {1, 2, 3, 5});
  EXPECT_EQ(DifferenceOf(other, rows, {}, /*floats_by_value=*/true).max_absolute_at, "[1,1]");
  rows.elements.emplace_back(MapOf<std::string, float>({"b"}, {5}));
  EXPECT_FALSE(TableOfMaps(rows).has_value());
  EXPECT_FALSE(DifferenceOf(matrix, rows, {}, /*floats_by_value=*/true).agree());
}

}  // namespace
}  // namespace onnxcmp
