// Recordings as people make them beside the model: layouts, orders, results that the model no
// longer has, on either side; each with a twin that is wrong.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "compare/sides/recording_side.h"
#include "record/differences/tensor_distance.h"
#include "tests/compare/sides/recordings_beside_model.h"
#include "tests/support/op_test.h"
#include "tests/support/recorded_arrays.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::RandomFloats;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using ::onnxcmp::testing::Change;
using ::onnxcmp::testing::Changed;
using ::onnxcmp::testing::ChannelsLast;
using ::onnxcmp::testing::Convert;
using ::onnxcmp::testing::Noisy;
using ::onnxcmp::testing::Scale;

using ComparedRecordingsTest = testing::RecordingsBesideModel;

const std::vector<std::string>& PhoneNames() {
  static const auto& names =
      *new std::vector<std::string>{"net/conv/Conv2D", "net/relu/Relu", "net/conv_1/Conv2D",
                                    "net/act/Sigmoid", "net/gap/Mean",  "Identity:0"};
  return names;
}

TEST_F(ComparedRecordingsTest, ChannelsLastAndOtherNames) {
  const Arrays phone = Called(Each(Each(right_, Noisy), ChannelsLast), PhoneNames());
  for (const bool left : {true, false}) {
    const Comparison right = Compared(phone, {}, left);
    EXPECT_TRUE(Agrees(right));
    EXPECT_THAT(Notes(right), HasSubstr("recorded as NHWC"));
    EXPECT_THAT(right.causes, IsEmpty());
    const Arrays wrong = Called(Each(With("d", Scale), ChannelsLast), PhoneNames());
    const Comparison differs = Compared(wrong, {}, left);
    EXPECT_EQ(differs.verdict(), Verdict::kDifferent);
    EXPECT_THAT(CauseNames(differs), ElementsAre("d"));
  }
}

// Sizes do not tell, the rest of the recording does.
TEST_F(ComparedRecordingsTest, WhatIsWrongIsInTheLayoutOfMost) {
  const Arrays wrong =
      Called(Each(With("s", [](std::vector<float>* e) { std::reverse(e->begin(), e->end()); }),
                  ChannelsLast),
             PhoneNames());
  const Comparison comparison = Compared(wrong);
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_THAT(CauseNames(comparison), ElementsAre("s"));
}

TEST_F(ComparedRecordingsTest, RowsInAnotherOrder) {
  const Arrays shuffled = Each(right_, [](const Tensor& tensor) {
    return Changed(tensor, [](std::vector<float>* e) {
      std::rotate(e->begin(), e->begin() + static_cast<std::ptrdiff_t>(e->size() / 2), e->end());
    });
  });
  const Comparison comparison = Compared(shuffled);
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_THAT(comparison.outputs.pairs.front().difference.reason,
              HasSubstr("in another order, rows 1 0"));
  CompareOptions any;
  any.any_row_order = true;
  const Comparison accepted = Compared(shuffled, any);
  EXPECT_TRUE(Agrees(accepted));
  EXPECT_TRUE(accepted.outputs.pairs.front().agrees());
  EXPECT_THAT(Notes(accepted), HasSubstr("recorded as rows 1 0"));
  Arrays wrong = shuffled;
  wrong.back().second = Changed(wrong.back().second, [](std::vector<float>* e) { e->back() += 1; });
  EXPECT_FALSE(Agrees(Compared(wrong, any)));
}

// Before a normalization that the model has in its convolution.
TEST_F(ComparedRecordingsTest, WhatTheModelNoLongerHas) {
  const auto before = [](std::vector<float>* e) {
    for (size_t i = 0; i < e->size(); ++i) {
      const auto channel = static_cast<float>(i / 64 % 8);
      (*e)[i] = ((*e)[i] - 0.3F * channel) / (0.5F + 0.25F * channel);
    }
  };
  Arrays hooks = right_;
  hooks.insert(hooks.begin(), {"conv", Changed(right_[0].second, before)});
  const Comparison right = Compared(hooks);
  EXPECT_TRUE(Agrees(right));
  EXPECT_THAT(Notes(right), HasSubstr("before a folded BatchNormalization"));
  // One element of it is something else.
  hooks[0].second = Changed(hooks[0].second, [](std::vector<float>* e) { (*e)[70] += 3; });
  const Comparison wrong = Compared(hooks);
  EXPECT_FALSE(Agrees(wrong));
  EXPECT_THAT(wrong.outputs.only_left, ElementsAre("conv"));
  // Nobody vouches for it where all after it is wrong, too.
  Arrays all = With("c", Scale);
  all.insert(all.begin(), {"conv", Changed(all[0].second, before)});
  EXPECT_FALSE(Agrees(Compared(all)));
}

