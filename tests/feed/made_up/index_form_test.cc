#include "feed/made_up/index_form.h"

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

TEST(IndexFormTest, SumsAndProducts) {
  const IndexForm beyond{1, 5};
  EXPECT_EQ(beyond.IdOf(29), 24);
  EXPECT_EQ(beyond.IdOf(4), std::nullopt);
  EXPECT_EQ(beyond.IdsFor(30), 25);
  const IndexForm rows{8, 0};
  EXPECT_EQ(rows.IdOf(62), 7);
  EXPECT_EQ(rows.IdsFor(64), 8);
}

TEST(IndexFormTest, Quotients) {
  const IndexForm blocks{1.0 / 16, 0};
  EXPECT_EQ(blocks.IdOf(59), 59 * 16);
  EXPECT_EQ(blocks.IdsFor(60), 60 * 16);
}

TEST(IndexFormTest, Remainders) {
  const IndexForm hours{1.0 / 3600, 0, 24};
  EXPECT_EQ(hours.IdOf(23), 23 * 3600);
  EXPECT_EQ(hours.IdsFor(24), 24 * 3600);
  // The week begins on a Thursday.
  const IndexForm days{1.0 / 86400, 4, 7};
  EXPECT_EQ(days.IdOf(6), 2 * 86400);
  EXPECT_EQ(days.IdOf(0), 3 * 86400);
}

TEST(IndexFormTest, PartsOfASum) {
  const IndexForm column{1, 0, 0, IndexForm::Part::kLowDigit, 8};
  EXPECT_EQ(column.IdOf(62), 6);
  EXPECT_EQ(column.IdsFor(64), 8);
  const IndexForm upper{1, 0, 0, IndexForm::Part::kUpperHalf};
  const IndexForm lower{1, 0, 0, IndexForm::Part::kLowerHalf};
  for (const int64_t row : {0, 1, 57}) EXPECT_EQ(*upper.IdOf(row) + *lower.IdOf(row), row);
  // All sums are rows.
  EXPECT_LE(upper.IdsFor(60) - 1 + lower.IdsFor(60) - 1, 59);
}

}  // namespace
}  // namespace onnxcmp
