// Recordings of layers that the model has folded, from a fault on: what was recorded keeps the
// partner that it has without the fault.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/compare.h"
#include "tests/compare/sides/recordings_beside_model.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Changed;
using ::onnxcmp::testing::RandomFloats;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RecordingsOfLayersTest : public testing::RecordingsBesideModel {
 protected:
  // As modules are called; the normalizations are in the convolutions.
  void SetUp() override {
    Take(R"(<ir_version: 9, opset_import: ["": 18]>
      g (float[1, 3, 8, 8] x, float[8, 3, 3, 3] w, float[8, 8, 3, 3] v, float[8, 5] u)
          => (float[1, 5] probs) {
        [a] "/conv1/Conv_output_0" = Conv <pads = [1, 1, 1, 1]> (x, w)
        [b] "/relu/Relu_output_0" = Relu("/conv1/Conv_output_0")
        [c] "/conv2/Conv_output_0" = Conv <pads = [1, 1, 1, 1]> ("/relu/Relu_output_0", v)
        [d] "/Add_output_0" = Add("/conv2/Conv_output_0", "/relu/Relu_output_0")
        [e] "/Relu_output_0" = Relu("/Add_output_0")
        [f] "/pool_output_0" = ReduceMean <keepdims = 0> ("/Relu_output_0", axes)
        [g] "/fc/Gemm_output_0" = Gemm("/pool_output_0", u)
        [h] probs = Softmax("/fc/Gemm_output_0")
      })",
         {{"x", RandomFloats({1, 3, 8, 8}, 1)},
          {"w", RandomFloats({8, 3, 3, 3}, 2)},
          {"v", RandomFloats({8, 8, 3, 3}, 3)},
          {"u", RandomFloats({8, 5}, 4)}});
  }
  void Take(std::string model, Feeds feeds) {
    model.replace(model.rfind("{\n        [a]"), 1, "<int64[2] axes = {2, 3}> {");
    RecordingsBesideModel::Take(model.c_str(), std::move(feeds));
  }
  static Tensor BeforeNormalization(const Tensor& tensor) {
    return Changed(tensor, [](std::vector<float>* e) {
      for (size_t i = 0; i < e->size(); ++i) {
        const auto channel = static_cast<float>(i / 64 % 8);
        (*e)[i] = ((*e)[i] - 0.3F * channel) / (0.5F + 0.25F * channel);
      }
    });
  }
  static Arrays Hooks(const Arrays& of) {
    return {{"conv1", BeforeNormalization(of[0].second)},
            {"bn1", of[0].second},
            {"relu", of[1].second},
            {"conv2", BeforeNormalization(of[2].second)},
            {"bn2", of[2].second},
            {"fc", of[6].second},
            {"model", of[7].second}};
  }
};

TEST_F(RecordingsOfLayersTest, AFaultBeforeAFoldedNormalizationIsOneCause) {
  EXPECT_TRUE(Agrees(Compared(Hooks(right_))));
  const auto reverse = [](std::vector<float>* e) { std::ranges::reverse(*e); };
  for (const bool left : {true, false}) {
    const Comparison wrong = Compared(Hooks(With("/conv1/Conv_output_0", reverse)), {}, left);
    EXPECT_EQ(wrong.verdict(), Verdict::kDifferent);
    EXPECT_THAT(CauseNames(wrong), ElementsAre("/conv1/Conv_output_0"));
    EXPECT_THAT(Notes(wrong), HasSubstr("conv1 of /conv1/Conv_output_0"));
    EXPECT_THAT(wrong.outputs.only_left, ::testing::IsEmpty());
    EXPECT_THAT(wrong.outputs.only_right, ::testing::IsEmpty());
  }
}

// Few scores are near anything; the last ones are the output.
TEST_F(RecordingsOfLayersTest, TheLastResultIsTheOutput) {
  const auto reverse = [](std::vector<float>* e) { std::ranges::reverse(*e); };
  const Arrays wrong = With("/fc/Gemm_output_0", reverse);
  const Comparison comparison =
      Compared({{"l1", wrong[0].second}, {"l2", wrong[1].second}, {"scores", wrong[7].second}});
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_THAT(CauseNames(comparison), ElementsAre("probs"));
}

}  // namespace
}  // namespace onnxcmp
