// Models without tokens, tried by frames: streams with states, encoders with lengths, images.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/cli/program.h"
#include "tests/generate/decoders.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::PropertyOf;
using ::onnxcmp::testing::Report;
using ::onnxcmp::testing::WriteFile;
using ::testing::HasSubstr;

constexpr char kStream[] = R"(<ir_version: 10, opset_import: ["": 21]>
g (float[n,t,2] x, float[n,2,2] conv_cache) => (float[n,t,3] y, float[n,2,2] next_conv_cache)
<float[3,2,3] w = {1, 2, 0, 1, -1, 3, 2, 1, 1, 0, -2, 1, 1, 3, 2, -1, 0, 1},
 int64[1] axis = {1}, int64[1] from = {-2}, int64[1] to = {99}> {
  z = Concat<axis = 1>(conv_cache, x)
  across = Transpose<perm = [0, 2, 1]>(z)
  windows = Conv(across, w)
  y = Transpose<perm = [0, 2, 1]>(windows)
  next_conv_cache = Slice(z, from, to, axis)
})";

constexpr char kEncoder[] = R"(<ir_version: 10, opset_import: ["": 21]>
g (float[n,t,2] x, int64[n] lengths) => (float[n,t,2] y)
<int64[1] axis = {1}, int64 none = {0}, int64 one = {1}, float far = {-10000}> {
  shape = Shape<start = 1, end = 2>(x)
  total = Squeeze(shape)
  places = Range(none, total, one)
  column = Unsqueeze(lengths, axis)
  counts = Less(places, column)
  counts_3d = Unsqueeze(counts, axis)
  across = Transpose<perm = [0, 2, 1]>(x)
  scores = MatMul(x, across)
  masked = Where(counts_3d, scores, far)
  shares = Softmax<axis = -1>(masked)
  y = MatMul(shares, x)
})";

std::string Written(const std::string& text,
                    const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  const ::testing::TestInfo* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  const char* const end = changes.empty() ? ".onnxtxt" : "_changed.onnxtxt";
  return WriteFile(absl::StrCat(::testing::TempDir(), test->name(), end),
                   absl::StrReplaceAll(text, changes));
}

TEST(FramesTest, StreamInChunks) {
  const nlohmann::json report = Report({Written(kStream), "--invariants"});
  EXPECT_EQ(report["exit_status"], 0) << report;
  EXPECT_THAT(report["roles"].dump(), HasSubstr("frames x"));
  EXPECT_THAT(report["roles"].dump(), HasSubstr("1 state: conv_cache from next_conv_cache"));
  EXPECT_TRUE(report["taken_for"].is_null());
  for (const char* name : {"one token at a time", "in pieces of 3, 1 and the rest",
                           "in a batch of 3", "another token at the end"}) {
    EXPECT_EQ(PropertyOf(report, name)["outcome"], "to_the_bit") << name;
  }
  const nlohmann::json late =
      Report({Written(kStream, {{"from = {-2}", "from = {-3}"}, {"to = {99}", "to = {-1}"}}),
              "--invariants"});
  EXPECT_EQ(late["exit_status"], 1) << late;
  EXPECT_EQ(PropertyOf(late, "one token at a time")["result"], "windows");
}

TEST(FramesTest, ChunksThatSeeLaterFramesAreNotTheWhole) {
  // Each frame less the mean of its run.
  const std::string whole =
      Written(kStream, {{"  windows = Conv(across, w)",
                         "  all = Conv(across, w)\n  axis_2 = Constant<value_ints = [2]>()\n"
                         "  mean = ReduceMean(all, axis_2)\n  windows = Sub(all, mean)"}});
  const nlohmann::json report = Report({whole, "--invariants"});
  EXPECT_EQ(report["exit_status"], 0) << report;
  EXPECT_THAT(report["taken_for"].dump(), HasSubstr("frames of one run see later ones"));
  EXPECT_EQ(PropertyOf(report, "one token at a time")["outcome"], "not_tried");
  EXPECT_EQ(Report({whole, "--invariants", "--causal"})["exit_status"], 1);
}

TEST(FramesTest, EncoderWithLengths) {
  const nlohmann::json report = Report({Written(kEncoder), "--invariants"});
  EXPECT_EQ(report["exit_status"], 0) << report;
  EXPECT_THAT(report["roles"].dump(), HasSubstr("frames x, lengths lengths"));
  EXPECT_EQ(PropertyOf(report, "padding after the prompt")["outcome"], "to_the_bit");
  EXPECT_EQ(PropertyOf(report, "padding before the prompt")["outcome"], "not_tried");
  const nlohmann::json seen =
      Report({Written(kEncoder, {{"far = {-10000}", "far = {-1}"}}), "--invariants"});
  EXPECT_EQ(seen["exit_status"], 1) << seen;
  EXPECT_EQ(PropertyOf(seen, "padding after the prompt")["result"], "shares");
}

TEST(FramesTest, OutputsWithoutAPositionForEachFrame) {
  // Every second frame.
  const std::string halved = Written(
      kEncoder, {{"(float[n,t,2] y)", "(float[n,half,2] y)"},
                 {"  y = MatMul(shares, x)",
                  "  all = MatMul(shares, x)\n  begin = Constant<value_ints = [0]>()\n"
                  "  end = Constant<value_ints = [99]>()\n  two = Constant<value_ints = [2]>()\n"
                  "  y = Slice(all, begin, end, axis, two)"}});
  const nlohmann::json report = Report({halved, "--invariants"});
  EXPECT_EQ(report["exit_status"], 0) << report;
  EXPECT_EQ(PropertyOf(report, "in a batch of 3")["outcome"], "to_the_bit");
  EXPECT_THAT(PropertyOf(report, "padding after the prompt")["why"].dump(),
              HasSubstr("the output has no position for each frame"));
}

