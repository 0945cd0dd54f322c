// Recordings as people make them beside the model: layouts, orders, results that the model no
// longer has, on either side; each with a twin that is wrong.
#include <algorithm>
#include <bit>
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
#include "compare/differences/tensor_distance.h"
#include "compare/sides/model_side.h"
#include "compare/sides/recording_side.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"
#include "tests/support/recorded_arrays.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::RandomFloats;
using ::onnxcmp::testing::Registry;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Arrays = testing::RecordedArrays;
using Change = std::function<void(std::vector<float>*)>;

Tensor Changed(const Tensor& tensor, const Change& change) {
  const Tensor whole = *tensor.Contiguous();
  std::vector<float> elements(whole.data<float>(), whole.data<float>() + whole.num_elements());
  change(&elements);
  return Tensor::Of<float>(whole.shape(), elements);
}

// As sums in another order leave it.
Tensor Noisy(const Tensor& tensor) {
  return Changed(tensor, [](std::vector<float>* e) {
    for (size_t i = 0; i < e->size(); i += 2) (*e)[i] *= 1 + 3e-7F;
  });
}

Tensor ChannelsLast(const Tensor& t) {
  if (t.rank() != 4) return t;
  const Tensor whole = *t.Contiguous();
  const Shape& s = whole.shape();
  const Shape& by = whole.strides();
  return *whole.Strided({s[0], s[2], s[3], s[1]}, {by[0], by[2], by[3], by[1]}, whole.offset())
              .Contiguous();
}

class ComparedRecordingsTest : public ::testing::Test {
 protected:
  static constexpr char kModel[] = R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[2, 3, 8, 8] x, float[8, 3, 3, 3] w, float[8, 8, 3, 3] v) => (float[2, 8] y) {
      [first] c = Conv <pads = [1, 1, 1, 1]> (x, w)
      [second] r = Relu(c)
      [third] d = Conv <pads = [1, 1, 1, 1]> (r, v)
      [fourth] s = Sigmoid(d)
      [fifth] p = GlobalAveragePool(s)
      [sixth] y = Flatten(p)
    })";

  void SetUp() override {
    auto side = ModelSide::Open(folder_.Write("m.onnxtxt", kModel), Registry());
    ASSERT_TRUE(side.ok()) << side.status();
    model_ = *std::move(side);
    model_->SetFeeds({{"x", RandomFloats({2, 3, 8, 8}, 1)},
                      {"w", RandomFloats({8, 3, 3, 3}, 2)},
                      {"v", RandomFloats({8, 8, 3, 3}, 3)}});
    model_->Record({}, [&](int, const StreamResult& result, const Value& value) {
      if (result.kind == ResultKind::kResult) right_.emplace_back(result.name, value.tensor());
      return absl::OkStatus();
    });
    ASSERT_EQ(right_.size(), 6U);
  }

  // What the model gives where one of its results is another, with all that comes after it.
  Arrays With(const std::string& name, const Change& change) {
    Replacement replacement(name, change);
    Arrays arrays;
    replacement.seen = &arrays;
    EXPECT_TRUE(model_->evaluator()->Run(*model_->feeds(), &replacement).ok());
    return arrays;
  }
  static Arrays Each(const Arrays& arrays, const std::function<Tensor(const Tensor&)>& change) {
    Arrays made;
    for (const auto& [name, tensor] : arrays) made.emplace_back(name, change(tensor));
    return made;
  }
  static Arrays Called(Arrays arrays, const std::vector<std::string>& names) {
    for (size_t i = 0; i < names.size(); ++i) arrays[i].first = names[i];
    return arrays;
  }

  Comparison Compared(const Arrays& arrays, const CompareOptions& given = {}, bool left = true) {
    RecordingSide recording("r.npz", std::make_unique<testing::ArraysInMemory>(arrays));
    CompareOptions options = given;
    options.threads = 1;
    auto comparison =
        left ? Compare(recording, *model_, options) : Compare(*model_, recording, options);
    EXPECT_TRUE(comparison.ok()) << comparison.status();
    return comparison.ok() ? *std::move(comparison) : Comparison();
  }
  static bool Agrees(const Comparison& comparison) {
    return comparison.verdict == Verdict::kSame || comparison.verdict == Verdict::kClose;
  }
  // Names of causes on the model's side.
  static std::vector<std::string> CauseNames(const Comparison& comparison) {
    std::vector<std::string> names;
    for (const Cause& cause : comparison.causes) {
      names.push_back(comparison.left.recorded ? comparison.right.results[Index(cause.right)].name
                                               : comparison.left.results[Index(cause.left)].name);
    }
    return names;
  }
  static std::string Notes(const Comparison& comparison) {
    return absl::StrJoin(comparison.notes, "; ");
  }

  testing::TestFolder folder_;
  std::unique_ptr<ModelSide> model_;
  Arrays right_;

 private:
  struct Replacement : Observer {
    Replacement(std::string of, Change by) : name(std::move(of)), change(std::move(by)) {}
    absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override {
      if (result.kind != ResultKind::kResult) return absl::OkStatus();
      Value value = result.value;
      if (result.name == name) *replacement = value = Value(Changed(value.tensor(), change));
      seen->emplace_back(std::string(result.name), value.tensor());
      return absl::OkStatus();
    }
    std::string name;
    Change change;
    Arrays* seen = nullptr;
  };
};

