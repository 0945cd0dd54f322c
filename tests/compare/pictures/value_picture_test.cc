// What a reader sees of two values that differ.
#include "compare/pictures/value_picture.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"
#include "record/differences/tensor_difference.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

std::shared_ptr<const ValuePicture> Picture(const Tensor& left, const Tensor& right,
                                            double rtol = 0) {
  DifferenceOptions options;
  options.tolerance = Tolerance{.rtol = rtol};
  return PictureOf(left, right, TensorDifferenceOf(left, right, options));
}

// Zeros, but for these elements.
struct Element {
  int64_t at;
  float value;
};
Tensor Sparse(const std::vector<int64_t>& shape, const std::vector<Element>& elements) {
  int64_t size = 1;
  for (const int64_t dim : shape) size *= dim;
  std::vector<float> values(static_cast<size_t>(size));
  for (const Element& element : elements) values[static_cast<size_t>(element.at)] = element.value;
  return Tensor::Of<float>(shape, values);
}

TEST(DecadeCounterTest, CountsByTheSizeOfTheDifference) {
  DecadeCounter counter;
  counter.Add(1, 1);
  counter.Add(kNoNumber, kNoNumber);
  counter.Add(1, kNoNumber);
  counter.Add(kUnbounded, -kUnbounded);
  counter.Add(0, 0.5);
  counter.Add(0, -0.25);
  counter.Add(0, 30);
  counter.Add(0, 1e-300);
  EXPECT_EQ(counter.equal(), 2);
  EXPECT_EQ(counter.not_finite(), 2);
  const std::vector<DecadeCount> decades = counter.decades();
  ASSERT_THAT(decades, SizeIs(3));
  EXPECT_EQ(decades[0].decade, 1);
  EXPECT_EQ(decades[1].decade, -1);
  EXPECT_EQ(decades[1].elements, 2);
  EXPECT_EQ(decades[2].decade, -20);
}

// At their ends, where a binary exponent alone does not tell.
TEST(DecadeCounterTest, KnowsEachDecade) {
  for (int decade = -20; decade <= 307; ++decade) {
    const double power = std::pow(10.0, decade);
    for (const double difference :
         {power, 2 * power, 9.99 * power, std::nextafter(10 * power, 0)}) {
      DecadeCounter counter;
      counter.Add(0, difference);
      ASSERT_THAT(counter.decades(), SizeIs(1));
      EXPECT_EQ(counter.decades()[0].decade,
                difference < std::pow(10.0, decade + 1) ? decade : decade + 1);
    }
  }
}

TEST(ValuePictureTest, SmallTensorsAreThereWhole) {
  const Tensor left = Tensor::Of<float>({2, 2}, {1, 2, 3, NAN});
  const Tensor right = Tensor::Of<float>({2, 2}, {1, 2.5, 3, 4});
  const auto picture = Picture(left, right);
  ASSERT_NE(picture, nullptr);
  EXPECT_TRUE(picture->whole());
  ASSERT_THAT(picture->slices, SizeIs(1));
  EXPECT_EQ(picture->slices[0].at, "");
  EXPECT_THAT(picture->slices[0].right, ElementsAre(1, 2.5, 3, 4));
  EXPECT_TRUE(std::isnan(picture->slices[0].left[3]));
  EXPECT_EQ(picture->equal, 2);
  EXPECT_EQ(picture->not_finite, 1);
}

TEST(ValuePictureTest, TheFarthestElementIsInTheFirstSlice) {
  const std::vector<int64_t> shape = {7, 100, 90};
  const int64_t farthest = (5 * 100 + 99) * 90 + 89;
  const auto picture = Picture(Sparse(shape, {}), Sparse(shape, {{farthest, 2}, {1, 1}}));
  ASSERT_NE(picture, nullptr);
  EXPECT_FALSE(picture->whole());
  EXPECT_EQ(picture->all_slices, 7);
  ASSERT_THAT(picture->slices, SizeIs(3));
  EXPECT_EQ(picture->slices[0].at, "[5]");
  EXPECT_EQ(picture->slices[0].right.back(), 2);
  EXPECT_EQ(picture->slices[1].at, "[0]");
  EXPECT_EQ(picture->slices[1].right[0], 1);
  EXPECT_LE(picture->slices[0].left.size(), 1024U);
}

