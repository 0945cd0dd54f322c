// Recordings of a device that holds some of the channels.
#include "compare/recorded/slices.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/compare/sides/recordings_beside_model.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SlicesTest : public testing::RecordingsBesideModel {
 protected:
  // The second half of the channels.
  static Tensor Half(const Tensor& tensor) {
    const Tensor whole = *tensor.Contiguous();
    Shape shape = whole.shape();
    shape[1] /= 2;
    return *whole.Strided(shape, whole.strides(), whole.offset() + shape[1] * whole.strides()[1])
                .Contiguous();
  }
  static std::vector<std::string> Steps(const Comparison& comparison) {
    std::vector<std::string> steps;
    for (const DerivedResult& derived : comparison.alignment.derived) steps.push_back(derived.how);
    return steps;
  }
};

TEST_F(SlicesTest, HalfOfTheChannelsIsExplained) {
  Arrays recorded = right_;
  for (const size_t i : {size_t{0}, size_t{2}}) {
    recorded[i] = {"rank1/" + recorded[i].first + "_shard", Half(testing::Noisy(right_[i].second))};
  }
  for (const bool left : {true, false}) {
    const Comparison comparison = Compared(recorded, {}, left);
    EXPECT_TRUE(Agrees(comparison));
    EXPECT_THAT(Steps(comparison),
                ElementsAre("a slice along axis 1, from 4", "a slice along axis 1, from 4"));
    EXPECT_THAT(comparison.causes, IsEmpty());
  }
}

TEST_F(SlicesTest, AWrongSliceIsNone) {
  Arrays recorded = right_;
  recorded[2] = {"rank1/d", Half(testing::Changed(right_[2].second, testing::Scale))};
  const Comparison comparison = Compared(recorded);
  EXPECT_THAT(Steps(comparison), IsEmpty());
}

}  // namespace
}  // namespace onnxcmp