void Scale(std::vector<float>* e) {
  for (float& x : *e) x *= 1.2F;
}

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
    EXPECT_EQ(differs.verdict, Verdict::kDifferent);
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
  EXPECT_EQ(comparison.verdict, Verdict::kDifferent);
  EXPECT_THAT(CauseNames(comparison), ElementsAre("s"));
}

TEST_F(ComparedRecordingsTest, RowsInAnotherOrder) {
  const Arrays shuffled = Each(right_, [](const Tensor& tensor) {
    return Changed(tensor, [](std::vector<float>* e) {
      std::rotate(e->begin(), e->begin() + static_cast<std::ptrdiff_t>(e->size() / 2), e->end());
    });
  });
  const Comparison comparison = Compared(shuffled);
  EXPECT_EQ(comparison.verdict, Verdict::kDifferent);
  EXPECT_THAT(comparison.outputs.pairs.front().difference.reason,
              HasSubstr("in another order, rows 1 0"));
  CompareOptions any;
  any.any_row_order = true;
  EXPECT_TRUE(Agrees(Compared(shuffled, any)));
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
  EXPECT_EQ(right.verdict, Verdict::kClose);
  EXPECT_THAT(right.causes, IsEmpty());
  const Comparison wrong = Compared(Each(With("d", Scale), rounded));
  EXPECT_EQ(wrong.verdict, Verdict::kDifferent);
  EXPECT_THAT(CauseNames(wrong), ElementsAre("d"));
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
      EXPECT_EQ(comparison.verdict, Verdict::kDifferent);
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
  EXPECT_EQ(comparison.verdict, Verdict::kDifferent);
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
  auto side = ModelSide::Open(folder_.Write("h.onnxtxt", R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[4, 8] x, float[8, 8] w) => (float[4, 8] y) {
      [first] m = MatMul(x, w)
      [second] h = HardSwish(m)
      [third] y = Add(h, x)
    })"),
                              Registry());
  ASSERT_TRUE(side.ok()) << side.status();
  model_ = *std::move(side);
  model_->SetFeeds({{"x", RandomFloats({4, 8}, 1)}, {"w", RandomFloats({8, 8}, 2)}});
  Arrays hooks;
  model_->Record({}, [&](int, const StreamResult& result, const Value& value) {
    if (result.kind == ResultKind::kResult) hooks.emplace_back(result.name, value.tensor());
    return absl::OkStatus();
  });
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
  EXPECT_EQ(comparison->verdict, Verdict::kDifferent);
  EXPECT_THAT(Notes(*comparison),
              HasSubstr("the first that differs is d, in the order of the left"));
  RecordingSide again("again.npz", std::make_unique<testing::ArraysInMemory>(right_));
  const auto same = Compare(right, again, {});
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(same->verdict, Verdict::kSame);
  EXPECT_THAT(Notes(*same), Not(HasSubstr("the first that differs")));
}

}  // namespace
}  // namespace onnxcmp
