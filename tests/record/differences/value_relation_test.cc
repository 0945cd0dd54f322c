#include "record/differences/value_relation.h"

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<float> Numbers(size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(count);
  for (float& number : numbers) number = normal(random);
  return numbers;
}

const Shape& Given() {
  static const Shape* const kShape = new Shape{2, 3, 4};
  return *kShape;
}

std::string Of(const std::function<float(float)>& right) {
  const std::vector<float> left = Numbers(24);
  std::vector<float> other;
  for (const float x : left) other.push_back(right(x));
  return RelationText(Tensor::Of<float>(Given(), left), Tensor::Of<float>(Given(), other));
}

// Sixteen roundings of such a type are more than its numbers.
TEST(ValueRelationTest, CoarseTypesAreExact) {
  const Tensor left = Tensor::Of<float>({8}, {1, 2, 1, 4, 1, 2, 0, 1});
  const Tensor one = Tensor::Of<float>({8}, {1, 2, 1, 6, 1, 2, 0, 1});
  const Tensor half = Tensor::Of<float>({8}, {0.5, 1, 0.5, 2, 0.5, 1, 0, 0.5});
  for (const DType dtype : {DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2,
                            DType::kFloat8E5M2FNUZ, DType::kFloat4E2M1, DType::kBfloat16}) {
    const auto in_type = [&](const Tensor& tensor) { return testing::Convert(tensor, dtype); };
    EXPECT_EQ(RelationText(in_type(left), in_type(half)), "right = 0.5 * left");
    EXPECT_EQ(RelationText(in_type(left), in_type(one)), "of 8 elements only [3] differs: 4 | 6");
  }
}

// The right's element at [i, j, k] is the left's at what `from` tells.
std::string Moved(const Shape& shape,
                  const std::function<std::vector<int64_t>(int64_t, int64_t, int64_t)>& from) {
  const std::vector<float> left = Numbers(24);
  std::vector<float> other;
  for (int64_t i = 0; i < shape[0]; ++i) {
    for (int64_t j = 0; j < shape[1]; ++j) {
      for (int64_t k = 0; k < shape[2]; ++k) {
        const std::vector<int64_t> at = from(i, j, k);
        other.push_back(left[static_cast<size_t>((at[0] * 3 + at[1]) * 4 + at[2])]);
      }
    }
  }
  return RelationText(Tensor::Of<float>(Given(), left), Tensor::Of<float>(shape, other));
}

TEST(RelationText, TellsFactorsAndOffsets) {
  EXPECT_EQ(Of([](float x) { return 0.5f * x; }), "right = 0.5 * left");
  EXPECT_EQ(Of([](float x) { return 0.99998f * x; }), "right = 0.99998 * left");
  EXPECT_EQ(Of([](float x) { return -x; }), "right = -left");
  EXPECT_EQ(Of([](float x) { return x + 3; }), "right = left + 3");
  EXPECT_EQ(Of([](float x) { return x - 0.25f; }), "right = left - 0.25");
  EXPECT_EQ(Of([](float x) { return 2 * x + 1; }), "right = 2 * left + 1");
  EXPECT_EQ(Of([](float) { return 0.0f; }), "right = 0");
}

TEST(RelationText, TellsWhatIsDoneToEachElement) {
  EXPECT_EQ(Of([](float x) { return std::max(x, 0.0f); }), "right = max(left, 0)");
  EXPECT_EQ(Of([](float x) { return std::min(x, 0.5f); }), "right = min(left, 0.5)");
  EXPECT_EQ(Of([](float x) { return std::min(std::max(x, -0.3f), 0.3f); }),
            "right = left within [-0.3, 0.3]");
  EXPECT_EQ(Of([](float x) { return std::abs(x); }), "right = |left|");
  EXPECT_EQ(Of([](float x) { return std::floor(x); }), "right = floor(left)");
}

TEST(RelationText, SaysNothingOfWhatHasNoShortRelation) {
  EXPECT_THAT(Of([](float x) { return std::tanh(x); }), IsEmpty());
  EXPECT_THAT(Of([](float x) { return x * x * x; }), IsEmpty());
}

