// Mamba2Verify of com.microsoft: several tokens and slots, and what is out of range. One step, as
// standard operators, is in testdata/fusions.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr int64_t kChannels = 64 + 2 * 128;
constexpr int64_t kWidth = 64 + kChannels + 1;

Tensor Bfloat(const Shape& shape, const std::vector<float>& values) {
  return Convert(Tensor::Of<float>(shape, values), DType::kBfloat16);
}
Tensor Filled(const Shape& shape, float value) {
  return Tensor::Of<float>(shape,
                           std::vector<float>(static_cast<size_t>(*NumElements(shape)), value));
}

// Every token's xBC is its number from 1 on, and dt is 30, so that dt counts as it is; taps 3, 2,
// 1, 0 from the present back. States of slot s are -s - 1. Nothing decays.
OpTest Mamba(int64_t rows, int64_t slots, int32_t state_row) {
  std::vector<float> projection;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < kWidth; ++i) {
      projection.push_back(i < 64 ? 1.0f : i < kWidth - 1 ? static_cast<float>(row + 1) : 30.0f);
    }
  }
  std::vector<float> states, weights;
  for (int64_t i = 0; i < slots * kChannels * 3; ++i) {
    states.push_back(-static_cast<float>(i / (kChannels * 3)) - 1);
  }
  for (int64_t i = 0; i < kChannels; ++i) weights.insert(weights.end(), {0, 1, 2, 3});
  OpTest test = Contrib("Mamba2Verify").Outputs(5).Attr("heads", 1).Attr("n_groups", 1);
  test.Input(Bfloat({rows, kWidth}, projection)).Input(Bfloat({slots, kChannels, 3}, states));
  test.Input(Filled({slots, 1, 128, 64}, 0)).Input(Bfloat({kChannels, 1, 4}, weights));
  test.Input(Convert(Filled({kChannels}, 0), DType::kBfloat16))
      .Input(Floats({0}))
      .Input(Floats({0}));
  return test.Input(Floats({0}))
      .Input(Filled({64}, 2))
      .Input(Tensor::Of<int32_t>({1}, {state_row}));
}

// One number for each token or slot, the same for all of its elements.
std::vector<float> Firsts(const absl::StatusOr<Tensor>& result) {
  EXPECT_TRUE(result.ok()) << result.status();
  const Tensor floats = Convert(*result, DType::kFloat);
  std::vector<float> firsts;
  const int64_t size = floats.num_elements() / floats.dim(0);
  for (int64_t i = 0; i < floats.dim(0); ++i) firsts.push_back(floats.data<float>()[i * size]);
  return firsts;
}

// The last three inputs of each slot.
std::vector<float> Histories(const absl::StatusOr<Tensor>& result) {
  EXPECT_TRUE(result.ok()) << result.status();
  const Tensor floats = Convert(*result, DType::kFloat);
  std::vector<float> all;
  for (int64_t slot = 0; slot < floats.dim(0); ++slot) {
    const float* first = floats.data<float>() + slot * kChannels * 3;
    all.insert(all.end(), first, first + 3);
  }
  return all;
}

TEST(Mamba2Verify, SlotsTakeTheStatesAfterTokens) {
  using Numbers = std::vector<float>;
  // Convolved from slot 1: 3 - 2 * 2 - 2, 6 + 2 - 2, 9 + 4 + 1, with silu and rounded.
  const Numbers xbc = {Numbers{-0.142578125f, 6, 14}};
  const auto state = [](float before, float x) { return before + 30 * x * x; };
  const float s1 = state(0, xbc[0]), s2 = state(s1, xbc[1]), s3 = state(s2, xbc[2]);
  OpTest many = Mamba(2, 3, 1);
  EXPECT_EQ(Firsts(many.Run(3)), Numbers(xbc.begin(), xbc.begin() + 2));
  EXPECT_EQ(Histories(many.Run(1)), (Numbers{-2, -2, 1, -2, 1, 2, -3, -3, -3}));
  EXPECT_THAT(Firsts(many.Run(2)), ::testing::Pointwise(::testing::FloatEq(), Numbers{s1, s2, 0}));
  EXPECT_THAT(
      Firsts(many.Run(4)),
      ::testing::Pointwise(::testing::FloatNear(1), Numbers{128 * xbc[0] * s1, 128 * xbc[1] * s2}));
  // All elements of a row are the same: normalized they are 1 or -1, times 2.
  EXPECT_EQ(Firsts(many.Run(0)), (Numbers{-2, 2}));
  // More tokens than slots: the last ones.
  OpTest few = Mamba(3, 2, 1);
  EXPECT_EQ(Histories(few.Run(1)), (Numbers{-2, 1, 2, 1, 2, 3}));
  EXPECT_THAT(Firsts(few.Run(2)), ::testing::Pointwise(::testing::FloatEq(), Numbers{s2, s3}));
}

TEST(Mamba2Verify, NoSuchStateRow) {
  OpTest test = Mamba(1, 2, 2);
  for (const int output : {0, 3, 4}) EXPECT_TRUE(std::isnan(Firsts(test.Run(output))[0]));
  const std::vector<float> states = Histories(test.Run(1));
  EXPECT_TRUE(std::isnan(states[0]));
  EXPECT_EQ(states[3], -2);
  EXPECT_TRUE(std::isnan(Firsts(Mamba(1, 1, -1).Run(2))[0]));
}

TEST(Mamba2Verify, RefusesWhatDoesNotFit) {
  const auto status = [](const char* attribute, int value) {
    return Mamba(1, 1, 0).Attr(attribute, value).RunAll().status();
  };
  ExpectError(status("head_dim", 32), kUnimplemented, "head_dim is 32 and d_state 128");
  ExpectError(status("n_groups", 2), kInvalid, "1 heads are not to be had in 2 groups");
  ExpectError(status("heads", 2), kInvalid, "projection has shape [1x385], not [1x514]");
}

}  // namespace
}  // namespace onnxcmp::testing
