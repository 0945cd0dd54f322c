#include "compare/input_sets/batch_entry.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_join.h"
#include "compare/compare.h"
#include "compare/sides/recording_side.h"
#include "feed/input_sets.h"
#include "tests/compare/sides/recordings_beside_model.h"
#include "tests/support/op_test.h"
#include "tests/support/recorded_arrays.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::RandomFloats;
using ::testing::HasSubstr;

class BatchEntryTest : public testing::RecordingsBesideModel {
 protected:
  static constexpr char kOfAnyBatch[] = R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[n, 6, 4] x) => (float[n, 6, 4] y) {
      [first] a = Sigmoid(x)
      [second] b = Mul(a, x)
      [third] c = Softmax(b)
      [fourth] y = Add(c, x)
    })";
  static constexpr int kEntry = 1;

  // Results of one entry of three, beside the model on all three.
  void Record(
      const std::string& name = "", const testing::Change& change = [](std::vector<float>*) {}) {
    const Tensor batch = RandomFloats({3, 6, 4}, 1);
    const Tensor entry = *batch.Strided({1, 6, 4}, batch.strides(), kEntry * 24).Contiguous();
    Take(kOfAnyBatch, {{"x", entry}});
    Arrays arrays = With(name, change);
    Take(kOfAnyBatch, {{"x", batch}});
    recording_ = std::make_unique<RecordingSide>(
        "r.npz", std::make_unique<testing::ArraysInMemory>(std::move(arrays)));
    fed_.right = {{"x", batch}};
  }
  std::optional<Comparison> OnEntry() {
    CompareOptions options;
    options.threads = 1;
    const auto whole = Compare(*recording_, *model_, options);
    EXPECT_TRUE(whole.ok()) << whole.status();
    EXPECT_FALSE(Agrees(*whole));
    auto made = CompareOnEntry(*recording_, *model_, options, *whole, &fed_);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *std::move(made) : std::nullopt;
  }

  std::unique_ptr<RecordingSide> recording_;
  FedInputs fed_;
};

TEST_F(BatchEntryTest, TheModelRunsOnTheEntryThatWasRecorded) {
  Record();
  const std::optional<Comparison> comparison = OnEntry();
  ASSERT_TRUE(comparison.has_value());
  EXPECT_TRUE(Agrees(*comparison));
  EXPECT_THAT(absl::StrJoin(comparison->notes, "\n"), HasSubstr("entry 1 of 3"));
  EXPECT_EQ(fed_.right.at("x").tensor().shape(), Shape({1, 6, 4}));
}

TEST_F(BatchEntryTest, AFaultInTheEntryIsOne) {
  Record("c", testing::Scale);
  const std::optional<Comparison> comparison = OnEntry();
  ASSERT_TRUE(comparison.has_value());
  EXPECT_FALSE(Agrees(*comparison));
  EXPECT_THAT(CauseNames(*comparison), ::testing::ElementsAre("c"));
}

}  // namespace
}  // namespace onnxcmp
