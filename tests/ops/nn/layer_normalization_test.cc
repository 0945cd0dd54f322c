#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// NumPy: m = x.mean(axes), v = ((x - m)**2).mean(axes), i = 1 / sqrt(v + 1e-5).
const Tensor kX = Tensor::Of<double>({2, 3}, {1, 2, 4, -1, 0, 7});
const Tensor kScale = Tensor::Of<double>({3}, {1, 2, 0.5});
const Tensor kBias = Tensor::Of<double>({3}, {0, 1, -1});
const Tensor kY =
    Tensor::Of<double>({2, 3}, {-1.0690415314502977, 0.46547923427485094, -0.3318490428435641,
                                -0.8429268976892886, -0.12390253025238485, -0.2975609185922594});
const Tensor kMean = Tensor::Of<float>({2, 1}, {2.3333333f, 2});
const Tensor kInvStdDev = Tensor::Of<float>({2, 1}, {0.80178115f, 0.28097563f});

OpTest LayerNormalization(DType dtype, int opset = 17) {
  OpTest test("LayerNormalization", opset);
  test.Input(Convert(kX, dtype)).Input(Convert(kScale, dtype)).Input(Convert(kBias, dtype));
  return test;
}

TEST(LayerNormalizationTest, FloatWithAllOutputs) {
  auto outputs = LayerNormalization(DType::kFloat).Outputs(3).RunAll();
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ExpectTensor((*outputs)[0].tensor(), Convert(kY, DType::kFloat), 1e-6);
  ExpectTensor((*outputs)[1].tensor(), kMean, 1e-6);
  ExpectTensor((*outputs)[2].tensor(), kInvStdDev, 1e-6);
}

TEST(LayerNormalizationTest, Double) {
  ExpectTensor(LayerNormalization(DType::kDouble).Run(), kY, 1e-7);  // epsilon is a float
}

TEST(LayerNormalizationTest, Float16IsRoundedOnce) {
  ExpectTensor(LayerNormalization(DType::kFloat16).Run(), Convert(kY, DType::kFloat16));
}

TEST(LayerNormalizationTest, StashTypeIsTheTypeOfTheStatistics) {
  OpTest test = LayerNormalization(DType::kBfloat16);
  test.Attr("stash_type", 16).Outputs(3);
  ExpectTensor(test.Run(1), Convert(kMean, DType::kBfloat16));
  ExpectTensor(test.Run(2), Convert(kInvStdDev, DType::kBfloat16));
}

// onnxruntime's tools write it into models of older opsets.
TEST(LayerNormalizationTest, BelowOpset17) {
  ExpectTensor(LayerNormalization(DType::kFloat, 11).Run(), Convert(kY, DType::kFloat), 1e-6);
}

TEST(LayerNormalizationTest, SeveralAxesWithoutBias) {
  OpTest test("LayerNormalization", 17);
  test.Attr("axis", 1).Attr("epsilon", 0.5f).Outputs(2);
  test.Input(Tensor::Of<float>({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}));
  test.Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
  const std::vector<float> y = {-1.1338934f, -0.75592895f, 1.1338934f, 4.5355737f,
                                -1.1338934f, -0.75592895f, 1.1338934f, 4.5355737f};
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 2, 2}, y), 1e-6);
  ExpectTensor(test.Run(1), Tensor::Of<float>({2, 1, 1}, {1.5, 5.5}));
}

// Scale and B broadcast to X, also along the axes that are not normalized.
TEST(LayerNormalizationTest, Broadcast) {
  OpTest test("LayerNormalization", 17);
  test.Attr("epsilon", 1.0f).Input(Tensor::Of<float>({2, 2}, {0, 0, 0, 2}));
  test.Input(Tensor::Of<float>({}, {2})).Input(Tensor::Of<float>({2, 1}, {5, 7}));
  const float half = std::sqrt(0.5f);
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 2}, {5, 5, 7 - 2 * half, 7 + 2 * half}), 1e-6);
}

TEST(LayerNormalizationTest, StridedView) {
  OpTest test("LayerNormalization", 17);
  test.Input(AsStridedView(kX)).Input(kScale).Input(AsStridedView(kBias));
  ExpectTensor(test.Run(), kY, 1e-7);
}

// The mean of squares less the square of the mean would have no digit left.
TEST(LayerNormalizationTest, LargeMean) {
  OpTest test("LayerNormalization", 17);
  test.Input(Tensor::Of<float>({1, 4}, {100000, 100001, 100002, 100003}));
  test.Input(Tensor::Of<float>({4}, {1, 1, 1, 1}));
  ExpectTensor(test.Run(),
               Tensor::Of<float>({1, 4}, {-1.3416354f, -0.4472118f, 0.4472118f, 1.3416354f}), 1e-6);
}

TEST(LayerNormalizationTest, NaNStaysInItsLane) {
  OpTest test("LayerNormalization", 17);
  test.Attr("epsilon", 1.0f).Input(Tensor::Of<float>({2, 2}, {kNaN, 0, 3, 3}));
  test.Input(Tensor::Of<float>({2}, {1, 1}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 2}, {kNaN, kNaN, 0, 0}));
}

TEST(LayerNormalizationTest, Empty) {
  OpTest no_lanes("LayerNormalization", 17);
  no_lanes.Input(Tensor::Of<float>({0, 2}, {})).Input(Tensor::Of<float>({2}, {1, 1}));
  ExpectTensor(no_lanes.Run(), Tensor::Of<float>({0, 2}, {}));
  OpTest no_elements("LayerNormalization", 17);
  no_elements.Outputs(2).Input(Tensor::Of<float>({2, 0}, {})).Input(Tensor::Of<float>({0}, {}));
  ExpectTensor(no_elements.Run(1), Tensor::Of<float>({2, 1}, {kNaN, kNaN}));
}

TEST(LayerNormalizationTest, TooManyEmptyLanesForTheirStatistics) {
  OpTest test("LayerNormalization", 17);
  test.Outputs(2).Input(Tensor::Of<float>({int64_t{1} << 50, 0}, {}));
  test.Input(Tensor::Of<float>({0}, {}));
  EXPECT_EQ(test.Run(1).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(LayerNormalizationTest, BadInputs) {
  OpTest scale("LayerNormalization", 17);
  scale.Input(kX).Input(Tensor::Of<double>({2}, {1, 1}));
  ExpectError(scale.Run().status(), kInvalid, "does not broadcast");
  OpTest axis("LayerNormalization", 17);
  axis.Attr("axis", 2).Input(kX).Input(kScale);
  ExpectError(axis.Run().status(), kInvalid, "axis 2 is out of range");
  OpTest stash = LayerNormalization(DType::kFloat);
  stash.Attr("stash_type", 6);
  ExpectError(stash.Run().status(), kInvalid, "stash_type 6");
}

}  // namespace
}  // namespace onnxcmp::testing
