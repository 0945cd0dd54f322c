// Arguments, help, errors: what is said where, and with which exit status.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"

#include "tests/cli/program.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Lines;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::Shell;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string Plain() { return TestData("models/llm/plain.onnx"); }

// Exit status 2, nothing on standard output, one line on standard error.
void ExpectRefused(const std::vector<std::string>& arguments, const std::string& part) {
  const Outcome outcome = Onnxcmp(arguments);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("onnxcmp: "));
  EXPECT_THAT(outcome.err, HasSubstr(part));
  EXPECT_THAT(Lines(outcome.err), SizeIs(1)) << outcome.err;
}

TEST(CommandLineTest, HelpAndVersion) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"-h"},
                                             {"run", "--help"},
                                             {"ops", "--help"},
                                             {"chain", "--help"},
                                             {"bisect", "--help"},
                                             {"fusions", "--help"},
                                             {"generate", "--help"},
                                             {"layers", "--help"},
                                             {"--version"}}) {
    const Outcome outcome = Onnxcmp(arguments);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out, "");
    for (const std::string& line : Lines(outcome.out)) {
      EXPECT_LE(line.size(), 80u) << line;
    }
  }
}

TEST(CommandLineTest, SaysVersionsAndInstructions) {
  const std::vector<std::string> lines = Lines(Onnxcmp({"--version"}).out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], ::testing::MatchesRegex("onnxcmp [0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(lines[1], ::testing::MatchesRegex("ONNX: opset [0-9]+, ai\\.onnx\\.ml opset [0-9]+, "
                                                "IR version [0-9]+; protobuf [0-9.]+"));
  EXPECT_THAT(lines[2], StartsWith("compiled for "));
#ifdef __AVX2__
  EXPECT_THAT(lines[2], ::testing::HasSubstr("AVX2"));
#endif
}

// How many options a help lists.
size_t OptionsIn(const std::string& help) {
  size_t options = 0;
  for (const std::string& line : Lines(help)) options += absl::StartsWith(line, "  --") ? 1 : 0;
  return options;
}

TEST(CommandLineTest, TheShortHelpHasTenOptionsAndTheLongOneAll) {
  const std::string common = Onnxcmp({"-h"}).out, all = Onnxcmp({"--help"}).out;
  EXPECT_EQ(OptionsIn(common), 11U) << "ten, and --help";
  EXPECT_GE(OptionsIn(all), 60U);
  for (const std::string& line : Lines(common))
    EXPECT_THAT(all, HasSubstr(line == "Common options:" ? "" : line));
  for (const std::string& help : {common, all}) {
    EXPECT_THAT(help, HasSubstr("\nExamples:\n  onnxcmp plain.onnx optimized.onnx"));
    EXPECT_THAT(help, HasSubstr("\n  show MODEL ... "));
  }
}

