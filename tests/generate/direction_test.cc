// Decoders and encoders that are told apart, and decoders that lost their causal mask.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/generate/decoders.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Changed;
using ::onnxcmp::testing::ChangedBy;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::PropertyOf;
using ::onnxcmp::testing::Report;
using ::testing::HasSubstr;

constexpr char kCausality[] = "another token at the end";

// The decoder without caches, and nothing left of its causal mask.
std::vector<std::pair<std::string, std::string>> Unmasked() {
  return {{"  seen = LessOrEqual(as_line, as_column)\n", ""},
          {"allowed = And(seen, counts_4d)", "allowed = Identity(counts_4d)"}};
}

TEST(DirectionTest, LostMaskIsOpen) {
  const std::string lost = ChangedBy("plain", "", Unmasked());
  const nlohmann::json report = Report({lost, "--invariants"});
  EXPECT_EQ(report["exit_status"], 2) << report;
  EXPECT_TRUE(report["taken_for"].is_null()) << report;
  EXPECT_EQ(PropertyOf(report, kCausality)["outcome"], "open");
  EXPECT_EQ(PropertyOf(report, "padding before the prompt")["outcome"], "not_tried");
  const nlohmann::json decoder = Report({lost, "--invariants", "--causal"});
  EXPECT_EQ(decoder["exit_status"], 1) << decoder;
  EXPECT_EQ(PropertyOf(decoder, kCausality)["outcome"], "broken");
  const nlohmann::json encoder = Report({lost, "--invariants", "--encoder"});
  EXPECT_EQ(encoder["exit_status"], 0) << encoder;
  EXPECT_EQ(PropertyOf(encoder, kCausality)["why"], "it holds of decoders alone");
  const auto printed = Onnxcmp({"generate", lost, "--invariants"});
  EXPECT_THAT(printed.out, HasSubstr("? another token at the end                  open: the first "
                                     "token sees the last one"));
  EXPECT_EQ(Onnxcmp({"generate", lost, "--invariants", "--causal", "--encoder"}).status, 2);
}

TEST(DirectionTest, MaskThatIsNotAppliedIsBroken) {
  const std::string unused =
      Changed("plain", "allowed = And(seen, counts_4d)", "allowed = Identity(counts_4d)");
  const nlohmann::json report = Report({unused, "--invariants"});
  EXPECT_EQ(report["exit_status"], 1) << report;
  EXPECT_THAT(report["taken_for"].dump(), HasSubstr("a decoder: LessOrEqual orders positions"));
  EXPECT_EQ(PropertyOf(report, kCausality)["outcome"], "broken");
  EXPECT_EQ(Report({unused, "--invariants", "--encoder"})["exit_status"], 0);
}

TEST(DirectionTest, MaskedLanguageModelIsAnEncoder) {
  std::vector<std::pair<std::string, std::string>> changes = Unmasked();
  changes.emplace_back("logits = MatMul(x_1, head)",
                       "dense = MatMul(x_1, wo_1)\n  bent = Gelu(dense)\n"
                       "  normal = LayerNormalization<axis = -1>(bent, scale)\n"
                       "  logits = MatMul(normal, head)");
  const nlohmann::json report = Report({ChangedBy("plain", "", changes), "--invariants"});
  EXPECT_EQ(report["exit_status"], 0) << report;
  EXPECT_THAT(report["taken_for"].dump(), HasSubstr("an encoder"));
  EXPECT_THAT(report["taken_for"].dump(), HasSubstr("Gelu in its head"));
  EXPECT_EQ(PropertyOf(report, "in a batch of 3")["outcome"], "to_the_bit");
}

TEST(DirectionTest, HiddenStatesAreNoLogits) {
  std::vector<std::pair<std::string, std::string>> changes = Unmasked();
  changes.emplace_back("logits = MatMul(x_1, head)", "hidden = Identity(x_1)");
  changes.emplace_back("float[batch,new,16] logits", "float[batch,new,8] hidden");
  const std::string hidden = ChangedBy("plain", "", changes);
  const nlohmann::json report = Report({hidden, "--invariants"});
  EXPECT_EQ(report["exit_status"], 0) << report;
  EXPECT_THAT(report["taken_for"].dump(), HasSubstr("8 numbers a position"));
  const auto steps = Onnxcmp({"generate", hidden, hidden});
  EXPECT_EQ(steps.status, 2) << steps.out;
  EXPECT_THAT(steps.err, HasSubstr("left: the model gives no logits: its output `hidden` has 8 "
                                   "numbers for each position, and the vocabulary has 16 tokens"));
}

}  // namespace
}  // namespace onnxcmp