TEST(FramesTest, ImagesAndFixedLengths) {
  const std::string image = R"(<ir_version: 10, opset_import: ["": 21]>
g (float[n,3,2,2] image) => (float[n,3] y) <int64[1] from = {2}, int64[1] batch = {0}> {
  sizes = Constant<value_ints = [0, 3, 4]>()
  across = Reshape(image, sizes)
  most = ReduceMax<keepdims = 0>(across, from)
  y = Identity(most)
})";
  const nlohmann::json report = Report({Written(image), "--invariants"});
  EXPECT_EQ(report["exit_status"], 0) << report;
  EXPECT_EQ(PropertyOf(report, "in a batch of 3")["outcome"], "to_the_bit");
  EXPECT_EQ(PropertyOf(report, "another token at the end")["why"], "the input has no axis of time");
  const nlohmann::json mixed = Report(
      {Written(image,
               {{"y = Identity(most)", "mean = ReduceMean(most, batch)\n  y = Sub(most, mean)"}}),
       "--invariants"});
  EXPECT_EQ(mixed["exit_status"], 1) << mixed;
  EXPECT_EQ(PropertyOf(mixed, "in a batch of 3")["result"], "mean");
  const nlohmann::json fixed = Report({Written(kStream, {{"float[n,t,2] x", "float[n,4,2] x"},
                                                         {"float[n,t,3] y", "float[n,4,3] y"}}),
                                       "--invariants"});
  EXPECT_EQ(fixed["exit_status"], 0) << fixed;
  EXPECT_EQ(PropertyOf(fixed, "one token at a time")["why"], "the model always takes 4 positions");
  EXPECT_EQ(PropertyOf(fixed, "in a batch of 3")["outcome"], "to_the_bit");
}

TEST(FramesTest, WideWindowsAndRefusedChunks) {
  // Windows of 20 frames, 10 apart.
  const std::string wide = R"(<ir_version: 10, opset_import: ["": 21]>
g (float[n,1,t] signal) => (float[n,1,u] y) <float[1,1,20] w = {1, 2, 0, 1, -1, 3, 2, 1, 1, 0, -2, 1,
 1, 3, 2, -1, 0, 1, 2, 1}> { y = Conv<strides = [10]>(signal, w) })";
  const nlohmann::json report = Report({Written(wide), "--invariants"});
  EXPECT_EQ(report["exit_status"], 0) << report;
  EXPECT_EQ(PropertyOf(report, "in a batch of 3")["outcome"], "to_the_bit");
  const std::string elevens =
      absl::StrReplaceAll(kStream, {{"  windows = Conv(across, w)",
                                     "  elevens = Constant<value_ints = [0, -1, 11, 2]>()\n"
                                     "  folded = Reshape(x, elevens)\n"
                                     "  windows = Conv(across, w)"}});
  const nlohmann::json refused = Report({Written(elevens), "--invariants"});
  EXPECT_EQ(refused["exit_status"], 0) << refused;
  EXPECT_EQ(PropertyOf(refused, "one token at a time")["outcome"], "not_tried");
  EXPECT_THAT(PropertyOf(refused, "one token at a time")["why"].dump(),
              HasSubstr("it does not run"));
}

TEST(FramesTest, StepsNeedTokens) {
  const std::string stream = Written(kStream);
  const auto outcome = Onnxcmp({"generate", stream, stream});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("left: no input takes tokens, `x` takes frames"));
}

// The shape between the convolutions hides how long the second one's window is.
TEST(FramesTest, RawAudioIsLongEnough) {
  const std::string audio = Written(R"(<ir_version: 10, opset_import: ["": 21]>
g (float[batch,samples] x) => (float[batch,frames,2] y)
<float[4,1,10] w = {1, 2, 0, 1, -1, 3, 2, 1, 1, 0, -2, 1, 1, 3, 2, -1, 0, 1, 2, 2,
                    1, 2, 0, 1, -1, 3, 2, 1, 1, 0, -2, 1, 1, 3, 2, -1, 0, 1, 2, 1},
 float[2,4,3] v = {1, 2, 0, 1, -1, 3, 2, 1, 1, 0, -2, 1, 1, 3, 2, -1, 0, 1, 2, 2, 1, 0, 1, 2},
 int64[1] axis = {1}, int64[3] groups = {0, 2, -1}, float[2] one = {1, 1}, float[2] zero = {0, 0},
 int64[4] all = {0, 0, -1, 1}> {
  signal = Unsqueeze(x, axis)
  windows = Conv<strides = [5]>(signal, w)
  shape = Shape(windows)
  grouped = Reshape(windows, groups)
  normal = InstanceNormalization(grouped, one, zero)
  back = Reshape(normal, shape)
  further = Conv<strides = [2]>(back, v)
  in_four = Reshape(further, all)
  y_across = Squeeze(in_four)
  across = Reshape(y_across, shape_of_further)
  y = Transpose<perm = [0, 2, 1]>(across)
  shape_of_further = Shape(further)
})");
  const nlohmann::json report = Report({audio, "--invariants"});
  EXPECT_EQ(report["exit_status"], 0) << report.dump();
  EXPECT_THAT(PropertyOf(report, "in a batch of 3")["outcome"].get<std::string>(),
              ::testing::AnyOf("to_the_bit", "within_rounding"));
}

}  // namespace
}  // namespace onnxcmp
