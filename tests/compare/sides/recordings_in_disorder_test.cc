// Recordings without an order, with copies, in layouts that a fault makes look like others.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/compare.h"
#include "record/recordings/recorded_values.h"
#include "reports/words/row_selection.h"
#include "tests/compare/sides/recordings_beside_model.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Changed;
using ::onnxcmp::testing::ChannelsLast;
using ::onnxcmp::testing::Noisy;
using ::onnxcmp::testing::RandomFloats;
using ::onnxcmp::testing::Scale;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RecordingsInDisorderTest : public testing::RecordingsBesideModel {
 protected:
  // The model's results in the order of the rows that pair them.
  static std::vector<std::string> Order(const Comparison& comparison) {
    const bool left = comparison.right.recorded;
    std::vector<std::string> names;
    for (const ComparedRow& row : comparison.rows) {
      if (!row.aligned.paired()) continue;
      const StreamResult& result = left ? comparison.left.results[Index(row.aligned.left.back())]
                                        : comparison.right.results[Index(row.aligned.right.back())];
      if (result.kind == ResultKind::kResult) names.push_back(result.name);
    }
    return names;
  }
  static bool AnyMoved(const Comparison& comparison) {
    return std::ranges::any_of(comparison.rows, [](const ComparedRow& row) {
      return Has(row.aligned.marks, Mark::kMoved);
    });
  }
  static std::vector<std::string> OnlyRecorded(const Comparison& comparison) {
    std::vector<std::string> names;
    for (const ComparedRow& row : comparison.rows) {
      if (row.aligned.paired()) continue;
      const bool is_left = !row.aligned.left.empty();
      const ResultStream& stream = is_left ? comparison.left : comparison.right;
      const int r = is_left ? row.aligned.left.back() : row.aligned.right.back();
      if (stream.recorded) names.push_back(stream.results[Index(r)].name);
    }
    return names;
  }
};

// As in a file that sorts names.
TEST_F(RecordingsInDisorderTest, WhatIsSortedByNameIsShownInTheModelsOrder) {
  Arrays sorted = Called(right_, {"z", "a", "m", "b", "x2", "k"});
  std::ranges::sort(sorted, {}, &testing::RecordedArray::first);
  for (const bool left : {true, false}) {
    const Comparison comparison = Compared(sorted, {}, left);
    EXPECT_TRUE(Agrees(comparison));
    EXPECT_THAT(Order(comparison), ElementsAre("c", "r", "d", "s", "p", "y"));
    EXPECT_FALSE(comparison.alignment.reordered);
    EXPECT_FALSE(AnyMoved(comparison));
  }
  // A file with an order of its own keeps it.
  Arrays reversed = right_;
  std::ranges::reverse(reversed);
  EXPECT_THAT(Order(Compared(reversed)), ElementsAre("y", "p", "s", "d", "r", "c"));
}

// A Dropout passes on what it gets; it is no other result that happens to be free there.
TEST_F(RecordingsInDisorderTest, ACopyHasThePartnerOfItsOriginal) {
  const auto with_dropout = [](Arrays arrays) {
    arrays[1] = {"dropout", arrays[0].second};  // in the place of the Relu
    return arrays;
  };
  for (const bool left : {true, false}) {
    const Comparison right = Compared(with_dropout(right_), {}, left);
    EXPECT_TRUE(Agrees(right));
    EXPECT_THAT(OnlyRecorded(right), IsEmpty());
    const Comparison wrong = Compared(with_dropout(With("c", Scale)), {}, left);
    EXPECT_EQ(wrong.verdict(), Verdict::kDifferent);
    EXPECT_THAT(CauseNames(wrong), ElementsAre("c"));
    EXPECT_THAT(OnlyRecorded(wrong), IsEmpty());
  }
}

