#include "feed/made_up/made_up_values.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
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
  made.purpose = std::move(purpose);
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
  const std::vector<double> mask = Numbers(DType::kBool, {3, 5001}, For(MaskPurpose()));
  for (auto row = mask.begin(); row < mask.end(); row += 5001) {
    EXPECT_EQ(row[0], 1);
    EXPECT_EQ(row[5000], 0);
  }
}

// Rows of a mask as text: "1110".
std::vector<std::string> MaskRowsOf(const Shape& shape, Regime regime, int set) {
  const std::vector<double> mask =
      Numbers(DType::kInt64, shape, For(MaskPurpose()), std::nullopt, regime, set);
  std::vector<std::string> rows;
  const auto length = static_cast<size_t>(shape[1]);
  for (size_t i = 0; i < mask.size(); ++i) {
    if (i % length == 0) rows.emplace_back();
    rows.back() += mask[i] == 1 ? '1' : '0';
  }
  return rows;
}

TEST(ValueMakerTest, MasksEndInZerosAtFirstAndAreNeverEmpty) {
  for (const Regime regime : {Regime::kUsual, Regime::kEnds, Regime::kZeros}) {
    std::set<int64_t> counts;
    for (const std::string& row : MaskRowsOf({4, 12}, regime, 0)) {
      EXPECT_EQ(row[0], '1');
      EXPECT_TRUE(std::is_sorted(row.begin(), row.end(), std::greater<>())) << row;
      counts.insert(std::count(row.begin(), row.end(), '1'));
    }
    if (regime == Regime::kUsual) {
      EXPECT_GT(counts.size(), 1u);
      EXPECT_LT(*counts.begin(), 12);
    }
  }
}

TEST(ValueMakerTest, MasksOfFurtherSetsBeginWithZerosAndHaveHoles) {
  bool ends = false;
  bool begins = false;
  bool hole = false;
  for (int set = 1; set < 4; ++set) {
    for (const std::string& row : MaskRowsOf({3, 12}, Regime::kUsual, set)) {
      const size_t first = row.find('1');
      const size_t last = row.rfind('1');
      ASSERT_NE(first, std::string::npos);
      const bool is_hole = row.substr(first, last - first).find('0') != std::string::npos;
      begins |= first > 0;
      ends |= last + 1 < row.size();
      hole |= is_hole;
      EXPECT_TRUE(set != 1 || (first > 0 && is_hole)) << row;
    }
  }
  EXPECT_TRUE(ends && begins && hole);
  for (const int64_t length : {2, 3}) {
    for (int set = 0; set < 4; ++set) {
      for (const std::string& row : MaskRowsOf({3, length}, Regime::kUsual, set)) {
        EXPECT_NE(row.find('1'), std::string::npos) << length << " " << set;
      }
    }
  }
}

TEST(ValueMakerTest, WhatIsRareComesUpInOneSet) {
  InputPurpose purpose = For(NumberPurpose());
  purpose.missing = {std::nan(""), -999};
  const auto count = [&](int set) {
    const std::vector<double> numbers =
        Numbers(DType::kFloat, {100}, purpose, std::nullopt, Regime::kUsual, set);
    return std::count_if(numbers.begin(), numbers.end(),
                         [](double v) { return std::isnan(v) || v == -999; });
  };
  EXPECT_EQ(count(0), 0);
  EXPECT_GT(count(2), 5);
  EXPECT_LT(count(2), 60);
  const auto negative = [&](const InputPurpose& ids, int set) {
    const std::vector<double> numbers = Numbers(DType::kInt64, {100}, ids, 7, Regime::kUsual, set);
    EXPECT_GE(*std::min_element(numbers.begin(), numbers.end()), -7);
    return std::count_if(numbers.begin(), numbers.end(), [](double v) { return v < 0; });
  };
  InputPurpose ids = For(IdPurpose());
  EXPECT_EQ(negative(ids, 0), 0);
  EXPECT_GT(negative(ids, 2), 5);
  ids.not_negative = true;
  EXPECT_EQ(negative(ids, 2), 0);
}

