// A small network of images beside recordings that tests make of it.
#ifndef ONNXCMP_TESTS_COMPARE_SIDES_RECORDINGS_BESIDE_MODEL_H_
#define ONNXCMP_TESTS_COMPARE_SIDES_RECORDINGS_BESIDE_MODEL_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_join.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "compare/sides/recording_side.h"
#include "record/recordings/recorded_values.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"
#include "tests/support/recorded_arrays.h"

namespace onnxcmp::testing {

using Change = std::function<void(std::vector<float>*)>;

inline Tensor Changed(const Tensor& tensor, const Change& change) {
  const Tensor whole = *tensor.Contiguous();
  std::vector<float> elements(whole.data<float>(), whole.data<float>() + whole.num_elements());
  change(&elements);
  return Tensor::Of<float>(whole.shape(), elements);
}

// As sums in another order leave it.
inline Tensor Noisy(const Tensor& tensor) {
  return Changed(tensor, [](std::vector<float>* e) {
    for (size_t i = 0; i < e->size(); i += 2) (*e)[i] *= 1 + 3e-7F;
  });
}

inline Tensor ChannelsLast(const Tensor& t) {
  if (t.rank() != 4) return t;
  const Tensor whole = *t.Contiguous();
  const Shape& s = whole.shape();
  const Shape& by = whole.strides();
  return *whole.Strided({s[0], s[2], s[3], s[1]}, {by[0], by[2], by[3], by[1]}, whole.offset())
              .Contiguous();
}

class RecordingsBesideModel : public ::testing::Test {
 protected:
  using Arrays = RecordedArrays;
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
    Take(kModel, {{"x", RandomFloats({2, 3, 8, 8}, 1)},
                  {"w", RandomFloats({8, 3, 3, 3}, 2)},
                  {"v", RandomFloats({8, 8, 3, 3}, 3)}});
    ASSERT_EQ(right_.size(), 6U);
  }

  // Another model, and what it gives.
  void Take(const char* model, Feeds feeds) {
    auto side = ModelSide::Open(folder_.Write("m.onnxtxt", model), Registry());
    ASSERT_TRUE(side.ok()) << side.status();
    model_ = *std::move(side);
    model_->SetFeeds(std::move(feeds));
    right_.clear();
    model_->Record({}, [&](int, const StreamResult& result, const Value& value) {
      if (result.kind == ResultKind::kResult) right_.emplace_back(result.name, value.tensor());
      return absl::OkStatus();
    });
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
    return ComparedValues(std::make_unique<ArraysInMemory>(arrays), given, left);
  }
  Comparison ComparedValues(std::unique_ptr<RecordedValues> values,
                            const CompareOptions& given = {}, bool left = true) {
    RecordingSide recording("r.npz", std::move(values));
    CompareOptions options = given;
    options.threads = 1;
    auto comparison =
        left ? Compare(recording, *model_, options) : Compare(*model_, recording, options);
    EXPECT_TRUE(comparison.ok()) << comparison.status();
    return comparison.ok() ? *std::move(comparison) : Comparison();
  }
  static bool Agrees(const Comparison& comparison) {
    return comparison.verdict() == Verdict::kSame || comparison.verdict() == Verdict::kClose;
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

  TestFolder folder_;
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

inline void Scale(std::vector<float>* e) {
  for (float& x : *e) x *= 1.2F;
}

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_COMPARE_SIDES_RECORDINGS_BESIDE_MODEL_H_