// Two results were recorded of one; the mark stands in the row of that which is wrong.
TEST_F(RecordingsInDisorderTest, ACauseBeginsInTheRowOfItsPair) {
  Arrays arrays = right_;
  arrays.insert(arrays.begin() + 2, {"r_after", Changed(right_[1].second, Scale)});
  const Comparison comparison = Compared(arrays);
  const RowFacts facts = FactsOf(comparison);
  std::vector<std::string> begins;
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    if (facts.cause[i] == kNone) continue;
    begins.push_back(comparison.left.results[Index(comparison.rows[i].aligned.left.back())].name);
  }
  EXPECT_THAT(begins, ElementsAre("r_after"));
}

// Test data hold outputs and nothing else.
TEST_F(RecordingsInDisorderTest, OutputsAloneHaveCauses) {
  const auto output = [](const Tensor& tensor) {
    RecordedResult result;
    result.kind = ResultKind::kOutput;
    result.name = "y";
    std::vector<ValueInMemory> values;
    values.push_back({result, Value(tensor)});
    return RecordValuesInMemory(std::move(values), /*described=*/true);
  };
  for (const bool left : {true, false}) {
    const Comparison wrong = ComparedValues(output(With("d", Scale).back().second), {}, left);
    EXPECT_EQ(wrong.verdict(), Verdict::kDifferent);
    ASSERT_THAT(CauseNames(wrong), ElementsAre("y"));
    EXPECT_THAT(wrong.causes.front().text, HasSubstr("computed by"));
    const Comparison right = ComparedValues(output(Noisy(right_.back().second)), {}, left);
    EXPECT_TRUE(Agrees(right));
    EXPECT_THAT(right.causes, IsEmpty());
  }
}

// Height and width are equal, and an image on its side is no layout that only some have.
TEST_F(RecordingsInDisorderTest, AnImageOnItsSideIsWrong) {
  const auto turn = [](std::vector<float>* e) {
    constexpr size_t kSize = 8;
    for (size_t image = 0; image < e->size(); image += kSize * kSize) {
      for (size_t i = 0; i < kSize; ++i) {
        for (size_t j = 0; j < i; ++j) {
          std::swap((*e)[image + i * kSize + j], (*e)[image + j * kSize + i]);
        }
      }
    }
  };
  const std::vector<std::string> names = {"a1", "a2", "a3", "a4", "a5", "a6"};
  for (const char* name : {"c", "s"}) {
    const Arrays wrong = Called(Each(With(name, turn), ChannelsLast), names);
    const Comparison comparison = Compared(wrong);
    EXPECT_EQ(comparison.verdict(), Verdict::kDifferent) << name;
    EXPECT_THAT(CauseNames(comparison), ElementsAre(name));
  }
  EXPECT_TRUE(Agrees(Compared(Called(Each(right_, ChannelsLast), names))));
}

// A converter keeps the input's channels last and nothing else. No value tells the layout, as the
// first result is wrong already.
TEST_F(RecordingsInDisorderTest, ChannelsLastFromAFaultAtTheFirstResultOn) {
  const Tensor image = RandomFloats({2, 8, 8, 3}, 1);
  Take(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[2, 8, 8, 3] image, float[6, 3, 3, 3] w, float[8, 6, 3, 3] v) => (float[2, 8] y) {
      [zeroth] x = Transpose <perm = [0, 3, 1, 2]> (image)
      [first] conv = Conv <pads = [1, 1, 1, 1]> (x, w)
      [second] relu = Relu(conv)
      [third] deep = Conv <pads = [1, 1, 1, 1]> (relu, v)
      [fourth] act = Sigmoid(deep)
      [fifth] gap = GlobalAveragePool(act)
      [sixth] y = Flatten(gap)
    })",
       {{"image", image},
        {"w", RandomFloats({6, 3, 3, 3}, 2)},
        {"v", RandomFloats({8, 6, 3, 3}, 3)}});
  const auto phone = [&](Arrays arrays) {
    arrays = Each(arrays, ChannelsLast);
    arrays[0] = {"image", image};
    return arrays;
  };
  const Comparison right = Compared(phone(right_));
  EXPECT_TRUE(Agrees(right));
  const Comparison wrong = Compared(phone(With("conv", Scale)));
  EXPECT_EQ(wrong.verdict(), Verdict::kDifferent);
  EXPECT_THAT(CauseNames(wrong), ElementsAre("conv"));
  EXPECT_THAT(Notes(wrong), HasSubstr("recorded as NHWC"));
}

