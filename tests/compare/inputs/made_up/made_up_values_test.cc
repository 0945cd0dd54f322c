#include "compare/inputs/made_up/made_up_values.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

std::vector<double> Numbers(DType dtype, const Shape& shape, const InputPurpose& purpose,
                            std::optional<int64_t> limit = std::nullopt,
                            Regime regime = Regime::kUsual, int set = 0) {
  ValueMaker maker(7, regime, set);
  const auto tensor = maker.Make(dtype, shape, purpose, limit);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  if (!tensor.ok()) return {};
  const Tensor doubles = testing::Convert(*tensor, DType::kDouble);
  return {doubles.data<double>(), doubles.data<double>() + doubles.num_elements()};
}

InputPurpose For(Purpose purpose) {
  InputPurpose made;
  made.purpose = purpose;
  return made;
}

TEST(ValueMakerTest, NumbersAreOfBothSigns) {
  const std::vector<double> numbers = Numbers(DType::kFloat, {400}, {});
  EXPECT_GT(std::count_if(numbers.begin(), numbers.end(), [](double v) { return v < 0; }), 100);
  EXPECT_GT(std::count_if(numbers.begin(), numbers.end(), [](double v) { return v > 0; }), 100);
  EXPECT_EQ(std::set<double>(numbers.begin(), numbers.end()).size(), 400u);
  // A scalar is nowhere near 0.
  for (int set = 0; set < 20; ++set) {
    ValueMaker maker(static_cast<uint64_t>(set), Regime::kUsual, set);
    EXPECT_GE(std::abs(maker.Make(DType::kFloat, {}, {}, std::nullopt)->data<float>()[0]), 0.5f);
  }
}

TEST(ValueMakerTest, SeedsDecide) {
  ValueMaker one(1, Regime::kUsual, 0);
  ValueMaker again(1, Regime::kUsual, 0);
  ValueMaker other(2, Regime::kUsual, 0);
  const auto made = one.Make(DType::kFloat, {5}, {}, std::nullopt);
  testing::ExpectSameBits(again.Make(DType::kFloat, {5}, {}, std::nullopt), *made);
  EXPECT_NE(other.Make(DType::kFloat, {5}, {}, std::nullopt)->data<float>()[0],
            made->data<float>()[0]);
}

TEST(ValueMakerTest, LargeTensorsAreFilledToTheirEnds) {
  // Elements are stored some at a time: of each part some, two to a byte as well.
  for (const DType dtype : {DType::kFloat, DType::kInt4, DType::kInt64, DType::kComplex64}) {
    const std::vector<double> numbers = Numbers(dtype, {3, 5001}, {});
    for (auto part = numbers.begin(); part + 1001 <= numbers.end(); part += 1000) {
      EXPECT_GE(std::set<double>(part, part + 1001).size(), 10u) << part - numbers.begin();
    }
    EXPECT_EQ(numbers.size(), 15003u);
  }
  const std::vector<double> mask = Numbers(DType::kBool, {3, 5001}, For(Purpose::kMask));
  for (auto row = mask.begin(); row < mask.end(); row += 5001) {
    EXPECT_EQ(row[0], 1);
    EXPECT_EQ(row[5000], 0);
  }
}

TEST(ValueMakerTest, MasksEndInZerosAndAreNeverEmpty) {
  for (const Regime regime : {Regime::kUsual, Regime::kEnds, Regime::kZeros}) {
    for (int set = 0; set < 4; ++set) {
      const std::vector<double> mask =
          Numbers(DType::kInt64, {4, 12}, For(Purpose::kMask), std::nullopt, regime, set);
      std::set<int64_t> counts;
      for (size_t row = 0; row < 4; ++row) {
        const auto begin = mask.begin() + static_cast<std::ptrdiff_t>(12 * row);
        const int64_t ones = std::count(begin, begin + 12, 1);
        EXPECT_GE(ones, 1);
        EXPECT_TRUE(std::is_sorted(begin, begin + 12, std::greater<>()));
        counts.insert(ones);
      }
      if (regime == Regime::kUsual) {
        EXPECT_GT(counts.size(), 1u);
        EXPECT_LT(*counts.begin(), 12);
      }
    }
  }
}

TEST(ValueMakerTest, IdsPositionsAndLengthsStayWithin) {
  for (int regime = 0; regime < kRegimes; ++regime) {
    const auto in = static_cast<Regime>(regime);
    for (const double id : Numbers(DType::kInt64, {50}, For(Purpose::kIds), 5, in)) {
      EXPECT_TRUE(id >= 0 && id < 5) << regime;
    }
    for (const double length : Numbers(DType::kInt32, {50}, For(Purpose::kLengths), 5, in)) {
      EXPECT_TRUE(length >= 1 && length <= 5) << regime;
    }
    const std::vector<double> positions =
        Numbers(DType::kInt64, {8}, For(Purpose::kPositions), 5, in);
    EXPECT_TRUE(std::is_sorted(positions.begin(), positions.end()));
    EXPECT_LT(positions.back(), 5);
  }
  const std::vector<double> ids = Numbers(DType::kInt64, {200}, For(Purpose::kIds), 5);
  EXPECT_EQ(std::set<double>(ids.begin(), ids.end()).size(), 5u);
}

TEST(ValueMakerTest, QuantizedNumbersAreOfTheWholeRange) {
  const std::vector<double> numbers = Numbers(DType::kInt8, {4000}, {});
  EXPECT_LT(*std::min_element(numbers.begin(), numbers.end()), -120);
  EXPECT_GT(*std::max_element(numbers.begin(), numbers.end()), 120);
}

TEST(ValueMakerTest, FeaturesAreAboutTheirThresholds) {
  InputPurpose purpose = For(Purpose::kFeatures);
  purpose.thresholds[1] = {1000};
  const std::vector<double> numbers = Numbers(DType::kFloat, {200, 2}, purpose);
  int below = 0;
  for (size_t i = 1; i < numbers.size(); i += 2) below += numbers[i] < 1000 ? 1 : 0;
  EXPECT_GT(below, 20);
  EXPECT_LT(below, 180);
}

TEST(ValueMakerTest, TextIsOfKnownWordsAndOthers) {
  InputPurpose purpose = For(Purpose::kText);
  purpose.words = {"cat", "dog"};
  ValueMaker maker(3, Regime::kUsual, 0);
  const auto tensor = maker.Make(DType::kString, {100}, purpose, std::nullopt);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  const std::set<std::string> words(tensor->string_data(), tensor->string_data() + 100);
  EXPECT_TRUE(words.contains("cat") && words.contains("dog"));
  EXPECT_GT(words.size(), 2u);
}

TEST(ValueMakerTest, ImagesCanBeDecoded) {
  ValueMaker maker(3, Regime::kUsual, 0);
  const auto file = maker.Make(DType::kUint8, {16}, For(Purpose::kImage), std::nullopt);
  ASSERT_TRUE(file.ok()) << file.status();
  const auto image = testing::OpTest("ImageDecoder", 20).Input(*file).Run();
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(image->shape(), (Shape{7, 9, 3}));
}

}  // namespace
}  // namespace onnxcmp
