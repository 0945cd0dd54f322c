#include "compare/inside/made_of_constants.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::RandomFloats;

Tensor Table(int rows, int columns, const std::function<double(int, int)>& of) {
  std::vector<float> elements;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) elements.push_back(static_cast<float>(of(i, j)));
  }
  return Tensor::Of<float>({rows, columns}, elements);
}

Tensor Wave(int size, double offset, double factor) {
  return Table(1, size, [&](int, int j) { return offset + factor * std::cos(0.39269908 * j); });
}

TEST(FollowsFromPlacesTest, RangesMasksWindows) {
  EXPECT_TRUE(FollowsFromPlaces(Table(4, 4, [](int, int) { return -1e4; })));
  EXPECT_TRUE(FollowsFromPlaces(Table(1, 10, [](int, int j) { return j; })));
  EXPECT_TRUE(FollowsFromPlaces(Table(6, 10, [](int i, int j) { return j / 9.0 - i; })));
  EXPECT_TRUE(FollowsFromPlaces(Table(1, 12, [](int, int j) { return std::pow(10, -j / 12.0); })));
  EXPECT_TRUE(FollowsFromPlaces(Table(5, 5, [](int i, int j) { return i == j ? 1 : 0; })));
  EXPECT_TRUE(FollowsFromPlaces(Table(5, 7, [](int i, int j) { return j <= i ? 1 : 0; })));
  EXPECT_TRUE(FollowsFromPlaces(Wave(16, 0.5, -0.5)));
  EXPECT_TRUE(FollowsFromPlaces(
      Table(1, 20, [](int, int j) { return std::exp(-0.1 * (j - 9.5) * (j - 9.5)); })));
}

TEST(FollowsFromPlacesTest, NothingElse) {
  EXPECT_FALSE(FollowsFromPlaces(RandomFloats({4, 4}, 1)));
  EXPECT_FALSE(FollowsFromPlaces(RandomFloats({1, 12}, 2)));
  const Tensor row = RandomFloats({1, 8}, 3);
  EXPECT_FALSE(FollowsFromPlaces(Table(6, 8, [&](int, int j) { return row.data<float>()[j]; })));
  EXPECT_FALSE(FollowsFromPlaces(Table(1, 12, [](int, int j) { return j == 7 ? 1 : 0; })));
}

TEST(LeadsToConstantTest, FunctionsAndParts) {
  const Tensor places = Table(16, 4, [](int i, int j) { return i * std::pow(10, -j); });
  const Tensor sine = Table(16, 4, [](int i, int j) { return std::sin(i * std::pow(10, -j)); });
  const Tensor table = Table(16, 8, [](int i, int j) {
    const double x = i * std::pow(10, -j / 2);
    return j % 2 == 0 ? std::sin(x) : std::cos(x);
  });
  EXPECT_TRUE(LeadsToConstant(places, sine));
  EXPECT_TRUE(LeadsToConstant(sine, table));
  EXPECT_FALSE(LeadsToConstant(places, table));
  const Tensor random = RandomFloats({16, 4}, 1);
  const Tensor scaled =
      Table(16, 4, [&](int i, int j) { return 2 - 3 * random.data<float>()[4 * i + j]; });
  EXPECT_TRUE(LeadsToConstant(random, scaled));
  EXPECT_FALSE(LeadsToConstant(random, RandomFloats({16, 4}, 2)));
  // Numbers beside which all others vanish.
  const Tensor great =
      Table(16, 4, [&](int i, int j) { return 1e28 * random.data<float>()[4 * i + j]; });
  EXPECT_FALSE(LeadsToConstant(great, RandomFloats({16, 4}, 2)));
}

TEST(LeadsToConstantTest, TwoNumbersInTheSamePlaces) {
  const auto blocks = [](int i, int j) { return i / 2 == j / 2; };
  const Tensor ones = Table(6, 6, blocks);
  const Tensor mask = Table(6, 6, [&](int i, int j) { return blocks(i, j) ? 0 : -1e4; });
  EXPECT_TRUE(LeadsToConstant(ones, mask));
  EXPECT_FALSE(LeadsToConstant(ones, Table(6, 6, [](int i, int j) { return j <= i ? 0 : -1; })));
}

}  // namespace
}  // namespace onnxcmp
