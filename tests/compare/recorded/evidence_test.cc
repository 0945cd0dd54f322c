#include "compare/recorded/evidence.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/support/built_comparison.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::BuiltSide;
using ::onnxcmp::testing::SomeFloats;

class RecordedEvidenceTest : public ::testing::Test {
 protected:
  RecordedEvidenceTest() {
    x_ = model_.Input("x", SomeFloats({4, 8}, 1));
    first_ = model_.Node("MatMul", {x_}, "first", SomeFloats({4, 8}, 2));
    second_ = model_.Node("Add", {first_}, "second", SomeFloats({4, 8}, 3));
  }
  BuiltSide model_;
  BuiltSide recording_;
  int x_ = 0, first_ = 0, second_ = 0;
};

TEST_F(RecordedEvidenceTest, AResultDoesNotSpeakForItself) {
  const int near = recording_.Recorded("near", SomeFloats({4, 8}, 2, 1e-6));
  const int copy = recording_.Recorded("copy", SomeFloats({4, 8}, 2, 1e-6));
  const std::vector<int> partners = {first_, first_};
  const RecordedEvidence evidence(recording_.stream(), model_.stream(), partners);
  EXPECT_FALSE(evidence.Confirms(first_, near));
  EXPECT_FALSE(evidence.Confirms(first_, copy));
}

TEST_F(RecordedEvidenceTest, OthersSpeakForIt) {
  const int near = recording_.Recorded("near", SomeFloats({4, 8}, 2, 1e-6));
  recording_.Recorded("exact", SomeFloats({4, 8}, 2));
  std::vector<int> partners = {first_, first_};
  EXPECT_TRUE(
      RecordedEvidence(recording_.stream(), model_.stream(), partners).Confirms(first_, near));
  partners = {first_, kNone};
  EXPECT_FALSE(
      RecordedEvidence(recording_.stream(), model_.stream(), partners).Confirms(first_, near));
}

TEST_F(RecordedEvidenceTest, OrAllThatIsComputedFromIt) {
  const int near = recording_.Recorded("near", SomeFloats({4, 8}, 2, 1e-6));
  recording_.Recorded("after", SomeFloats({4, 8}, 3));
  const std::vector<int> partners = {first_, second_};
  EXPECT_TRUE(
      RecordedEvidence(recording_.stream(), model_.stream(), partners).Confirms(first_, near));
  BuiltSide wrong;
  wrong.Recorded("near", SomeFloats({4, 8}, 2, 1e-6));
  wrong.Recorded("after", SomeFloats({4, 8}, 77));
  EXPECT_FALSE(RecordedEvidence(wrong.stream(), model_.stream(), partners).Confirms(first_, near));
}

}  // namespace
}  // namespace onnxcmp
