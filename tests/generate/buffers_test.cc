// Buffers whose length is open, caches that may be one, and both branches of a merged decoder.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "tests/cli/program.h"
#include "tests/generate/decoders.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ChangedBy;
using ::onnxcmp::testing::Model;
using ::onnxcmp::testing::PropertyOf;
using ::onnxcmp::testing::Report;
using ::onnxcmp::testing::WriteFile;
using ::testing::HasSubstr;

using Changes = std::vector<std::pair<std::string, std::string>>;

Changes Open() {
  return {{"1,2,24,4", "1,2,slots,4"},
          {"  slots = Range(none, slot_count, one)",
           "  buffer = Shape<start = 2, end = 3>(past_key_0)\n  slot_number = Squeeze(buffer)\n"
           "  slots = Range(none, slot_number, one)"}};
}

TEST(BuffersTest, LengthThatIsOpen) {
  const std::string open = ChangedBy("buffered", "", Open());
  const nlohmann::json steps = Report({Model("cached"), open, "--steps", "40"});
  EXPECT_EQ(steps["exit_status"], 0) << steps["lines"] << steps["error"];
  EXPECT_THAT(steps["right"]["roles"].dump(), HasSubstr("a buffer with its slots along axis 2"));
  const nlohmann::json report = Report({open, "--invariants"});
  EXPECT_EQ(report["exit_status"], 0) << report;
  EXPECT_EQ(PropertyOf(report, "a longer buffer")["outcome"], "to_the_bit");
  EXPECT_EQ(PropertyOf(report, "one token at a time")["outcome"], "to_the_bit");
}

TEST(BuffersTest, SlotsThatAreSeenTooEarly) {
  Changes changes = Open();
  changes.emplace_back("far = {-10000}", "far = {-2}");
  const nlohmann::json report = Report({ChangedBy("buffered", "", changes), "--invariants"});
  EXPECT_EQ(report["exit_status"], 1) << report;
  const nlohmann::json longer = PropertyOf(report, "a longer buffer");
  EXPECT_EQ(longer["outcome"], "broken");
  EXPECT_EQ(longer["result"], "shares_0");
}

TEST(BuffersTest, CacheThatMayBeABuffer) {
  const std::string eye =
      "1,0,0,0,0,0,0,0, 0,1,0,0,0,0,0,0, 0,0,1,0,0,0,0,0, 0,0,0,1,0,0,0,0, "
      "0,0,0,0,1,0,0,0, 0,0,0,0,0,1,0,0, 0,0,0,0,0,0,1,0, 0,0,0,0,0,0,0,1";
  const std::string text = absl::StrCat(
      "<ir_version: 10, opset_import: [\"\": 21, \"com.microsoft\": 1]>\n"
      "g (int64[b,n] input_ids, int32[b] seqlens_k, int32 total_sequence_length, float[b,1,p,8] "
      "past_key, float[b,1,p,8] past_value) => (float[b,n,8] logits, float[b,1,q,8] present_key, "
      "float[b,1,q,8] present_value)\n<float[8,8] table = {",
      eye,
      "}, float turn = {0.7}, float[8] more = {1, 0, 2, 1, -1, 3, 0, 1}> {\n"
      "  x = Gather(table, input_ids)\n  query = Mul(x, turn)\n  key = Mul(x, more)\n"
      "  value = Add(x, more)\n"
      "  y, present_key, present_value = com.microsoft.GroupQueryAttention<num_heads = 1, "
      "kv_num_heads = 1>(query, key, value, past_key, past_value, seqlens_k, "
      "total_sequence_length)\n  logits = Identity(y)\n}\n");
  const std::string path = WriteFile(::testing::TempDir() + "CacheThatMayBeABuffer.onnxtxt", text);
  const nlohmann::json report = Report({path, "--invariants"});
  EXPECT_EQ(report["exit_status"], 0) << report;
  EXPECT_THAT(PropertyOf(report, "a buffer instead of a cache that grows")["outcome"].dump(),
              HasSubstr("to_the_bit"));
}

TEST(BuffersTest, BranchesOfAMergedDecoder) {
  const auto merged = [](const std::string& suffix, const std::string& with_past) {
    return ChangedBy(
        "cached", suffix,
        {{"int64[batch,total] attention_mask",
          "bool[1] use_cache_branch, int64[batch,total] attention_mask"},
         {"logits = MatMul(x_1, head)", absl::StrCat("last = Where(use_cache_branch, ", with_past,
                                                     ", x_1)\n  logits = MatMul(last, head)")}});
  };
  constexpr char kName[] = "a past of length 0 instead of none";
  const nlohmann::json right = Report({merged("_right", "x_1"), "--invariants"});
  EXPECT_EQ(right["exit_status"], 0) << right;
  EXPECT_EQ(PropertyOf(right, kName)["outcome"], "to_the_bit");
  const nlohmann::json wrong = Report({merged("_wrong", "added_1"), "--invariants"});
  EXPECT_EQ(wrong["exit_status"], 1) << wrong;
  EXPECT_EQ(PropertyOf(wrong, kName)["result"], "last");
}

}  // namespace
}  // namespace onnxcmp
