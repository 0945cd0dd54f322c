// Repros as files: what is written, what is not overwritten, what the test in them does.
#include "tools/repro/write_repro.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compare/causes/repro.h"
#include "compare/compare.h"
#include "compare/sides/recording_side.h"
#include "record/recordings/recording.h"
#include "tests/support/load_test.h"
#include "tests/support/model_pair.h"
#include "tests/support/op_test.h"
#include "tools/backend_tests/backend_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::GivenFeeds;
using ::onnxcmp::testing::Registry;
using ::onnxcmp::testing::TestFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kWrongModel[] = R"((float[2,4] x) => (float[2,4] y)
<float[4] scale = {1.1, 0.9, 1.2, 0.8}, float[4] bias = {0.1, -0.2, 0.3, -0.4}> {
  a = Tanh (x)
  b = LayerNormalization <epsilon = 0.00001> (a, scale, bias)
  y = Neg (b)
})";
constexpr char kFaulty[] = R"((float[2,4] x) => (float[2,4] y)
<float[4] scale = {1.1, 0.9, 1.2, 0.8}, float[4] bias = {0.1, -0.2, 0.3, -0.4}> {
  a = Tanh (x)
  b = LayerNormalization <epsilon = 0.0001> (a, scale, bias)
  y = Neg (b)
})";

Comparison Compared() {
  CompareOptions options;
  options.threads = 1;
  options.repro = true;
  auto comparison = testing::CompareGraphs(kWrongModel, kFaulty, GivenFeeds(), options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? *std::move(comparison) : Comparison();
}

ReproOptions To(const std::string& dir) {
  ReproOptions options;
  options.dir = dir;
  options.evaluator.threads = 1;
  return options;
}

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::set<std::string> FilesIn(const std::string& dir) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir)) {
    if (entry.is_regular_file()) {
      files.insert(std::filesystem::relative(entry.path(), dir).string());
    }
  }
  return files;
}

TEST(WriteRepro, AFolderForEachCause) {
  const TestFolder folder;
  Comparison comparison = Compared();
  ASSERT_THAT(comparison.causes, SizeIs(1));
  ASSERT_TRUE(WriteRepros(Registry(), To(folder.Path("r")), &comparison).ok());
  EXPECT_EQ(comparison.causes[0].repro_folder, folder.Path("r/cause_1"));
  EXPECT_THAT(FilesIn(folder.Path("r")),
              ElementsAre("cause_1/arrays/0.npy", "cause_1/arrays/1.npy", "cause_1/cause.txt",
                          "cause_1/left.onnx", "cause_1/model.onnx", "cause_1/repro.py",
                          "cause_1/right.onnx", "cause_1/test_data_set_0/input_0.pb",
                          "cause_1/test_data_set_0/output_0.pb", "cause_1/tolerances.json"));
  EXPECT_THAT(comparison.notes, IsEmpty());
}

TEST(WriteRepro, TheTestInItFailsAndPassesForTheLeft) {
  const TestFolder folder;
  Comparison comparison = Compared();
  ASSERT_TRUE(WriteRepros(Registry(), To(folder.Path("r")), &comparison).ok());
  const std::string cause = folder.Path("r/cause_1");
  BackendTestOptions options;
  options.evaluator.threads = 1;
  // Less than what ONNX's own tolerance accepts.
  EXPECT_FALSE(RunBackendTest(cause, Registry(), options).passed);
  std::filesystem::copy_file(cause + "/left.onnx", cause + "/model.onnx",
                             std::filesystem::copy_options::overwrite_existing);
  const BackendTestOutcome outcome = RunBackendTest(cause, Registry(), options);
  EXPECT_TRUE(outcome.passed) << outcome.text;
}

TEST(WriteRepro, TheScriptRunsTheRuntimeOfTheRight) {
  const TestFolder folder;
  struct Case {
    const char* runtime;
    const char* imports;  // "": no script
    const char* command;
  };
  const std::vector<Case> cases = {{"", "import onnxruntime\n", "/right.onnx\n"},
                                   {"onnxruntime:optimization=none", "import onnxruntime\n",
                                    "--against onnxruntime:optimization=none"},
                                   {"openvino", "import openvino\n", "--against openvino"},
                                   {"tract", "import tract\n", "--against tract"},
                                   {"reference", "import onnx.reference\n", "--against reference"},
                                   {"./mine.py", "", "--against ./mine.py"}};
  for (const Case& one : cases) {
    Comparison comparison = Compared();
    comparison.right_summary.runtime = one.runtime;
    comparison.right_summary.ran_in = one.runtime;
    const std::string dir = folder.Path("r");
    ASSERT_TRUE(ClearReproTarget(dir).ok());
    ASSERT_TRUE(WriteRepros(Registry(), To(dir), &comparison).ok());
    EXPECT_THAT(FileText(dir + "/cause_1/cause.txt"), HasSubstr(one.command));
    const std::string script = dir + "/cause_1/repro.py";
    ASSERT_EQ(std::filesystem::exists(script), *one.imports != 0) << one.runtime;
    if (*one.imports == 0) continue;
    const std::string text = FileText(script);
    EXPECT_THAT(text, HasSubstr(one.imports));
    EXPECT_THAT(text, Not(HasSubstr("@")));
    // The same model in the same runtime again says nothing.
    EXPECT_EQ(text.find("left.onnx") == std::string::npos, *one.runtime != 0);
  }
}

