// Recordings with results that depend on no input, of which the model keeps the last alone; each
// with a twin that is wrong.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/compare.h"
#include "tests/compare/sides/recordings_beside_model.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Changed;
using ::onnxcmp::testing::Noisy;
using ::onnxcmp::testing::RandomFloats;
using ::onnxcmp::testing::Scale;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RecordingsWithConstantsTest : public testing::RecordingsBesideModel {
 protected:
  static Tensor Matrix(int64_t rows, int64_t columns, double (*of)(int64_t, int64_t)) {
    std::vector<float> elements;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) elements.push_back(static_cast<float>(of(i, j)));
    }
    return Tensor::Of<float>({rows, columns}, elements);
  }
  static double Angle(int64_t i, int64_t j) {
    return static_cast<double>(i) * std::pow(10, -static_cast<double>(j));
  }
  // A causal mask before a Softmax, a table before a product.
  void SetUp() override {
    table_ = Matrix(6, 6, [](int64_t i, int64_t j) { return std::sin(Angle(i, j)); });
    mask_ = Matrix(6, 6, [](int64_t i, int64_t j) { return j > i ? -1e4 : 0.0; });
    Take(R"(<ir_version: 9, opset_import: ["": 18]>
      g (float[2, 6, 6] x, float[6, 6] w) => (float[2, 6, 6] y) {
        [first] a = Add(x, t)
        [second] b = MatMul(a, w)
        [third] c = Add(b, m)
        [fourth] y = Softmax(c)
      })",
         {{"x", RandomFloats({2, 6, 6}, 1)}, {"w", RandomFloats({6, 6}, 2)}});
  }
  // Constants are initializers of the model, as an exporter folds them.
  void Take(const std::string& model, Feeds feeds) {
    const std::string text = Initialized(model);
    RecordingsBesideModel::Take(text.c_str(), std::move(feeds));
  }
  std::string Initialized(std::string model) const {
    const auto list = [](const Tensor& tensor) {
      std::string words;
      for (int64_t i = 0; i < tensor.num_elements(); ++i) {
        absl::StrAppend(&words, i == 0 ? "" : ", ",
                        absl::StrFormat("%.9g", static_cast<double>(tensor.data<float>()[i])));
      }
      return words;
    };
    const std::string constants = absl::StrCat("<float[6, 6] t = {", list(table_),
                                               "}, float[6, 6] m = {", list(mask_), "}> {");
    model.replace(model.rfind('{'), 1, constants);
    return model;
  }
  // What a framework records before the results of the model.
  Arrays WithConstants(Arrays arrays) const {
    Arrays all = {
        {"angles", Matrix(6, 6, Angle)},
        {"full", Matrix(6, 6, [](int64_t, int64_t) { return -1e4; })},
        {"ones", Matrix(6, 6, [](int64_t, int64_t) { return 1.0; })},
        {"tril", Matrix(6, 6, [](int64_t i, int64_t j) { return j > i ? 0.0 : 1.0; })},
    };
    all.insert(all.end(), arrays.begin(), arrays.end());
    return all;
  }

  Tensor table_;
  Tensor mask_;
};

TEST_F(RecordingsWithConstantsTest, TheyNeverDecide) {
  for (const bool left : {true, false}) {
    const Comparison right = Compared(WithConstants(Each(right_, Noisy)), {}, left);
    EXPECT_TRUE(Agrees(right)) << Notes(right);
    EXPECT_THAT(right.causes, IsEmpty());
    EXPECT_THAT(Notes(right),
                HasSubstr("made of constants alone, found so: angles of t, full, ones, tril of m"));
    const Comparison wrong = Compared(WithConstants(With("b", Scale)), {}, left);
    EXPECT_EQ(wrong.verdict(), Verdict::kDifferent);
    EXPECT_THAT(CauseNames(wrong), ElementsAre("b"));
  }
}

// A layer that gives nothing but zeros is no fill, though nothing after it was recorded.
TEST_F(RecordingsWithConstantsTest, ADeadLayerIsNone) {
  Arrays arrays = {{"l1", right_[0].second}, {"l2", right_[1].second}};
  arrays[1].second =
      Changed(arrays[1].second, [](std::vector<float>* e) { std::ranges::fill(*e, 0.0F); });
  EXPECT_EQ(Compared(arrays).verdict(), Verdict::kDifferent);
}

}  // namespace
}  // namespace onnxcmp