TEST(RelationText, TellsWhereElementsWent) {
  EXPECT_EQ(Moved({3, 2, 4},
                  [](int64_t i, int64_t j, int64_t k) -> std::vector<int64_t> {
                    return {j, i, k};
                  }),
            "right = left with axes 0 and 1 exchanged");
  EXPECT_EQ(Moved({4, 2, 3},
                  [](int64_t i, int64_t j, int64_t k) -> std::vector<int64_t> {
                    return {j, k, i};
                  }),
            "right = left transposed by [2,0,1]");
  EXPECT_EQ(Moved(Given(),
                  [](int64_t i, int64_t j, int64_t k) -> std::vector<int64_t> {
                    return {1 - i, j, k};
                  }),
            "indices 0 and 1 of axis 0 are exchanged");
  EXPECT_EQ(Moved(Given(),
                  [](int64_t i, int64_t j, int64_t k) -> std::vector<int64_t> {
                    return {i, j, 3 - k};
                  }),
            "right = left reversed along axis 2");
  EXPECT_EQ(Moved(Given(),
                  [](int64_t i, int64_t j, int64_t k) -> std::vector<int64_t> {
                    return {i, j, (k + 1) % 4};
                  }),
            "right = left rolled by -1 along axis 2");
  EXPECT_EQ(Moved(Given(),
                  [](int64_t i, int64_t j, int64_t k) -> std::vector<int64_t> {
                    return {i, j, k == 0 ? 0 : k - 1};
                  }),
            "right = left shifted by 1 along axis 2");
  EXPECT_EQ(Moved(Given(),
                  [](int64_t i, int64_t j, int64_t k) -> std::vector<int64_t> {
                    const int64_t flat = (i * 3 + j) * 4 + k;
                    const int64_t other = flat * 7 % 24;
                    return {other / 12, other / 4 % 3, other % 4};
                  }),
            "the same elements in another order");
}

// Flags, labels and one-hot rows are each other's in another order by chance.
TEST(RelationText, TellsNoOrderOfAFewValues) {
  const std::vector<float> one_hot = {1, 0, 0, 0, 1, 0, 0, 1, 0};
  std::vector<float> transposed;
  for (size_t i = 0; i < 9; ++i) transposed.push_back(one_hot[i % 3 * 3 + i / 3]);
  const Tensor left = Tensor::Of<float>({3, 3}, one_hot);
  const Tensor right = Tensor::Of<float>({3, 3}, transposed);
  for (const DType dtype : {DType::kFloat, DType::kBool, DType::kInt8}) {
    const std::string text =
        RelationText(testing::Convert(left, dtype), testing::Convert(right, dtype));
    for (const char* word : {"order", "exchanged", "transposed"}) {
      EXPECT_THAT(text, ::testing::Not(HasSubstr(word)));
    }
  }
}

TEST(RelationText, TellsAFewPlaces) {
  const std::vector<float> left = Numbers(24);
  std::vector<float> one = left;
  one[17] = 5;
  EXPECT_THAT(RelationText(Tensor::Of<float>(Given(), left), Tensor::Of<float>(Given(), one)),
              HasSubstr("of 24 elements only [1,1,1] differs"));
  std::vector<float> channel = left;
  for (size_t i = 0; i < 24; i += 4) channel[i + 2] = 0;
  EXPECT_EQ(RelationText(Tensor::Of<float>(Given(), left), Tensor::Of<float>(Given(), channel)),
            "they differ only at index 2 of axis 2, where right = 0");
}

TEST(RelationText, TellsThatOnlyPaddedPlacesDiffer) {
  const std::vector<float> left = Numbers(24);
  std::vector<float> right = left;
  for (size_t i = 4; i < 12; ++i) right[i] += left[i] * left[i] + 1;  // batch 0, positions 1 and 2
  const NamedMask mask = {"attention_mask", Tensor::Of<int64_t>({2, 3}, {1, 0, 0, 1, 1, 1})};
  const Tensor a = Tensor::Of<float>(Given(), left);
  EXPECT_EQ(RelationText(a, Tensor::Of<float>(Given(), right), {mask}),
            "they differ only where 'attention_mask' is 0");
  const NamedMask nothing = {"token_type_ids", Tensor::Of<int64_t>({2, 3}, {0, 0, 0, 0, 0, 0})};
  EXPECT_THAT(RelationText(a, Tensor::Of<float>(Given(), right), {nothing}),
              ::testing::Not(HasSubstr("token_type_ids")));
  right[0] += 1;
  EXPECT_THAT(RelationText(a, Tensor::Of<float>(Given(), right), {mask}),
              ::testing::Not(HasSubstr("attention_mask")));
}

TEST(RelationText, ShowsAllOfAFewElements) {
  EXPECT_EQ(RelationText(Tensor::Of<float>({}, {0.125f}), Tensor::Of<float>({}, {0.25f})),
            "0.125 | 0.25");
  EXPECT_EQ(RelationText(Tensor::Of<int64_t>({2}, {1, 2}), Tensor::Of<int64_t>({2}, {2, 1})),
            "[1,2] | [2,1]");
}

TEST(RelationText, TakesRoundingForNoDifference) {
  const std::vector<float> left = Numbers(24);
  std::vector<float> right = left;
  for (size_t i = 0; i < 24; ++i) right[i] *= 1 + (i % 2 == 0 ? 1e-7f : -1e-7f);
  right[5] = 9;
  EXPECT_THAT(RelationText(Tensor::Of<float>(Given(), left), Tensor::Of<float>(Given(), right)),
              HasSubstr("only [0,1,1] differs"));
}

}  // namespace
}  // namespace onnxcmp