TEST(ValueMakerTest, RowsThatDifferAreAmongTheIds) {
  const InputPurpose ids = For(IdPurpose{.rows_that_differ = {1234, 4321}});
  for (int set = 0; set < 4; ++set) {
    const std::vector<double> numbers =
        Numbers(DType::kInt64, {2, 16}, ids, 5000, Regime::kUsual, set);
    // Some count from the table's end.
    for (const double row : {1234, 4321}) {
      EXPECT_TRUE(std::any_of(numbers.begin(), numbers.end(), [&](double id) {
        return id == row || id == row - 5000;
      })) << set;
    }
  }
}

TEST(ValueMakerTest, QuantizedInputsStayWithinTheirRange) {
  InputPurpose purpose = For(NumberPurpose());
  purpose.range = {-0.1, 0.3};
  const std::vector<double> numbers = Numbers(DType::kFloat, {400}, purpose);
  const auto [least, greatest] = std::minmax_element(numbers.begin(), numbers.end());
  EXPECT_GE(*least, -0.1001);
  EXPECT_LE(*greatest, 0.3001);
  EXPECT_GT(*greatest - *least, 0.2);
}

TEST(ValueMakerTest, IntegersGoFarInSetsOfLargeNumbers) {
  const auto largest = [](DType dtype, Regime regime) {
    const std::vector<double> numbers =
        Numbers(dtype, {200}, {}, std::nullopt, regime, regime == Regime::kUsual ? 0 : 3);
    return *std::max_element(numbers.begin(), numbers.end());
  };
  EXPECT_LE(largest(DType::kInt64, Regime::kUsual), 9);
  EXPECT_GT(largest(DType::kInt64, Regime::kWhole), 1e8);
  EXPECT_GT(largest(DType::kInt64, Regime::kLarge), 1e11);
  EXPECT_LT(largest(DType::kInt32, Regime::kLarge), 2147483648.0);
}

TEST(ValueMakerTest, IdsPositionsAndLengthsStayWithin) {
  for (int regime = 0; regime < kRegimes; ++regime) {
    const auto in = static_cast<Regime>(regime);
    for (const double id : Numbers(DType::kInt64, {50}, For(IdPurpose()), 5, in)) {
      EXPECT_TRUE(id >= 0 && id < 5) << regime;
    }
    for (const double length : Numbers(DType::kInt32, {50}, For(LengthPurpose()), 5, in)) {
      EXPECT_TRUE(length >= 1 && length <= 5) << regime;
    }
    const std::vector<double> positions =
        Numbers(DType::kInt64, {8}, For(PositionPurpose()), 5, in);
    EXPECT_TRUE(std::is_sorted(positions.begin(), positions.end()));
    EXPECT_LT(positions.back(), 5);
  }
  const std::vector<double> ids = Numbers(DType::kInt64, {200}, For(IdPurpose()), 5);
  EXPECT_EQ(std::set<double>(ids.begin(), ids.end()).size(), 5u);
}

TEST(ValueMakerTest, QuantizedNumbersAreOfTheWholeRange) {
  const std::vector<double> numbers = Numbers(DType::kInt8, {4000}, {});
  EXPECT_LT(*std::min_element(numbers.begin(), numbers.end()), -120);
  EXPECT_GT(*std::max_element(numbers.begin(), numbers.end()), 120);
}

TEST(ValueMakerTest, FeaturesAreAboutTheirThresholds) {
  const InputPurpose purpose = For(FeaturePurpose{.thresholds = {{1, {1000}}}});
  const std::vector<double> numbers = Numbers(DType::kFloat, {200, 2}, purpose);
  int below = 0;
  for (size_t i = 1; i < numbers.size(); i += 2) below += numbers[i] < 1000 ? 1 : 0;
  EXPECT_GT(below, 20);
  EXPECT_LT(below, 180);
}

TEST(ValueMakerTest, TextIsOfKnownWordsAndOthers) {
  InputPurpose purpose = For(TextPurpose());
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
  const auto file = maker.Make(DType::kUint8, {16}, For(ImagePurpose()), std::nullopt);
  ASSERT_TRUE(file.ok()) << file.status();
  const auto image = testing::OpTest("ImageDecoder", 20).Input(*file).Run();
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(image->shape(), (Shape{7, 9, 3}));
}

}  // namespace
}  // namespace onnxcmp