// However many elements a cell stands for, none that differs is lost between those that do not.
TEST(ValuePictureTest, ACellIsThePairThatIsFarthestApart) {
  const std::vector<int64_t> shape = {160, 160};
  for (const int64_t at :
       {int64_t{0}, int64_t{4 * 160 + 3}, int64_t{5 * 160}, int64_t{159 * 160}}) {
    // One is the farthest of all, the other is in a corner of another cell.
    const int64_t other = 80 * 160 + 84;
    const Tensor right = Sparse(shape, {{at, 1}, {at + 1, 0.5}, {other, 0.25}});
    const auto picture = Picture(Sparse(shape, {}), right);
    ASSERT_NE(picture, nullptr);
    const int64_t cell = at / 160 / 5 * 32 + at % 160 / 5;
    EXPECT_EQ(picture->slices[0].right[static_cast<size_t>(cell)], 1) << at;
    EXPECT_EQ(picture->slices[0].left[static_cast<size_t>(cell)], 0);
    EXPECT_EQ(picture->slices[0].right[16 * 32 + 16], 0.25) << at;
  }
}

TEST(ValuePictureTest, LongVectorsAndColumnsHaveAsManyCellsAsMatrices) {
  auto picture = Picture(Sparse({5000}, {}), Sparse({5000}, {{4999, 1}}));
  ASSERT_NE(picture, nullptr);
  EXPECT_EQ(picture->cell_rows, 1);
  EXPECT_EQ(picture->cell_columns, 1024);
  EXPECT_EQ(picture->slices[0].right.back(), 1);
  picture = Picture(Sparse({5000, 1}, {}), Sparse({5000, 1}, {{4999, 1}}));
  ASSERT_NE(picture, nullptr);
  EXPECT_EQ(picture->cell_rows, 1024);
  EXPECT_EQ(picture->slices[0].right.back(), 1);
}

TEST(ValuePictureTest, OfLargeTensorsSomeAreLookedAtAndTheFarthestInAnyCase) {
  const std::vector<int64_t> shape = {2, 1500, 1000};
  const int64_t farthest = (1 * 1500 + 701) * 1000 + 333;
  const auto picture = Picture(Sparse(shape, {}), Sparse(shape, {{farthest, 3}}));
  ASSERT_NE(picture, nullptr);
  EXPECT_LT(picture->counted, picture->elements);
  EXPECT_EQ(picture->slices[0].at, "[1]");
  const size_t cell = 701 * 32 / 1500 * 32 + 333 * 32 / 1000;
  EXPECT_EQ(picture->slices[0].right[cell], 3);
}

TEST(ValuePictureTest, ThereIsNoneOfWhatHasNoNumbers) {
  const Tensor text = Tensor::Of<std::string>({1}, {"a"});
  const Tensor other = Tensor::Of<std::string>({1}, {"b"});
  EXPECT_EQ(Picture(text, other), nullptr);
  EXPECT_EQ(Picture(Sparse({0}, {}), Sparse({0}, {})), nullptr);
  EXPECT_EQ(Picture(Sparse({2}, {}), Sparse({3}, {})), nullptr);
}

TEST(ValuePictureTest, PairsThatAgreeTakeLess) {
  const Tensor left = Sparse({4, 8, 2048}, {{40'000, 1}});
  const auto near = Picture(left, Sparse({4, 8, 2048}, {{40'000, 1 + 1e-6F}}), 1e-4);
  const auto far = Picture(left, Sparse({4, 8, 2048}, {{40'000, 2}}), 1e-4);
  EXPECT_LT(near->counted, far->counted);
  ASSERT_THAT(near->slices, SizeIs(2));
  EXPECT_THAT(far->slices, SizeIs(3));
  // The farthest pair is in it all the same.
  EXPECT_EQ(near->slices[0].at, "[2]");
  EXPECT_NE(near->slices[0].left, near->slices[0].right);
}

TEST(PictureAlbumTest, IsFullAtSomePoint) {
  const Tensor left = Sparse({40, 40}, {});
  const Tensor right = Sparse({40, 40}, {{7, 1}});
  const TensorDifference difference = TensorDifferenceOf(left, right, DifferenceOptions());
  PictureAlbum album(20'000);
  EXPECT_NE(album.Take(left, right, difference), nullptr);
  EXPECT_NE(album.Take(left, right, difference), nullptr);
  EXPECT_EQ(album.Take(left, right, difference), nullptr);
  EXPECT_EQ(PictureAlbum(0).Take(left, right, difference), nullptr);
}

}  // namespace
}  // namespace onnxcmp