// The model has what was before each activation and after each layer: a wrong value of that is no
// value from before a step that the model no longer has, whatever it is called.
TEST_F(ComparedRecordingsTest, WhatTheModelHasIsNotWhatItNoLongerHas) {
  constexpr size_t kChannel = 64;
  const std::vector<std::pair<const char*, Change>> changes = {
      {"below 0 anything",
       [](std::vector<float>* e) {
         for (float& x : *e) x = x < 0 ? 3 * x : x;
       }},
      {"channels scaled",
       [](std::vector<float>* e) {
         for (size_t i = 0; i < e->size(); ++i) {
           (*e)[i] *= 0.5F + 0.2F * static_cast<float>(i / kChannel % 8);
         }
       }},
      {"channels moved",
       [](std::vector<float>* e) {
         for (size_t i = 0; i < e->size(); ++i) {
           (*e)[i] += 0.3F * static_cast<float>(1 + i / kChannel % 8);
         }
       }},
      {"ends cut", [](std::vector<float>* e) {
         const float most = *std::max_element(e->begin(), e->end());
         for (float& x : *e) x = std::min(x, 0.5F * most);
       }}};
  const std::vector<std::string> names = {"t4", "t1", "t9", "t2", "t7", "t3"};
  int lies = 0;
  for (size_t i = 0; i < 4; ++i) {
    for (const auto& [what, change] : changes) {
      Arrays wrong = right_;
      wrong[i].second = Changed(right_[i].second, change);
      if (std::ranges::equal(ElementsOf(wrong[i].second), ElementsOf(right_[i].second))) continue;
      for (const bool left : {true, false}) {
        EXPECT_FALSE(Agrees(Compared(Called(wrong, names), {}, left)))
            << what << ": " << right_[i].first << (left ? ", left" : ", right");
        ++lies;
      }
    }
  }
  EXPECT_EQ(lies, 28);
}

TEST_F(ComparedRecordingsTest, PartialNeverLetsWrongValuesPass) {
  CompareOptions partial;
  partial.partial = true;
  EXPECT_TRUE(Agrees(Compared({right_[1], right_[5]}, partial)));
  const auto nan = [](std::vector<float>* e) {
    std::fill(e->begin(), e->end(), std::numeric_limits<float>::quiet_NaN());
  };
  for (const bool left : {true, false}) {
    EXPECT_FALSE(
        Agrees(Compared({right_[1], {"y", Changed(right_[5].second, nan)}}, partial, left)));
    EXPECT_FALSE(
        Agrees(Compared({{"s", Changed(right_[3].second, Scale)}, right_[5]}, partial, left)));
  }
}

TEST_F(ComparedRecordingsTest, TheOutputItselfMayBeAtFault) {
  const Arrays wrong = With("y", Scale);
  for (const bool left : {true, false}) {
    const Comparison comparison = Compared(wrong, {}, left);
    EXPECT_THAT(CauseNames(comparison), ElementsAre("y"));
    EXPECT_THAT(comparison.causes.front().text,
                HasSubstr(left ? "on the left's own inputs the right differs"
                               : "on the right's own inputs the left differs"));
  }
}

// A recording has what somebody chose: what is between is named.
TEST_F(ComparedRecordingsTest, OperatorsSinceWhatWasRecordedBefore) {
  const Arrays wrong = With("s", Scale);
  const Comparison comparison = Compared({wrong[1], wrong[4], wrong[5]});
  EXPECT_THAT(CauseNames(comparison), ElementsAre("p"));
  EXPECT_THAT(comparison.causes.front().text,
              HasSubstr("computed by Conv d, Sigmoid s, GlobalAveragePool p"));
}

TEST_F(ComparedRecordingsTest, CoarserTypesHaveNoCause) {
  const auto rounded = [](const Tensor& tensor) {
    return Changed(tensor, [](std::vector<float>* e) {
      for (float& x : *e) {
        auto bits = std::bit_cast<uint32_t>(x);
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000;
        x = std::bit_cast<float>(bits);
      }
    });
  };
  const Comparison right = Compared(Each(right_, rounded));
  EXPECT_EQ(right.verdict(), Verdict::kClose);
  EXPECT_THAT(right.causes, IsEmpty());
  const Comparison wrong = Compared(Each(With("d", Scale), rounded));
  EXPECT_EQ(wrong.verdict(), Verdict::kDifferent);
  EXPECT_THAT(CauseNames(wrong), ElementsAre("d"));
}

// A model that was converted begins with its input in the narrow type.
TEST_F(ComparedRecordingsTest, ARoundedInputIsKnown) {
  Arrays converted = right_;
  const Tensor x = model_->feeds()->at("x").tensor();
  converted.insert(converted.begin(), {"input_cast", Convert(x, DType::kFloat16)});
  EXPECT_TRUE(Agrees(Compared(converted)));
  converted[0].second = Convert(Changed(x, Scale), DType::kFloat16);
  const Comparison wrong = Compared(converted);
  EXPECT_FALSE(Agrees(wrong));
  EXPECT_THAT(wrong.outputs.only_left, ElementsAre("input_cast"));
  converted[0].second =
      Convert(Changed(x, [](std::vector<float>* e) { (*e)[70] = NAN; }), DType::kFloat16);
  EXPECT_FALSE(Agrees(Compared(converted)));
}

