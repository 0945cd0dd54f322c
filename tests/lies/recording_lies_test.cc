// Recordings of a model that are wrong in one result, against that model: none passes, whatever the
// results are called and however many there are. Those that are right pass.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compare/sides/recording_side.h"
#include "evaluator/load/load_model.h"
#include "feed/feeds.h"
#include "tests/lies/given_models.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"
#include "tests/support/recorded_arrays.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Agrees;
using ::onnxcmp::testing::Convert;
using ::onnxcmp::testing::RandomFloats;
using ::onnxcmp::testing::Registry;
using ::onnxcmp::testing::WhatWasSaid;

using Array = testing::RecordedArray;
using Arrays = testing::RecordedArrays;

struct Lie {
  const char* name;
  std::function<Tensor(const Tensor&)> of;
};

Tensor OfElements(const Tensor& tensor, const std::function<void(std::vector<float>*)>& change) {
  std::vector<float> elements(tensor.data<float>(), tensor.data<float>() + tensor.num_elements());
  change(&elements);
  return Tensor::Of<float>(tensor.shape(), elements);
}

const std::vector<Lie>& RecordedLies() {
  using E = std::vector<float>*;
  static const auto& lies = *new std::vector<Lie>{
      {"off_by_5_percent",
       [](const Tensor& t) {
         return OfElements(t, [](E e) {
           for (float& v : *e) v *= 1.05f;
         });
       }},
      {"half_noise",
       [](const Tensor& t) {
         const Tensor noise = RandomFloats(t.shape(), 77);
         return OfElements(t, [&](E e) {
           for (size_t i = 0; i < e->size(); i += 2) (*e)[i] *= 1 + 0.3f * noise.data<float>()[i];
         });
       }},
      {"from_elsewhere", [](const Tensor& t) { return RandomFloats(t.shape(), 78); }},
      {"zeros",
       [](const Tensor& t) {
         return OfElements(t, [](E e) { std::fill(e->begin(), e->end(), 0.0f); });
       }},
      {"reversed",
       [](const Tensor& t) {
         return OfElements(t, [](E e) { std::reverse(e->begin(), e->end()); });
       }},
      {"shuffled",
       [](const Tensor& t) {
         return OfElements(t, [](E e) {
           std::mt19937 random(3);
           std::shuffle(e->begin(), e->end(), random);
         });
       }},
      {"negated",
       [](const Tensor& t) {
         return OfElements(t, [](E e) {
           for (float& v : *e) v = -v;
         });
       }},
      {"shifted",
       [](const Tensor& t) {
         return OfElements(t, [](E e) {
           float largest = 0;
           for (const float v : *e) largest = std::max(largest, std::abs(v));
           for (float& v : *e) v += 0.2f * largest;
         });
       }},
      {"transposed",
       [](const Tensor& t) {
         const int64_t columns = t.dim(t.rank() - 1);
         const int64_t rows = t.num_elements() / columns;
         std::vector<float> other(static_cast<size_t>(t.num_elements()));
         for (int64_t r = 0; r < rows; ++r) {
           for (int64_t c = 0; c < columns; ++c) {
             other[static_cast<size_t>(c * rows + r)] = t.data<float>()[r * columns + c];
           }
         }
         return Tensor::Of<float>(t.shape(), other);
       }},
  };
  return lies;
}

class RecordingLiesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto model = LoadModel(TestData("models/llm/plain.onnx"), Registry());
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *model;
    auto file = FeedFile::Open(TestData("models/llm/inputs.npz"));
    ASSERT_TRUE(file.ok()) << file.status();
    const auto feeds = file->FeedsFor(model_->graph);
    ASSERT_TRUE(feeds.ok()) << feeds.status();
    feeds_ = feeds->feeds;
    for (const auto& [name, value] : testing::ResultsOf(model_, feeds_)) {
      if (!value.is_tensor() || value.tensor().dtype() != DType::kFloat) continue;
      if (value.tensor().num_elements() < 32 || value.tensor().rank() < 2) continue;
      const auto array = value.tensor().Contiguous();
      ASSERT_TRUE(array.ok());
      right_.emplace_back(name, *array);
    }
    ASSERT_GE(right_.size(), 20u);
  }

  Comparison Compared(Arrays arrays, bool partial = false) const {
    const auto model = testing::SideOf(model_, feeds_);
    RecordingSide recording("r.npz", std::make_unique<testing::ArraysInMemory>(std::move(arrays)));
    CompareOptions options;
    options.threads = 1;
    options.partial = partial;
    auto comparison = Compare(*model, recording, options);
    EXPECT_TRUE(comparison.ok()) << comparison.status();
    return comparison.ok() ? *std::move(comparison) : Comparison();
  }
  // Names that say nothing, and another order.
  static Arrays Renamed(Arrays arrays) {
    for (size_t i = 0; i < arrays.size(); ++i) arrays[i].first = absl::StrCat("r", 7 * i % 101);
    std::mt19937 random(11);
    std::shuffle(arrays.begin(), arrays.end(), random);
    return arrays;
  }
  // Every third result from one of them on, and the result in question.
  static Arrays Few(const Arrays& arrays, size_t chosen) {
    Arrays few;
    for (size_t i = chosen % 3; i < arrays.size(); i += 3) few.push_back(arrays[i]);
    return few;
  }
  // Whether what became of an array can be distinguished from it at all, and is nothing else of the
  // model.
  bool Tells(const Tensor& array, const Tensor& wrong) const {
    if (testing::RelativeRms(array, wrong) < 0.02) return false;
    return std::none_of(right_.begin(), right_.end(), [&](const Array& other) {
      return other.second.num_elements() == wrong.num_elements() &&
             testing::RelativeRms(other.second.Reshaped({wrong.num_elements()}),
                                  wrong.Reshaped({wrong.num_elements()})) < 1e-5;
    });
  }

  std::shared_ptr<const Model> model_;
  Feeds feeds_;
  Arrays right_;
};

