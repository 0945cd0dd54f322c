// onnxcmp --samples --sensitivity: which layers have to stay in float.
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"
#include "tests/support/recorded_arrays.h"

namespace onnxcmp {
namespace {

using ::nlohmann::json;
using ::onnxcmp::testing::NpyOf;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::WriteFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kWeights[] =
    "  w = Constant <value = float[3,3] {1, 0, 0.5, 0, 1, 0, 0.5, 0, 1}> ()\n";

class SensitivityTest : public testing::ModelFolderTest {
 protected:
  std::string Left() const {
    return Model("left", absl::StrCat("(float[n,3] x) => (float[n,3] y) {\n", kWeights,
                                      "  [one] a = MatMul (x, w)\n  [two] b = MatMul (a, w)\n"
                                      "  [three] y = MatMul (b, w)\n}"));
  }
  // Each MatMul reads its input in 8 bits; `scale` is that of the second one's.
  std::string Right(const std::string& scale) const {
    return Model(
        "right",
        absl::StrCat("(float[n,3] x) => (float[n,3] y) {\n", kWeights,
                     "  s = Constant <value = float {0.05}> ()\n  t = Constant <value = float {",
                     scale,
                     "}> ()\n  z = Constant <value = int8 {0}> ()\n"
                     "  xq = QuantizeLinear (x, s, z)\n  xd = DequantizeLinear (xq, s, z)\n"
                     "  [one] a = MatMul (xd, w)\n  aq = QuantizeLinear (a, t, z)\n"
                     "  ad = DequantizeLinear (aq, t, z)\n  [two] b = MatMul (ad, w)\n"
                     "  bq = QuantizeLinear (b, s, z)\n  bd = DequantizeLinear (bq, s, z)\n"
                     "  [three] y = MatMul (bd, w)\n}"));
  }
  json Found(const std::string& scale, const std::vector<std::string>& more) const {
    const std::string samples = WriteFile(
        folder_ + "/x.npy", NpyOf(Tensor::Of<float>({3, 3}, {1.01F, 0.52F, -1.2F, 0.33F, 1.4F,
                                                             0.77F, -0.6F, 1, 1.3F})));
    std::vector<std::string> arguments = {Left(),          Right(scale), "--samples", samples,
                                          "--sensitivity", "--format",   "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = Onnxcmp(arguments);
    return json::parse(outcome.out)["sensitivity"];
  }
};

TEST_F(SensitivityTest, LayerWithACoarseScaleStaysInFloat) {
  const json found = Found("0.5", {"--target", "sqnr >= 25"});
  EXPECT_EQ(found["figure"], "sqnr");
  EXPECT_EQ(found["samples"], 3);
  ASSERT_EQ(found["layers"].size(), 3u);
  // The scale is between one and two: a quantizer rounds a result for the node that makes it, too.
  EXPECT_TRUE(found["reached"]);
  EXPECT_THAT(found["keep"], ElementsAre("one", "two"));
  EXPECT_EQ(found["list"], "nodes_to_exclude=[\"one\", \"two\"]");
  EXPECT_LT(found["converted"], 25);
  EXPECT_GE(found["kept_figure"], 25);
  EXPECT_EQ(found["curve"].size(), 4u);
  EXPECT_EQ(found["curve"][2], found["kept_figure"]);
}

TEST_F(SensitivityTest, TargetsThatHoldAndThatCannot) {
  EXPECT_THAT(Found("0.05", {"--target", "sqnr >= 10"})["keep"], ElementsAre());
  EXPECT_TRUE(Found("0.05", {"--target", "sqnr >= 10"})["reached"]);
  EXPECT_FALSE(Found("0.5", {"--target", "top1 > 1"})["reached"]);
}

TEST_F(SensitivityTest, NumbersThatAreNone) {
  const float nan = std::nanf("");
  const std::string samples = WriteFile(
      folder_ + "/x.npy", NpyOf(Tensor::Of<float>({3, 3}, {1, 2, 3, nan, nan, nan, nan, 1, 2})));
  const Outcome outcome =
      Onnxcmp({Left(), Right("0.05"), "--samples", samples, "--sensitivity", "--format", "json"});
  const json report = json::parse(outcome.out);
  // Integers hold no NaN.
  EXPECT_EQ(report["compared"], 3);
  EXPECT_EQ(report["exit_status"], 1);
  EXPECT_TRUE(report["sensitivity"]["layers"].is_array());
}

TEST_F(SensitivityTest, WhatCannotBeTried) {
  const std::string samples =
      WriteFile(folder_ + "/x.npy", NpyOf(Tensor::Of<float>({1, 3}, {1, 2, 3})));
  const Outcome outcome = Onnxcmp({Left(), Left(), "--samples", samples, "--sensitivity"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("nothing was tried: neither side is the other one"));
}

}  // namespace
}  // namespace onnxcmp
