// onnxcmp chain --generate, and pairs of a batch that take steps.
#include <filesystem>
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

using ::onnxcmp::testing::Model;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::ReadFile;
using ::onnxcmp::testing::WriteFile;
using ::testing::HasSubstr;
using ::testing::Not;

nlohmann::json ChainReport(std::vector<std::string> line) {
  line.insert(line.begin(), {"chain", "--generate"});
  line.insert(line.end(), {"--format", "json"});
  return nlohmann::json::parse(Onnxcmp(line).out, nullptr, /*allow_exceptions=*/false);
}

TEST(ChainGenerationTest, PassesThatAgree) {
  const nlohmann::json report =
      ChainReport({Model("cached"), Model("plain"), Model("buffered"), "--steps", "4"});
  EXPECT_EQ(report["exit_status"], 0);
  EXPECT_EQ(report["passes"].size(), 2u);
  EXPECT_TRUE(report["broken_by"].is_null());
  // The first beside the last.
  EXPECT_EQ(report["ends"]["steps"].size(), 4u);
  EXPECT_THAT(report["ends"]["right"]["source"].get<std::string>(), HasSubstr("buffered"));
}

TEST(ChainGenerationTest, FirstPassThatBreaksIsNamed) {
  const std::string page = ::testing::TempDir() + "FirstPassThatBreaks.html";
  const std::string suite = ::testing::TempDir() + "FirstPassThatBreaks.xml";
  const std::vector<std::string> models = {Model("cached"), Model("plain"), Model("restarted"),
                                           Model("buffered")};
  std::vector<std::string> line = {"chain",  "--generate", "--steps", "3",
                                   "--html", page,         "--junit", suite};
  line.insert(line.end(), models.begin(), models.end());
  const Outcome outcome = Onnxcmp(line);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("pass 1 is the first whose decoders part"));
  EXPECT_THAT(outcome.out, HasSubstr("step 1 is the first that fails"));
  EXPECT_THAT(outcome.out, HasSubstr("broken at Range (lines)"));
  EXPECT_THAT(ReadFile(page), HasSubstr("\"generation\":{\"prompts\""));
  EXPECT_THAT(ReadFile(suite), HasSubstr("tests=\"3\" failures=\"2\" errors=\"0\""));
  const nlohmann::json report = ChainReport(models);
  EXPECT_EQ(report["exit_status"], 1);
  EXPECT_EQ(report["broken_by"], 1);
  EXPECT_EQ(report["passes"][1]["failing_step"], 1);
  EXPECT_TRUE(report["ends"].is_null());
}

TEST(ChainGenerationTest, ChangesThatAddUp) {
  // Each scale is within tolerance of the one before.
  std::vector<std::string> models = {Model("plain")};
  for (const char* scale : {"1.000015", "1.00003", "1.000045", "1.00006"}) {
    models.push_back(
        testing::ChangedBy("plain", absl::StrCat("_", scale),
                           {{"logits = MatMul(", "all_logits = MatMul("},
                            {"\n}", absl::StrCat("\n  factor = Constant<value_float = ", scale,
                                                 ">()\n  logits = Mul(all_logits, factor)\n}")}}));
  }
  models.insert(models.end(), {"--rtol", "2e-5", "--atol", "0"});
  const nlohmann::json report = ChainReport(models);
  EXPECT_EQ(report["exit_status"], 1) << report.dump();
  EXPECT_TRUE(report["broken_by"].is_null());
  EXPECT_EQ(report["ends"]["exit_status"], 1);
}

TEST(ChainGenerationTest, MistakesAreErrors) {
  EXPECT_THAT(Onnxcmp({"chain", "--generate", Model("cached")}).err,
              HasSubstr("two models at least are needed"));
  const Outcome gone = Onnxcmp({"chain", "--generate", Model("cached"), "gone.onnx"});
  EXPECT_EQ(gone.status, 2);
  EXPECT_THAT(gone.err, HasSubstr("model 1: "));
  const std::string copy = testing::ChangedBy("cached", "_kept", {});
  EXPECT_EQ(Onnxcmp({"chain", "--generate", Model("plain"), copy, "--json", copy}).status, 2);
  EXPECT_THAT(
      Onnxcmp({"chain", "--generate", Model("cached"), Model("plain"), "--role", "nothing=mask"})
          .err,
      HasSubstr("--role nothing=mask: no model has an input `nothing`"));
}

TEST(BatchGenerationTest, PairsTakeSteps) {
  const std::string folder = ::testing::TempDir() + "PairsTakeSteps";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string manifest = WriteFile(
      folder + "/pairs.csv",
      absl::StrCat("name,left,right,options\n", "good,", Model("cached"), ",", Model("plain"),
                   ",--generate --steps 3\n", "bad,", Model("plain"), ",", Model("restarted"),
                   ",--generate --steps 3\n", "node,", Model("cached"), ",", Model("restarted"),
                   ",--generate --steps 3\n", "long,", Model("cached"), ",", Model("plain"),
                   ",\"--generate --prompt 99\"\n"));
  const Outcome outcome = Onnxcmp({"batch", manifest, "--out", folder + "/out"});
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("bad  "));
  EXPECT_THAT(outcome.out, HasSubstr("token 99"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("good  ")));
  const std::string results = ReadFile(folder + "/out/results.jsonl");
  EXPECT_THAT(results, HasSubstr("Range"));
  EXPECT_THAT(results, HasSubstr("the logits of 3 steps agree"));
  EXPECT_THAT(results, HasSubstr("step 1 is the first that fails"));
  EXPECT_THAT(results, HasSubstr("report.html"));
  // A mistake shows before the first pair.
  const std::string wrong =
      WriteFile(folder + "/wrong.csv", absl::StrCat("left,right,options\n", Model("cached"), ",",
                                                    Model("plain"), ",--generate --stepps 3\n"));
  const Outcome mistake = Onnxcmp({"batch", wrong, "--out", folder + "/none"});
  EXPECT_EQ(mistake.status, 2);
  EXPECT_THAT(mistake.err, HasSubstr("--stepps"));
  const std::string several = WriteFile(
      folder + "/several.csv", absl::StrCat("left,right,options\n", Model("cached"), "+",
                                            Model("plain"), ",", Model("plain"), ",--generate\n"));
  EXPECT_THAT(Onnxcmp({"batch", several, "--out", folder + "/none"}).err,
              HasSubstr("is given to a batch as the folder that has them"));
}

}  // namespace
}  // namespace onnxcmp