// The code is the same for each result: the sanitizers, which take 35 times as long, look at some.
#ifdef __SANITIZE_ADDRESS__
constexpr size_t kEach = 4;
#else
constexpr size_t kEach = 1;
#endif

TEST_F(RecordingLiesTest, NonePasses) {
  int lies = 0;
  for (const Lie& lie : RecordedLies()) {
    for (size_t i = 0; i < right_.size(); i += kEach) {
      Arrays wrong = right_;
      wrong[i].second = lie.of(right_[i].second);
      if (!Tells(right_[i].second, wrong[i].second)) continue;
      for (const auto& [how, arrays] :
           std::vector<std::pair<std::string, Arrays>>{{"names kept", wrong},
                                                       {"renamed", Renamed(wrong)},
                                                       {"few", Few(wrong, i)},
                                                       {"few, renamed", Renamed(Few(wrong, i))},
                                                       {"alone", {wrong[i]}}}) {
        const Comparison comparison = Compared(arrays);
        EXPECT_FALSE(Agrees(comparison))
            << lie.name << " " << right_[i].first << ", " << how << ": " << WhatWasSaid(comparison);
        ++lies;
      }
    }
  }
  EXPECT_GT(lies, 600 / static_cast<int>(kEach));
}

// A result of the right name that is wrong does not pass where what has no partner does.
TEST_F(RecordingLiesTest, WhatHasItsNameCountsEvenPartially) {
  for (const Lie& lie : RecordedLies()) {
    for (size_t i = 0; i < right_.size(); i += 2) {
      Arrays wrong = right_;
      wrong[i].second = lie.of(right_[i].second);
      if (!Tells(right_[i].second, wrong[i].second)) continue;
      const Comparison comparison = Compared(wrong, /*partial=*/true);
      EXPECT_FALSE(Agrees(comparison))
          << lie.name << " " << right_[i].first << ": " << WhatWasSaid(comparison);
    }
  }
}

TEST_F(RecordingLiesTest, WhatIsRightPasses) {
  const auto changed = [&](const std::function<Tensor(const Tensor&)>& change) {
    Arrays arrays = right_;
    for (Array& array : arrays) array.second = change(array.second);
    return arrays;
  };
  const auto in = [&](DType dtype) {
    return changed([&](const Tensor& tensor) { return Convert(tensor, dtype); });
  };
  for (const auto& [how, arrays] : std::vector<std::pair<std::string, Arrays>>{
           {"as it is", right_},
           {"float16", in(DType::kFloat16)},
           {"bfloat16", in(DType::kBfloat16)},
           {"double", in(DType::kDouble)},
           {"noisy", changed([](const Tensor& tensor) {
              return OfElements(tensor, [](std::vector<float>* e) {
                for (size_t i = 0; i < e->size(); i += 2) (*e)[i] *= 1 + 4e-7f;
              });
            })}}) {
    EXPECT_TRUE(Agrees(Compared(arrays))) << how << ": " << WhatWasSaid(Compared(arrays));
    const Comparison renamed = Compared(Renamed(arrays));
    EXPECT_TRUE(Agrees(renamed)) << how << ", renamed: " << WhatWasSaid(renamed);
    for (size_t i = 0; i < right_.size(); ++i) {
      const Comparison few = Compared(Renamed(Few(arrays, i)));
      EXPECT_TRUE(Agrees(few)) << how << ", few, renamed: " << WhatWasSaid(few);
      const Comparison alone = Compared({{"r", arrays[i].second}});
      EXPECT_TRUE(Agrees(alone)) << how << ", " << arrays[i].first
                                 << " alone: " << WhatWasSaid(alone);
    }
  }
}

// The same elements in the same order.
TEST_F(RecordingLiesTest, FlattenedInnerResultsPass) {
  Arrays arrays;
  for (const Array& array : right_) {
    if (array.first == model_->graph.outputs[0].name) continue;
    arrays.emplace_back(array.first, array.second.Reshaped({array.second.num_elements()}));
  }
  EXPECT_TRUE(Agrees(Compared(arrays))) << WhatWasSaid(Compared(arrays));
  EXPECT_TRUE(Agrees(Compared(Renamed(arrays)))) << WhatWasSaid(Compared(Renamed(arrays)));
}

// A result that belongs to no model is accepted where that is wanted, and named.
TEST_F(RecordingLiesTest, StrangersPassOnlyPartially) {
  Arrays arrays = right_;
  arrays.emplace_back("stranger", RandomFloats({5, 17}, 79));
  const Comparison whole = Compared(arrays);
  EXPECT_FALSE(Agrees(whole));
  EXPECT_EQ(whole.outputs.only_right, std::vector<std::string>{"stranger"});
  EXPECT_TRUE(Agrees(Compared(arrays, /*partial=*/true)));
}

}  // namespace
}  // namespace onnxcmp
