// onnxcmp generate beside a recording: a set for each step, with tokens or without, with states.
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "tests/cli/program.h"
#include "tests/generate/decoders.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Changed;
using ::onnxcmp::testing::Model;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::Report;
using ::onnxcmp::testing::WriteFile;
using ::testing::HasSubstr;

class RecordedStepsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        ::testing::TempDir() + ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }

  // Runs a model without a cache on all tokens so far, and keeps each run in an archive.
  std::string Record(const std::string& model, const std::string& option, size_t steps) {
    const std::vector<int> all = {8, 14, 10, 14, 8, 15, 10, 15, 11, 15};
    for (size_t step = 0; step < steps; ++step) {
      std::vector<int> tokens(all.begin(), all.begin() + static_cast<int>(5 + step));
      std::vector<int> positions(tokens.size());
      std::iota(positions.begin(), positions.end(), 0);
      nlohmann::json feeds = {
          {"input_ids", nlohmann::json::array({tokens})},
          {"attention_mask", nlohmann::json::array({std::vector<int>(tokens.size(), 1)})},
          {"position_ids", nlohmann::json::array({positions})}};
      const std::string inputs = WriteFile(folder_ + "_inputs.json", feeds.dump());
      const Outcome ran = Onnxcmp({"run", model, "--inputs", inputs, option,
                                   absl::StrCat(folder_, "/step_", step, ".npz")});
      EXPECT_EQ(ran.status, 0) << ran.err;
    }
    return folder_;
  }

  std::string folder_;
};

TEST_F(RecordedStepsTest, AgreesWithWhatWasRecorded) {
  const std::string recording = Record(Model("plain"), "--save-all", 4);
  for (const char* other : {"plain", "cached", "buffered"}) {
    const nlohmann::json report = Report({Model(other), recording});
    EXPECT_EQ(report["exit_status"], 0) << other << report["lines"];
    // No more than were recorded.
    EXPECT_EQ(report["steps"].size(), 4u);
    EXPECT_EQ(report["prompts"].dump(), "[[8,14,10,14,8]]");
    EXPECT_EQ(Report({recording, Model(other), "--steps", "2"})["steps"].size(), 2u);
  }
}

TEST_F(RecordedStepsTest, WithoutTokens) {
  const std::string recording = Record(Model("plain"), "--save", 3);
  EXPECT_EQ(Report({Model("cached"), recording, "--prompt", "8,14,10,14,8"})["exit_status"], 0);
  const Outcome none = Onnxcmp({"generate", Model("cached"), recording});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("is a recording without tokens: --prompt gives those"));
}

TEST_F(RecordedStepsTest, FaultOfACacheIsNamed) {
  const std::string recording = Record(Model("plain"), "--save-all", 3);
  for (const auto& [left, right] : std::vector<std::pair<std::string, std::string>>{
           {recording, Model("restarted")}, {Model("restarted"), recording}}) {
    const nlohmann::json report = Report({left, right});
    EXPECT_EQ(report["exit_status"], 1);
    EXPECT_EQ(report["failing_step"], 1);
    EXPECT_EQ(report["alone"][0]["result"], "lines") << report["alone"].dump();
  }
}

TEST_F(RecordedStepsTest, FaultOfTheFirstStepIsNamed) {
  const std::string recording = Record(Model("plain"), "--save-all", 2);
  const std::string faulty = Changed("cached", "key_1_by_sin = Mul(key_1_turned, sine)",
                                     "key_1_by_sin = Mul(key_1_turned, cosine)");
  const nlohmann::json report = Report({recording, faulty});
  EXPECT_EQ(report["failing_step"], 0);
  EXPECT_THAT(report["comparison"]["causes"].dump(), HasSubstr("key_1_by_sin"));
}

TEST_F(RecordedStepsTest, MistakesAreErrors) {
  const std::string recording = Record(Model("plain"), "--save-all", 2);
  const auto error = [&](std::vector<std::string> line) {
    line.insert(line.begin(), "generate");
    const Outcome outcome = Onnxcmp(line);
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  EXPECT_THAT(error({recording, recording}), HasSubstr("one side has to be a model"));
  EXPECT_THAT(error({Model("cached"), recording, "--prompt", "3"}),
              HasSubstr("is a recording with its own tokens: --prompt is not for it"));
  EXPECT_THAT(error({Model("cached"), recording, "--free"}), HasSubstr("--free is for two models"));
  EXPECT_THAT(error({recording, "--invariants"}), HasSubstr("is a recording"));
  EXPECT_THAT(error({Model("cached"), recording, "--against", "onnxruntime"}),
              HasSubstr("is a recording, which no runtime can run"));
  const std::string other = folder_ + "_other";
  std::filesystem::create_directories(other);
  WriteFile(other + "/step_0.json", R"({"hidden": [[1, 2], [3, 4]]})");
  EXPECT_THAT(error({Model("cached"), other}),
              HasSubstr("is a recording without logits in its first step: none of its values is "
                        "called `logits`, or alone has `logits` in its name: hidden"));
}

}  // namespace
}  // namespace onnxcmp
