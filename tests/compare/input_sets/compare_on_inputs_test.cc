#include "compare/input_sets/compare_on_inputs.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "compare/outcome/comparison.h"
#include "compare/sides/model_side.h"
#include "feed/input_sets.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::LoadGraph;
using ::onnxcmp::testing::Registry;
using ::testing::HasSubstr;

// Two models that differ where x is negative.
class CompareOnInputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    left_ = Open("g (float[n] x) => (float[n] y) { y = Relu(x) }");
    right_ = Open("g (float[n] x) => (float[n] y) { y = Abs(x) }");
    ASSERT_TRUE(left_ != nullptr && right_ != nullptr);
  }

  static std::unique_ptr<ModelSide> Open(const std::string& text) {
    const auto model = LoadGraph(text);
    EXPECT_TRUE(model.ok()) << model.status();
    if (!model.ok()) return nullptr;
    auto side = ModelSide::Create(*model, Registry(), {.threads = 1});
    EXPECT_TRUE(side.ok()) << side.status();
    return side.ok() ? *std::move(side) : nullptr;
  }

  absl::StatusOr<SetsResult> On(absl::StatusOr<InputSets> inputs, const SetsOptions& sets = {}) {
    EXPECT_TRUE(inputs.ok()) << inputs.status();
    if (!inputs.ok()) return inputs.status();
    CompareOptions options;
    options.threads = 1;
    return CompareOnInputs(*left_, *right_, &*inputs, 0, options, sets);
  }

  absl::StatusOr<InputSets> Given(const std::vector<float>& x) {
    return InputSets::OpenGiven(
        left_->graph(), right_->graph(), {},
        {{"x", Value(Tensor::Of<float>({static_cast<int64_t>(x.size())}, x))}}, "the feeds");
  }

  absl::StatusOr<InputSets> MadeUp(bool ramp) {
    InputOptions options;
    options.generated.ramp = ramp;
    return InputSets::Open(left_->graph(), right_->graph(), options);
  }

  std::unique_ptr<ModelSide> left_;
  std::unique_ptr<ModelSide> right_;
};

TEST_F(CompareOnInputsTest, GivenInputsAreFedAsTheyAre) {
  const auto same = On(Given({1, 2}));
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(same->comparison.verdict(), Verdict::kSame);
  EXPECT_EQ(same->comparison.made_up_sets, 0);
  const auto apart = On(Given({1, -2}));
  ASSERT_TRUE(apart.ok()) << apart.status();
  EXPECT_EQ(apart->comparison.verdict(), Verdict::kDifferent);
}

TEST_F(CompareOnInputsTest, MadeUpInputsAreSeveralSetsAndARampIsOne) {
  // A ramp, 0, 1, 2, ..., has nothing that is negative.
  const auto ramp = On(MadeUp(/*ramp=*/true));
  ASSERT_TRUE(ramp.ok()) << ramp.status();
  EXPECT_EQ(ramp->comparison.verdict(), Verdict::kSame);
  const auto several = On(MadeUp(/*ramp=*/false));
  ASSERT_TRUE(several.ok()) << several.status();
  EXPECT_EQ(several->comparison.verdict(), Verdict::kDifferent);
  EXPECT_GT(several->comparison.made_up_sets, 0);
}

TEST_F(CompareOnInputsTest, ModelsWithoutInputsNeedNone) {
  left_ = Open("g () => (float y) <float c = {1}> { y = Relu(c) }");
  right_ = Open("g () => (float y) <float c = {1}> { y = Abs(c) }");
  CompareOptions options;
  options.threads = 1;
  const auto result = CompareOnInputs(*left_, *right_, nullptr, 0, options, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->comparison.verdict(), Verdict::kSame);
}

TEST_F(CompareOnInputsTest, GivenInputsLeaveNothingToSearch) {
  SetsOptions search;
  search.search = absl::Seconds(1);
  const auto searched = On(Given({1}), search);
  EXPECT_EQ(searched.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(searched.status().message(), HasSubstr("--search"));
  SetsOptions sizes;
  sizes.sizes = true;
  const auto sized = On(Given({1}), sizes);
  EXPECT_EQ(sized.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(sized.status().message(), HasSubstr("--sizes"));
}

}  // namespace
}  // namespace onnxcmp