// Names tell nothing, and all after the fault is near nothing: one run on what was recorded pairs
// it.
TEST_F(ComparedRecordingsTest, WhatComesAfterAFaultIsFoundWithoutNames) {
  const std::vector<std::string> names = {"t0", "t1", "t2", "t3", "t4", "t5"};
  const auto turned = [](std::vector<float>* e) { std::reverse(e->begin(), e->end()); };
  const auto negated = [](std::vector<float>* e) {
    for (float& x : *e) x = -x;
  };
  for (const Change& change : {Change(Scale), Change(turned), Change(negated)}) {
    for (const bool left : {true, false}) {
      // The results that are left out and the order say no more than the rest.
      Arrays wrong = Called(With("c", change), names);
      std::reverse(wrong.begin(), wrong.end());
      const Comparison comparison = Compared(wrong, {}, left);
      EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
      EXPECT_THAT(CauseNames(comparison), ElementsAre("c"));
      EXPECT_THAT(comparison.outputs.only_left, IsEmpty());
      EXPECT_THAT(comparison.outputs.only_right, IsEmpty());
    }
  }
}

// A module gives what its last layer gives; what comes after tells which of the two went on.
TEST_F(ComparedRecordingsTest, OneOfTwoThatWereRecordedOfOneResult) {
  Arrays went_on = With("r", Scale);
  went_on.insert(went_on.begin() + 1, {"r_before", right_[1].second});
  EXPECT_THAT(CauseNames(Compared(went_on)), ElementsAre("r"));
  Arrays did_not = right_;
  did_not.insert(did_not.begin() + 2, {"r_after", Changed(right_[1].second, Scale)});
  EXPECT_THAT(CauseNames(Compared(did_not)), ElementsAre("r"));
  Arrays last = right_;
  last.emplace_back("module", Changed(right_[5].second, Scale));
  const Comparison comparison = Compared(last);
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_THAT(CauseNames(comparison), ElementsAre("y"));
}

// What was normalized afterwards need not have been recorded: what comes after it speaks for it.
TEST_F(ComparedRecordingsTest, BeforeAFoldedNormalizationThatWasNotRecorded) {
  const auto before = [](std::vector<float>* e) {
    for (size_t i = 0; i < e->size(); ++i) {
      const auto channel = static_cast<float>(i / 64 % 8);
      (*e)[i] = ((*e)[i] - 0.3F * (channel + 1)) / (0.5F + 0.25F * channel);
    }
  };
  const Tensor conv = Changed(right_[0].second, before);
  const Comparison right = Compared({{"conv", conv}, right_[1], right_[5]});
  EXPECT_TRUE(Agrees(right));
  EXPECT_THAT(Notes(right), HasSubstr("before a folded BatchNormalization"));
  // Nothing after it was recorded that agrees.
  EXPECT_FALSE(Agrees(Compared({{"conv", conv}})));
  const Arrays wrong = With("r", Scale);
  EXPECT_FALSE(Agrees(Compared({{"conv", conv}, wrong[1], wrong[5]})));
}

// A function that a runtime inlines has results on its way that the model does not have.
TEST_F(ComparedRecordingsTest, InsideOfAnOperator) {
  Take(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[4, 8] x, float[8, 8] w) => (float[4, 8] y) {
      [first] m = MatMul(x, w)
      [second] h = HardSwish(m)
      [third] y = Add(h, x)
    })",
       {{"x", RandomFloats({4, 8}, 1)}, {"w", RandomFloats({8, 8}, 2)}});
  Arrays hooks = right_;
  hooks.insert(hooks.begin() + 1, {"inlined", Changed(hooks[0].second, [](std::vector<float>* e) {
                                     for (float& x : *e) x = std::clamp(x / 6 + 0.5F, 0.0F, 1.0F);
                                   })});
  for (const bool left : {true, false}) {
    const Comparison right = Compared(hooks, {}, left);
    EXPECT_TRUE(Agrees(right));
    EXPECT_THAT(Notes(right), HasSubstr("inside of a HardSwish, found so: inlined of m"));
  }
  hooks[1].second = Changed(hooks[1].second, [](std::vector<float>* e) { (*e)[3] += 0.1F; });
  EXPECT_FALSE(Agrees(Compared(hooks)));
}

TEST_F(ComparedRecordingsTest, OfTwoRecordingsTheFirstThatDiffers) {
  RecordingSide right("right.npz", std::make_unique<testing::ArraysInMemory>(right_));
  RecordingSide wrong("wrong.npz", std::make_unique<testing::ArraysInMemory>(With("d", Scale)));
  const auto comparison = Compare(right, wrong, {});
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_EQ(comparison->verdict(), Verdict::kDifferent);
  EXPECT_THAT(Notes(*comparison),
              HasSubstr("the first that differs is d, in the order of the left"));
  RecordingSide again("again.npz", std::make_unique<testing::ArraysInMemory>(right_));
  const auto same = Compare(right, again, {});
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(same->verdict(), Verdict::kSame);
  EXPECT_THAT(Notes(*same), Not(HasSubstr("the first that differs")));
}

}  // namespace
}  // namespace onnxcmp