// The model keeps axes of one element that the recording lacks.
TEST_F(RecordingsInDisorderTest, AWrongResultWithFewerAxesIsACause) {
  const auto squeezed = [](Arrays arrays) {
    arrays[4].second = arrays[4].second.Reshaped({2, 8});
    return arrays;
  };
  EXPECT_TRUE(Agrees(Compared(squeezed(right_))));
  const auto negate = [](std::vector<float>* e) {
    for (float& x : *e) x = -x;
  };
  const Comparison wrong = Compared(squeezed(With("p", negate)));
  EXPECT_EQ(wrong.verdict(), Verdict::kDifferent);
  EXPECT_THAT(CauseNames(wrong), ElementsAre("p"));
}

// Of a normalization that was never trained nothing is left but a factor next to 1.
TEST_F(RecordingsInDisorderTest, BeforeANewNormalization) {
  const auto before = [](const Tensor& tensor, float epsilon) {
    return Changed(tensor, [&](std::vector<float>* e) {
      for (float& x : *e) x *= std::sqrt(1 + epsilon);
    });
  };
  const auto with = [&](const Arrays& arrays, float epsilon) {
    Arrays hooks = arrays;
    hooks.insert(hooks.begin() + 2, {"conv", before(arrays[2].second, epsilon)});
    hooks[3].first = "bn";
    return hooks;
  };
  for (const float epsilon : {1e-5F, 1e-3F}) {
    for (const bool left : {true, false}) {
      const Arrays hooks = with(Each(right_, Noisy), epsilon);
      const Comparison right = Compared(hooks, {}, left);
      EXPECT_TRUE(Agrees(right)) << epsilon;
      EXPECT_THAT(Notes(right),
                  HasSubstr("before a folded BatchNormalization, found so: conv of d"));
      EXPECT_THAT(OnlyRecorded(right), ElementsAre("conv"));
      EXPECT_TRUE(Agrees(Compared({hooks[2], hooks.back()}, {}, left))) << epsilon;
      const Comparison wrong = Compared(with(With("c", Scale), epsilon), {}, left);
      EXPECT_EQ(wrong.verdict(), Verdict::kDifferent);
      EXPECT_THAT(CauseNames(wrong), ElementsAre("c"));
    }
  }
  // No normalization has that epsilon.
  EXPECT_FALSE(Agrees(Compared(with(right_, 4e-4F))));
  // The result of a Sigmoid is before nothing.
  Arrays wrong = right_;
  wrong[3] = {"act", before(wrong[3].second, 1e-3F)};
  EXPECT_FALSE(Agrees(Compared(wrong)));
  EXPECT_THAT(CauseNames(Compared(wrong)), ElementsAre("s"));
}

// Few scores look like many small results, but the output is one of them.
TEST_F(RecordingsInDisorderTest, AnOutputOfFewScoresIsMissed) {
  Take(R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[1, 3, 4, 4] x, float[48, 7] w) => (float[1, 7] y) {
      [first] r = Relu(x)
      [second] f = Flatten(r)
      [third] y = MatMul(f, w)
    })",
       {{"x", RandomFloats({1, 3, 4, 4}, 1)}, {"w", RandomFloats({48, 7}, 2)}});
  const Arrays right = {{"scores", right_[2].second}, {"act", right_[0].second}};
  const auto clip = [](std::vector<float>* e) {
    for (float& x : *e) x = std::clamp(x, -1.0F, 1.0F);
  };
  const Arrays wrong = {{"scores", Changed(right_[2].second, clip)}, right[1]};
  for (const bool left : {true, false}) {
    EXPECT_TRUE(Agrees(Compared(right, {}, left)));
    EXPECT_EQ(Compared(wrong, {}, left).verdict(), Verdict::kDifferent);
  }
  // Beside the output, a few numbers that the model does not have are none of its.
  EXPECT_TRUE(Agrees(Compared({right[0], right[1], {"few", RandomFloats({1, 7}, 9)}})));
}

}  // namespace
}  // namespace onnxcmp