TEST(WriteRepro, WhatIsOursIsReplaced) {
  const TestFolder folder;
  const std::string dir = folder.Path("r");
  EXPECT_TRUE(CheckReproTarget(dir).ok());
  std::filesystem::create_directory(dir);
  EXPECT_TRUE(CheckReproTarget(dir).ok());
  Comparison comparison = Compared();
  ReproOptions several = To(dir);
  several.prefix = "set_1_";
  ASSERT_TRUE(WriteRepros(Registry(), several, &comparison).ok());
  ASSERT_TRUE(WriteRepros(Registry(), To(dir), &comparison).ok());
  EXPECT_TRUE(CheckReproTarget(dir).ok());
  ASSERT_TRUE(ClearReproTarget(dir).ok());
  EXPECT_THAT(FilesIn(dir), IsEmpty());
}

TEST(WriteRepro, WhatAKillHasLeftIsReplaced) {
  const TestFolder folder;
  const std::string dir = folder.Path("r");
  folder.Write("r/cause_1/left.onnx.4711.unfinished", "half");
  folder.Write("r/cause_1/.onnxcmp-aB3dEf/pieces", "half");
  EXPECT_TRUE(CheckReproTarget(dir).ok()) << CheckReproTarget(dir);
  ASSERT_TRUE(ClearReproTarget(dir).ok());
  EXPECT_THAT(FilesIn(dir), IsEmpty());
}

TEST(WriteRepro, WhatIsNotOursStays) {
  const TestFolder folder;
  // `named`: what is in the way.
  const auto refused = [&](const std::string& file, const std::string& named) {
    folder.Write(file, "mine");
    const absl::Status status = CheckReproTarget(folder.Path("r"));
    EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
    EXPECT_THAT(std::string(status.message()), HasSubstr(folder.Path(named)));
    EXPECT_FALSE(ClearReproTarget(folder.Path("r")).ok());
    EXPECT_TRUE(std::filesystem::exists(folder.Path(file)));
    std::filesystem::remove_all(folder.Path("r"));
  };
  refused("r/notes.txt", "r/notes.txt");
  refused("r/cause_1/notes.txt", "r/cause_1/notes.txt");
  refused("r/cause_1/test_data_set_0/notes.txt", "r/cause_1/test_data_set_0/notes.txt");
  refused("r/cause_1/notes.4711.unfinished", "r/cause_1/notes.4711.unfinished");
  refused("r/cause_1/left.onnx.unfinished", "r/cause_1/left.onnx.unfinished");
  refused("r/cause_1x/cause.txt", "r/cause_1x");
  refused("r/cause_1", "r/cause_1");
  refused("r", "r");
}

TEST(WriteRepro, WhatDoesNotReproduceIsNotWritten) {
  const TestFolder folder;
  Comparison comparison = Compared();
  ASSERT_THAT(comparison.causes, SizeIs(1));
  auto other = std::make_shared<Repro>(*comparison.causes[0].repro);
  other->left_result = other->right_result;
  comparison.causes[0].repro = other;
  ASSERT_TRUE(WriteRepros(Registry(), To(folder.Path("r")), &comparison).ok());
  EXPECT_EQ(comparison.causes[0].repro_folder, "");
  EXPECT_EQ(comparison.causes[0].no_repro, "by itself it gives other values than in its model");
  EXPECT_THAT(comparison.notes,
              ElementsAre(HasSubstr("no repro of cause 1: by itself it gives other values")));
  EXPECT_FALSE(std::filesystem::exists(folder.Path("r/cause_1")));
}

TEST(WriteRepro, AFolderThatCannotBeWrittenIsAnError) {
  const TestFolder folder;
  Comparison comparison = Compared();
  folder.Write("file", "");
  EXPECT_FALSE(WriteRepros(Registry(), To(folder.Path("file/r")), &comparison).ok());
}

TEST(WriteRepro, OfARecordingThereIsARecording) {
  const TestFolder folder;
  const testing::LoadedModel left = testing::LoadGraph(absl::StrCat("g ", kWrongModel));
  ASSERT_TRUE(left.ok()) << left.status();
  const auto evaluator = Evaluator::Create(*left, Registry(), {.threads = 1});
  ASSERT_TRUE(evaluator.ok());
  auto writer = RecordingWriter::Create(folder.Path("left.npz"), false);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(evaluator->Run(GivenFeeds(), writer->get()).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  folder.Write("right.onnxtxt",
               absl::StrCat("<ir_version: 9, opset_import: [\"\": 21]> g ", kFaulty));
  const EvaluatorOptions one = {.threads = 1};
  const auto recorded = OpenSide(folder.Path("left.npz"), Registry(), {}, one);
  const auto right = OpenSide(folder.Path("right.onnxtxt"), Registry(), {}, one);
  ASSERT_TRUE(recorded.ok() && right.ok());
  (*right)->SetFeeds(GivenFeeds());
  CompareOptions options;
  options.threads = 1;
  options.repro = true;
  auto comparison = Compare(**recorded, **right, options);
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  ASSERT_THAT(comparison->causes, SizeIs(1));
  ASSERT_NE(comparison->causes[0].repro, nullptr);
  EXPECT_EQ(comparison->causes[0].repro->left, nullptr);
  ASSERT_TRUE(WriteRepros(Registry(), To(folder.Path("r")), &*comparison).ok());
  const auto again = OpenSide(folder.Path("r/cause_1/left.npz"), Registry(), {}, one);
  ASSERT_TRUE(again.ok()) << again.status();
  const auto inputs = (*again)->RecordedInputs(Graph());
  ASSERT_TRUE(inputs.ok());
  ASSERT_THAT(inputs->values, SizeIs(1));
  EXPECT_EQ(inputs->values[0].name, "a");
}

}  // namespace
}  // namespace onnxcmp
