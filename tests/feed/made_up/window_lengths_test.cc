#include "feed/made_up/window_lengths.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/load_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::LoadGraph;

struct Signal {
  const char* name;
  const char* graph;
  int64_t axis;
  WindowLength length;
};

// Values: kernel sizes, strides and pads by hand.
constexpr Signal kSignals[] = {
    {"convolution",
     "(float[b, n] x, float[4, 1, 400] w) => (float[b, 4, f] y) <int64[1] one = {1}> {"
     " u = Unsqueeze(x, one) y = Conv<kernel_shape = [400], strides = [160]>(u, w) }",
     1,
     {400, 160, 1}},
    {"signal_of_one_axis",
     "(float[n] x, float[4, 1, 256] w) => (float[1, 4, f] y) <int64[3] s = {1, 1, -1}> {"
     " u = Reshape(x, s) y = Conv<kernel_shape = [256], strides = [64]>(u, w) }",
     0,
     {256, 64, 1}},
    // 10 + 2 * 5 numbers for three elements of the first, one of the second.
    {"two_convolutions",
     "(float[b, 1, n] x, float[4, 1, 10] v, float[4, 4, 3] w) => (float[b, 4, f] y) {"
     " c = Conv<kernel_shape = [10], strides = [5]>(x, v)"
     " y = Conv<kernel_shape = [3], strides = [2]>(c, w) }",
     2,
     {20, 10, 1}},
    {"padded_and_dilated",
     "(float[b, 1, n] x, float[4, 1, 3] w) => (float[b, 4, f] y) {"
     " y = Conv<kernel_shape = [3], dilations = [8], pads = [8, 8]>(x, w) }",
     2,
     {1, 1, 1}},
    {"frames_of_fourier",
     "(float[b, n] x) => (float[b, f, k, 2] y)"
     " <int64[1] two = {2}, int64 step = {128}, int64 size = {256}> {"
     " u = Unsqueeze(x, two) y = STFT(u, step, , size) }",
     1,
     {256, 128, 1}},
    {"mirrored_pad",
     "(float[b, n] x) => (float[b, m] y) <int64[4] p = {0, 200, 0, 200}> {"
     " y = Pad<mode = \"reflect\">(x, p) }",
     1,
     {201, 1, 1}},
    {"frames_of_a_shape",
     "(float[b, n] x) => (float[b, f, 480] y) <int64[3] s = {0, -1, 480}> { y = Reshape(x, s) }",
     1,
     {480, 480, 480}},
    {"frames_by_places",
     "(float[b, n] x, int64[f, 1] at) => (float[b, f, 4] y) <int64[1, 4] k = {0, 10, 20, 30}> {"
     " places = Add(at, k) y = Gather<axis = 1>(x, places) }",
     1,
     {31, 1, 1}},
    {"cut_at_both_ends",
     "(float[b, n] x) => (float[b, m] y)"
     " <int64[1] from = {30}, int64[1] to = {-5}, int64[1] axis = {1}> {"
     " y = Slice(x, from, to, axis) }",
     1,
     {36, 1, 1}},
    {"in_a_branch",
     "(float[b, 1, n] x, float[4, 1, 64] w, bool c) => (float[b, 4, f] y) {"
     " y = If(c) <then_branch = t () => (float[b, 4, f] d) { d = Conv<kernel_shape = [64]>(x, w) },"
     " else_branch = e () => (float[b, 4, f] d) { d = Conv<kernel_shape = [64]>(x, w) }> }",
     2,
     {64, 1, 1}},
    // Layers of images with normalizations between, and a pool at the end.
    {"image",
     "(float[b, 3, n, m] x, float[4, 3, 3, 3] v, float[4] s, float[4, 4, 3, 3] w) => "
     "(float[b, 4, f, g] y) {"
     " a = Conv<kernel_shape = [3, 3], strides = [8, 8], pads = [1, 1, 1, 1]>(x, v)"
     " n0 = BatchNormalization(a, s, s, s, s) r = PRelu(n0, s)"
     " c = Conv<kernel_shape = [3, 3], strides = [4, 4], pads = [1, 1, 1, 1]>(r, w)"
     " n1 = InstanceNormalization(c, s, s) y = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(n1)"
     " }",
     2,
     {33, 64, 1}},
    {"no_window", "(float[b, n] x) => (float[b, n] y) { y = Relu(x) }", 1, {1, 1, 1}},
};

class WindowLengthsTest : public ::testing::TestWithParam<Signal> {};

TEST_P(WindowLengthsTest, AreThoseOfTheGraph) {
  const auto model = LoadGraph(absl::StrCat("g ", GetParam().graph));
  ASSERT_TRUE(model.ok()) << model.status();
  const WindowLengths lengths = WindowLengthsOf((*model)->graph);
  const auto it = lengths.find({"x", GetParam().axis});
  const WindowLength length = it == lengths.end() ? WindowLength() : it->second;
  EXPECT_EQ(length.least, GetParam().length.least);
  EXPECT_EQ(length.step, GetParam().length.step);
  EXPECT_EQ(length.multiple, GetParam().length.multiple);
}

INSTANTIATE_TEST_SUITE_P(Signals, WindowLengthsTest, ::testing::ValuesIn(kSignals),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(WindowLengthTest, HasAsManyWindows) {
  EXPECT_EQ((WindowLength{400, 160, 1}.For(16, 16)), 400 + 15 * 160);
  EXPECT_EQ((WindowLength{3, 1, 1}.For(16, 16)), 16);
  EXPECT_EQ((WindowLength{480, 480, 480}.For(17, 17)), 17 * 480);
  EXPECT_EQ((WindowLength{4, 4, 4}.For(18, 18)), 20);
  EXPECT_EQ((WindowLength{64, 32, 1}.For(32, 2)), 96);
}

}  // namespace
}  // namespace onnxcmp
