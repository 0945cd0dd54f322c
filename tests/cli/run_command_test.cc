// Running one model: summary, saved files, interruption.
#include <signal.h>

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/recordings/npz_reader.h"
#include "record/recordings/recording.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectSameBits;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::ReadFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;

class RunCommandTest : public testing::ModelFolderTest {
 protected:
  std::string Model(const std::string& graph) { return ModelFolderTest::Model("m", graph); }
  std::vector<std::string> FilesBesidesTheModel() {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().filename() != "m.onnxtxt") {
        files.push_back(entry.path().filename().string());
      }
    }
    return files;
  }
};

TEST_F(RunCommandTest, PrintsOutputsInShort) {
  const std::string model = Model(
      "(float[4] x, float[5,4] y) => (float[4] a, float[5,4] b, int64[1] c) "
      "{ a = Add(x, x) b = Add(y, y) c = Shape(x) }");
  const Outcome outcome = Onnxcmp({"run", model, "--ramp"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out,
            "a  float[4]  [0, 0.5, 1, 1.5]\n"
            "b  float[5,4]  min 0  max 1.9  mean 0.95\n"
            "c  int64[1]  [4]\n");
}

TEST_F(RunCommandTest, TheModelStays) {
  const std::string model = Model("(float[4] x) => (float[4] y) { y = Neg(x) }");
  const std::string before = ReadFile(model);
  for (const char* option : {"--save", "--save-all", "--trace"}) {
    const Outcome outcome = Onnxcmp({"run", model, option, model});
    EXPECT_EQ(outcome.status, 2) << option;
    EXPECT_THAT(outcome.err, HasSubstr("is read by this command: it is not written over"));
  }
  EXPECT_EQ(ReadFile(model), before);
}

// Statistics are of the numbers; what is none is counted, with its first place.
TEST_F(RunCommandTest, TellsWhatIsNoNumber) {
  const std::string model =
      Model("(float[2,32] x) => (float[2,32] y) { z = Sub(x, x) y = Div(x, z) }");
  Outcome outcome = Onnxcmp({"run", model, "--ramp"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 NaN"));
  EXPECT_THAT(outcome.out, HasSubstr("63 inf"));
  outcome = Onnxcmp({"run", model, "--ramp", "--nan"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("0 / 0"));
}

TEST_F(RunCommandTest, ProfilesNodesAndWritesATrace) {
  const std::string model =
      Model("(float[8,8] x) => (float[8,8] z) { [product] y = MatMul(x, x) [sum] z = Add(y, x) }");
  const std::string trace = folder_ + "/trace.json";
  const Outcome outcome = Onnxcmp({"run", model, "--profile", "--trace", trace});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("profile: 2 nodes ran 2 times in "));
  EXPECT_THAT(outcome.out, HasSubstr("\nproduct  MatMul "));
  EXPECT_THAT(testing::ReadFile(trace), HasSubstr("\"name\":\"sum\""));
  EXPECT_THAT(testing::ReadFile(trace), HasSubstr("\"operations\":1024.0"));
  EXPECT_EQ(Onnxcmp({"run", model, "--trace", folder_ + "/no/trace"}).status, 2);
}

TEST_F(RunCommandTest, SavesOutputsAndEveryResult) {
  const std::string model =
      Model("(float[2] x) => (float[2] z) <float[2] w = {1, 2}> { y = Add(x, w) z = Neg(y) }");
  const std::string outputs = folder_ + "/outputs.npz";
  const std::string all = folder_ + "/all.npz";
  const Outcome outcome = Onnxcmp({"run", model, "--ramp", "--save", outputs, "--save-all", all});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(FilesBesidesTheModel(), UnorderedElementsAre("outputs.npz", "all.npz"));
  EXPECT_THAT(NpzReader::Open(outputs)->names(), ElementsAre("z"));
  const auto npz = NpzReader::Open(all);
  ASSERT_TRUE(npz.ok()) << npz.status();
  EXPECT_THAT(npz->names(), ElementsAre("w", "x", "y", "z"));
  ExpectSameBits(npz->ReadArray(*npz->Find("z"))->tensor, Tensor::Of<float>({2}, {-1, -2.5f}));
  const auto recording = RecordingReader::Open(all);
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->results().size(), 5u);
  EXPECT_EQ(recording->results()[3].op_type, "Neg");
  EXPECT_EQ(recording->results()[4].kind, ResultKind::kOutput);
  // A recording's inputs are inputs again.
  EXPECT_EQ(Onnxcmp({"run", model, "--inputs", all}).out, outcome.out);
}

TEST_F(RunCommandTest, ResultsOfALoopHaveTheirIteration) {
  const std::string model = Model(
      "(float x) => (float y) <int64 n = {2}, bool go = {1}> { y = Loop <body = b "
      "(int64 i, bool c, float a) => (bool d, float e) { d = Identity(c) e = Add(a, a) }> "
      "(n, go, x) }");
  const std::string all = folder_ + "/all.npz";
  const Outcome outcome = Onnxcmp({"run", model, "--save-all", all});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto npz = NpzReader::Open(all);
  ASSERT_TRUE(npz.ok()) << npz.status();
  EXPECT_THAT(npz->names(), ::testing::IsSupersetOf({"x", "y"}));
  const auto recording = RecordingReader::Open(all);
  int seen = 0;
  for (const RecordedResult& result : recording->results()) {
    if (result.name == "e") {
      EXPECT_EQ(result.depth, 1);
      EXPECT_THAT(result.path, HasSubstr("[" + std::to_string(seen) + "]"));
      ++seen;
    }
  }
  EXPECT_EQ(seen, 2);
}

TEST_F(RunCommandTest, AFailedRunLeavesNoFile) {
  const std::string model =
      Model("(float[6] x) => (float[a] z) <int64[1] s = {4}> { z = Reshape(x, s) }");
  const Outcome outcome = Onnxcmp({"run", model, "--save-all", folder_ + "/all.npz"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("Reshape"));
  EXPECT_THAT(FilesBesidesTheModel(), IsEmpty());
}

TEST_F(RunCommandTest, AnInterruptedRunLeavesNoFile) {
  const std::string model = Model(
      "(float x) => (float y) <int64 n = {1000000000}, bool go = {1}> { y = Loop <body = b "
      "(int64 i, bool c, float a) => (bool d, float e) { d = Identity(c) e = Neg(a) }> "
      "(n, go, x) }");
  for (const int signal : {SIGINT, SIGTERM}) {
    const Outcome outcome =
        testing::OnnxcmpInterrupted({"run", model, "--save", folder_ + "/all.npz"}, signal, 700);
    EXPECT_EQ(outcome.status, -signal) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(FilesBesidesTheModel(), IsEmpty());
  }
}

// A limit cleans up as a signal does, also where signals are ignored.
TEST_F(RunCommandTest, ALimitLeavesNoFile) {
  const std::string endless = Model(
      "(float x) => (float y) <int64 n = {1000000000}, bool go = {1}> { y = Loop <body = b "
      "(int64 i, bool c, float a) => (bool d, float e) { d = Identity(c) e = Neg(a) }> "
      "(n, go, x) }");
  const std::string save = " --save " + folder_ + "/all.npz ";
  Outcome outcome = testing::Shell("$ONNXCMP run " + endless + save + "--max-time 0.5");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              MatchesRegex("onnxcmp: the command takes longer than --max-time allows, "
                           "500ms; it ends here while 0 of 1 nodes, .* s, (Loop|Neg|Identity)\n"));
  EXPECT_THAT(FilesBesidesTheModel(), IsEmpty());
  outcome = testing::Shell("trap '' INT TERM HUP; $ONNXCMP run " + endless + save +
                           "--quiet --max-time 500ms");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--max-time allows"));
  EXPECT_THAT(FilesBesidesTheModel(), IsEmpty());
  // Pieces of a tensor are no values that the account knows.
  const std::string large =
      Model("(float[9000000] x) => (seq(float) y) { y = SplitToSequence<keepdims=0>(x) }");
  outcome = testing::Shell("$ONNXCMP run " + large + save + "--max-memory 64M");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the program holds more than --max-memory allows"));
  EXPECT_THAT(FilesBesidesTheModel(), IsEmpty());
}

TEST_F(RunCommandTest, RunsOperatorsThroughTheirBodies) {
  const std::string model = Model(
      "(float[2,1,1,1] x) => (float[2,1,1,1] y) { y = MeanVarianceNormalization<axes = [7]>(x) }");
  const Outcome outcome = Onnxcmp({"run", "--expand-functions", model});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr(" in y (MeanVarianceNormalization): "));
}

TEST_F(RunCommandTest, EndsLoopsAtTheStepLimit) {
  const std::string model = Model(
      "(float[2] x) => (float[2] y) <int64 n = {1000}> "
      "{ y = Loop(n, , x) <body = b (int64 i, bool c, float[2] v) => (bool c, float[2] w) "
      "{ w = Neg(v) }> }");
  const Outcome outcome = Onnxcmp({"run", "--max-steps", "50", model});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the run comes to more than 50 steps, which is the limit"));
}

TEST_F(RunCommandTest, BoundsWhatAllResultsHold) {
  const std::string model = Model("(float[256] x) => (float[256] y) { a = Neg(x) y = Neg(a) }");
  EXPECT_EQ(Onnxcmp({"run", "--max-memory", "2 KiB", model}).status, 0);
  const Outcome outcome = Onnxcmp({"run", "--max-memory", "1KiB", model});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("with 1024 bytes more the run would hold more than 1024"));
}

TEST_F(RunCommandTest, BoundsOneTensor) {
  const std::string model = Model("(float[256] x) => (float[256] y) { y = Neg(x) }");
  EXPECT_EQ(Onnxcmp({"run", "--max-tensor", "1K", model}).status, 0);
  const Outcome outcome = Onnxcmp({"run", "--max-tensor", "1023", model});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("more than the limit of 1023"));
}

}  // namespace
}  // namespace onnxcmp
