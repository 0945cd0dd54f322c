// Recordings of a run that was fed otherwise than the model: the cause says how.
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
using ::onnxcmp::testing::ChannelsLast;
using ::onnxcmp::testing::Scale;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class RecordingsFedOtherwiseTest : public testing::RecordingsBesideModel {
 protected:
  // The model's results for another x; it is fed its own again.
  Arrays Fed(const Tensor& x) {
    Feeds feeds = *model_->feeds();
    Feeds other = feeds;
    other["x"] = Value(x);
    model_->SetFeeds(other);
    Arrays arrays = With("", [](std::vector<float>*) {});
    model_->SetFeeds(std::move(feeds));
    return arrays;
  }
  Tensor X() const { return model_->feeds()->at("x").tensor(); }
  static Tensor Reversed(const Tensor& x) {
    return Changed(x, [](std::vector<float>* e) {
      for (size_t image = 0; image < e->size(); image += 3 * 64) {
        std::swap_ranges(e->begin() + static_cast<std::ptrdiff_t>(image),
                         e->begin() + static_cast<std::ptrdiff_t>(image + 64),
                         e->begin() + static_cast<std::ptrdiff_t>(image + 2 * 64));
      }
    });
  }
  static Tensor Line(const Tensor& x, float factor, float offset) {
    return Changed(x, [&](std::vector<float>* e) {
      for (float& v : *e) v = factor * v + offset;
    });
  }
  void ExpectCause(const Tensor& x, const std::string& words) {
    for (const bool left : {true, false}) {
      const Comparison comparison = Compared(Fed(x), {}, left);
      EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
      ASSERT_THAT(comparison.causes, SizeIs(1)) << words;
      EXPECT_THAT(comparison.causes[0].text, HasSubstr(words));
    }
  }
};

TEST_F(RecordingsFedOtherwiseTest, TheCauseSaysHow) {
  ExpectCause(Reversed(X()), "what the model gives for `x` with its channels in reverse order");
  ExpectCause(Line(X(), 1.0F / 255, 0), "`x` as x / 255");
  ExpectCause(Line(Reversed(X()), 2, -1), "`x` with its channels in reverse order, as 2 x - 1");
  ExpectCause(Line(X(), 4, -1.8F), "`x` as (x - 0.45) / 0.25");
  ExpectCause(ChannelsLast(X()).Reshaped({2, 3, 8, 8}),
              "`x` in the order of bytes with channels last");
}

// A device does a Relu with its convolution.
TEST_F(RecordingsFedOtherwiseTest, AnActivationMayBeInTheFirstLayer) {
  Arrays device = Called(Fed(Reversed(X())), {"l0", "l1", "l2", "l3", "l4", "l5"});
  device.erase(device.begin() + 2);
  device.erase(device.begin());
  const Comparison comparison = Compared(device);
  ASSERT_THAT(comparison.causes, SizeIs(1));
  EXPECT_THAT(comparison.causes[0].text, HasSubstr("`x` with its channels in reverse order"));
}

TEST_F(RecordingsFedOtherwiseTest, OtherFaultsAreNone) {
  const Comparison wrong = Compared(With("c", Scale));
  ASSERT_THAT(wrong.causes, SizeIs(1));
  EXPECT_THAT(wrong.causes[0].text, Not(HasSubstr("what the model gives for")));
}

}  // namespace
}  // namespace onnxcmp