TEST(CommandLineTest, ListsOperators) {
  const Outcome outcome = Onnxcmp({"ops"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("\nai.onnx +Add +1 6 7 13 14\n"));
}

TEST(CommandLineTest, Mistakes) {
  ExpectRefused({}, "two models are needed");
  ExpectRefused({Plain()}, "two models are needed");
  ExpectRefused({Plain(), Plain(), "third.onnx"}, "third.onnx");
  ExpectRefused({"--no-such-option"}, "--no-such-option");
  ExpectRefused({"run"}, "a model is needed");
  ExpectRefused({"run", Plain(), "more"}, "more");
  ExpectRefused({"ops", "more"}, "more");
  ExpectRefused({Plain(), Plain(), "--rtol", "-1"}, "--rtol");
  ExpectRefused({Plain(), Plain(), "--atol", "nan"}, "--atol");
  ExpectRefused({Plain(), Plain(), "--classic", "--prove"}, "--prove excludes --classic");
  ExpectRefused({Plain(), Plain(), "--classic", "--column-size", "0"}, "--column-size");
  ExpectRefused({Plain(), Plain(), "--classic", "--mode", "guess"}, "--mode");
  ExpectRefused({Plain(), Plain(), "--mode", "nodes"}, "--classic");
  ExpectRefused({Plain(), Plain(), "--tolerance", "x"}, "--tolerance: 'x' is not NAME=RTOL,ATOL");
  ExpectRefused({Plain(), Plain(), "--format", "pdf"}, "--format");
  for (const char* limit : {"--max-tensor", "--max-memory", "--keep-values", "--search-memory"}) {
    ExpectRefused({Plain(), Plain(), limit, "some"}, limit);
    ExpectRefused({Plain(), Plain(), limit, "-1"}, limit);
    ExpectRefused({Plain(), Plain(), limit, "16E16E"}, limit);
  }
  for (const char* time : {"soon", "0", "-1", "nan", "-2s"}) {
    ExpectRefused({Plain(), Plain(), "--max-time", time}, "--max-time");
  }
  ExpectRefused({"show", Plain(), "--max-time=-2s"}, "--max-time: '-2s' is no time such as 30s");
  ExpectRefused({"run", Plain(), "--max-tensor", "0"}, "--max-tensor");
  ExpectRefused({"run", Plain(), "--max-tensor", "99999999999G"}, "--max-tensor");
  ExpectRefused({"run", Plain(), "--keep-values", "1G"}, "--keep-values");
  ExpectRefused({Plain(), Plain(), "--memory-limit", "4"},
                "--memory-limit: is called --max-tensor SIZE now");
  ExpectRefused({"run", Plain(), "--memory-limit=0.5"}, "is called --max-tensor SIZE now");
  ExpectRefused({Plain(), Plain(), "--functions", "guess"}, "--functions");
  ExpectRefused({Plain(), Plain(), "--threads", "-1"}, "--threads");
  ExpectRefused({Plain(), Plain(), "--seed", "many"}, "--seed");
  ExpectRefused({Plain(), Plain(), "--dim", "n"}, "--dim n: should be NAME=N");
  ExpectRefused({Plain(), Plain(), "--dim", "n=-1"}, "should be NAME=N");
  ExpectRefused({Plain(), Plain(), "--dim", "n=1"}, "no input has such a dimension");
  ExpectRefused({"run", Plain(), "--save", "x.npz", "--save-all", "x.npz"}, "different files");
}

TEST(CommandLineTest, BlocksAndLayers) {
  const Outcome fusions = Onnxcmp({"fusions", Plain()});
  EXPECT_EQ(fusions.status, 0) << fusions.err;
  EXPECT_THAT(fusions.out, HasSubstr("   2  attention: whole\n"));
  const std::string fp16 = TestData("layers/fp16.detailed.log");
  EXPECT_EQ(Onnxcmp({"layers", fp16, fp16}).status, 0);
  EXPECT_EQ(Onnxcmp({"layers", TestData("layers/fp16.names.log"), fp16}).status, 0);
  const Outcome other = Onnxcmp({"layers", fp16, TestData("layers/int8.json"), "--model",
                                 TestData("layers/net.onnxtxt"), "--times-right",
                                 TestData("layers/int8.times.json")});
  EXPECT_EQ(other.status, 1) << other.err;
  EXPECT_THAT(other.out, HasSubstr("split 1→3"));
  ExpectRefused({"layers", fp16, TestData("layers/int8.times.json")}, "--exportProfile");
  ExpectRefused({"layers", fp16, TestData("npz")}, "npz");
}

TEST(CommandLineTest, FilesThatAreNotThere) {
  ExpectRefused({"no.onnx", Plain()}, "left: cannot read 'no.onnx'");
  ExpectRefused({Plain(), "no.onnx"}, "right: cannot read 'no.onnx'");
  ExpectRefused({"run", "no.onnx"}, "onnxcmp: cannot read 'no.onnx'");
  ExpectRefused({Plain(), Plain(), "--inputs", "no.npz"}, "onnxcmp: no.npz: No such file");
  ExpectRefused({Plain(), Plain(), "--left-inputs", "no.npz"}, "no.npz: No such file");
  ExpectRefused({"run", Plain(), "--save", "/no/such/folder/x.npz"}, "cannot write");
  ExpectRefused({"run", TestData("README.md")}, "README.md");
}

TEST(CommandLineTest, AReaderMayGoAway) {
  const Outcome outcome = Shell("$ONNXCMP '" + Plain() + "' '" + Plain() +
                                "' -q --classic --column-size 9000 | head -n 1");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(Lines(outcome.out), SizeIs(1));
}

TEST(CommandLineTest, OutputThatCannotBeWrittenIsAnError) {
  const Outcome outcome = Shell("$ONNXCMP ops > /dev/full");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("onnxcmp: cannot write to standard output"));
}

}  // namespace
}  // namespace onnxcmp
