// Decoders of several files: one for the prompt, one for all further tokens, an encoder beside
// them.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "evaluator/load/read_model.h"
#include "onnx/onnx_pb.h"
#include "tests/cli/program.h"
#include "tests/generate/decoders.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Changed;
using ::onnxcmp::testing::ChangedBy;
using ::onnxcmp::testing::Model;
using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::ReadFile;
using ::onnxcmp::testing::Report;
using ::onnxcmp::testing::WriteFile;
using ::testing::HasSubstr;

// The decoder without caches, which gives those of the prompt.
std::string Prompt() {
  return ChangedBy("plain", "_prompt",
                   {{"(float[batch,new,16] logits)",
                     "(float[batch,new,16] logits, float[batch,2,new,4] present_key_0, "
                     "float[batch,2,new,4] present_value_0, float[batch,2,new,4] present_key_1, "
                     "float[batch,2,new,4] present_value_1)"}});
}

std::string Split(const std::string& prompt, const std::string& steps) {
  return absl::StrCat(prompt, "+", steps);
}

TEST(SplitDecoderTest, AgreesWithOtherConventions) {
  const std::string split = Split(Prompt(), Model("cached"));
  for (const char* other : {"plain", "cached", "buffered"}) {
    for (const auto& [left, right] : {std::pair<std::string, std::string>(split, Model(other)),
                                      std::pair<std::string, std::string>(Model(other), split)}) {
      const nlohmann::json report = Report({left, right, "--steps", "9"});
      EXPECT_EQ(report["exit_status"], 0) << other << " " << report["lines"] << report["error"];
      EXPECT_EQ(report["steps"].size(), 9u);
    }
  }
  const nlohmann::json batch =
      Report({split, Model("cached"), "--prompt", "3,1,2,9,5", "--prompt", "7 4", "--steps", "5"});
  EXPECT_EQ(batch["exit_status"], 0) << batch["lines"];
  EXPECT_EQ(batch["left"]["source"], split);
  EXPECT_EQ(batch["left"]["roles"].back(),
            "the prompt's model: tokens input_ids, mask attention_mask, positions position_ids");
}

TEST(SplitDecoderTest, FaultOfEitherModelIsNamed) {
  const std::string steps = Changed("cached", "key_1_by_sin = Mul(key_1_turned, sine)",
                                    "key_1_by_sin = Mul(key_1_turned, cosine)");
  for (const char* other : {"plain", "cached"}) {
    const nlohmann::json report = Report({Model(other), Split(Prompt(), steps)});
    EXPECT_EQ(report["exit_status"], 1) << other;
    EXPECT_EQ(report["failing_step"], 1) << other;
    EXPECT_THAT(report["comparison"]["causes"].dump(), HasSubstr("key_1_by_sin")) << other;
  }
  const std::string prompt =
      ChangedBy(Prompt(), "_faulty",
                {{"present_value_1 = Identity(v_1)", "present_value_1 = Neg(v_1)"},
                 {"MatMul(shares_1, present_value_1)", "MatMul(shares_1, v_1)"}});
  // The logits of the prompt are right, what is left for the next step is not.
  const nlohmann::json report = Report({Model("cached"), Split(prompt, Model("cached"))});
  EXPECT_EQ(report["exit_status"], 1);
  EXPECT_EQ(report["failing_step"], 0) << report["lines"];
  EXPECT_EQ(report["steps"][0]["state"], "present_value_1");
  EXPECT_THAT(report["comparison"]["causes"].dump(), HasSubstr("present_value_1"));
  // One without states has none to compare.
  const nlohmann::json plain = Report({Model("plain"), Split(prompt, Model("cached"))});
  EXPECT_EQ(plain["exit_status"], 1) << plain["lines"];
  EXPECT_EQ(plain["failing_step"], 1) << plain["lines"];
  EXPECT_THAT(plain["lines"].dump(), HasSubstr("a fault, no tie"));
  EXPECT_THAT(plain["lines"].dump(), HasSubstr("its model of the prompt on the right"));
  EXPECT_THAT(plain["comparison"]["causes"].dump(), HasSubstr("present_value_1"));
}

TEST(SplitDecoderTest, StepsOfOneToken) {
  const std::pair<std::string, std::string> one = {"int64[batch,new] input_ids",
                                                   "int64[batch,1] input_ids"};
  const std::string right = ChangedBy("cached", "_one", {one});
  const std::string faulty =
      ChangedBy("cached", "_faulty",
                {one, {"lines = Range(before, total, one)", "lines = Range(none, length, one)"}});
  EXPECT_EQ(Report({Model("plain"), Split(Prompt(), right), "--steps", "6"})["exit_status"], 0);
  // The prompt's model tells what rounding explains of other tokens; alone the last step does.
  for (const std::string& side : {Split(Prompt(), faulty), faulty}) {
    const nlohmann::json report = Report({Model("cached"), side, "--steps", "6"});
    EXPECT_EQ(report["exit_status"], 1) << side;
    EXPECT_TRUE(report["error"].is_null()) << report["error"];
    EXPECT_EQ(report["steps"].size(), 6u) << side;
    EXPECT_FALSE(report["token_change"].is_null()) << side;
    EXPECT_EQ(report["token_change"]["tie"], false) << side;
  }
}

TEST(SplitDecoderTest, FolderAndEncoder) {
  const std::string folder = absl::StrCat(::testing::TempDir(), "SplitDecoderFolder");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& text) {
    return WriteFile(absl::StrCat(folder, "/", name), text);
  };
  EXPECT_EQ(Onnxcmp({"generate", folder, Model("plain")}).status, 2);
  const std::string head = "<ir_version: 10, opset_import: [\"\": 21]>\ng (int64[b,n] input_ids, ";
  const std::string table =
      " <float[3,2] table = {1, 2, 3, 5, 4, 1}, float[2,3] head = {1, 2, 0, 3, 5, 1}> {\n"
      "  x = Gather(table, input_ids)\n";
  const std::string encoder =
      "<ir_version: 10, opset_import: [\"\": 21]>\ng (float[b,f,2] features) => "
      "(float[b,e,2] last_hidden_state) {\n  last_hidden_state = Sin(features)\n}\n";
  const std::string prompt = absl::StrCat(
      head,
      "float[b,e,2] encoder_hidden_states) => (float[b,n,3] logits, float[b,n,2] "
      "present.0.decoder, float[b,1,2] present.0.encoder)",
      table,
      "  axes = Constant<value_ints = [1]>()\n"
      "  present.0.encoder = ReduceMean(encoder_hidden_states, axes)\n"
      "  present.0.decoder = CumSum(x, axes)\n"
      "  y = Add(present.0.decoder, present.0.encoder)\n  logits = MatMul(y, head)\n}\n");
  const auto steps = [&](const char* operation) {
    return absl::StrCat(
        head,
        "float[b,p,2] past.0.decoder, float[b,1,2] past.0.encoder) => (float[b,n,3] logits, "
        "float[b,q,2] present.0.decoder)",
        table,
        "  axes = Constant<value_ints = [1]>()\n  zero = Constant<value_ints = [0]>()\n"
        "  end = Constant<value_ints = [-1]>()\n  far = Constant<value_ints = [99]>()\n"
        "  last = Slice(past.0.decoder, end, far, axes)\n"
        "  all = Concat<axis = 1>(last, x)\n  sums = CumSum(all, axes)\n"
        "  length = Shape<start = 1, end = 2>(x)\n  less = Neg(length)\n"
        "  sum = Slice(sums, less, far, axes)\n"
        "  present.0.decoder = Concat<axis = 1>(past.0.decoder, sum)\n"
        "  y = ",
        operation, "(sum, past.0.encoder)\n  logits = MatMul(y, head)\n}\n");
  };
  // ONNX's text syntax has no dots in names.
  const auto named = [](std::string text) {
    for (size_t at = 0; (at = text.find(".0.", at)) != std::string::npos;)
      text.replace(at, 3, "_0_");
    return text;
  };
  const std::string encoder_file = write("encoder.onnxtxt", encoder);
  const std::string prompt_file = write("prompt.onnxtxt", named(prompt));
  const std::string steps_file = write("steps.onnxtxt", named(steps("Add")));
  const std::string faulty_file = write("faulty.onnxtxt", named(steps("Sub")));
  const std::string whole = absl::StrCat(encoder_file, "+", prompt_file, "+", steps_file);
  const nlohmann::json report = Report({whole, prompt_file, "--steps", "5"});
  EXPECT_EQ(report["exit_status"], 0) << report["lines"] << report["error"];
  const nlohmann::json faulty =
      Report({prompt_file, Split(prompt_file, faulty_file), "--steps", "5"});
  EXPECT_EQ(faulty["exit_status"], 1) << faulty["lines"];
  EXPECT_EQ(faulty["failing_step"], 1) << faulty["lines"];
  // In a folder they are found by their names.
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {encoder_file, "encoder_model.onnx"},
           {prompt_file, "decoder_model.onnx"},
           {steps_file, "decoder_with_past_model.onnx"}}) {
    const auto model = ReadModelText(ReadFile(from), /*max_depth=*/64);
    ASSERT_TRUE(model.ok()) << model.status();
    write(to, (*model)->SerializeAsString());
  }
  const nlohmann::json found = Report({folder, whole, "--steps", "5"});
  EXPECT_EQ(found["exit_status"], 0) << found["lines"] << found["error"];
  EXPECT_EQ(found["left"]["source"],
            absl::StrCat(folder, "/decoder_model.onnx+", folder, "/decoder_with_past_model.onnx"));
}

TEST(SplitDecoderTest, FolderOfOnnxruntimeGenai) {
  const std::string folder = absl::StrCat(::testing::TempDir(), "GenaiFolder");
  std::filesystem::create_directories(folder);
  // Names that tell nothing.
  const std::string text = absl::StrReplaceAll(
      ReadFile(Model("cached")),
      {{"input_ids", "first"}, {"attention_mask", "second"}, {"position_ids", "third"}});
  WriteFile(folder + "/decoder.onnxtxt", text);
  WriteFile(
      folder + "/genai_config.json",
      R"({"model": {"decoder": {"filename": "decoder.onnxtxt", "inputs": {"input_ids": "first",
                "attention_mask": "second", "position_ids": "third",
                "past_key_names": "past_key_%d"}}}})");
  const nlohmann::json report = Report({Model("cached"), folder, "--steps", "4"});
  EXPECT_EQ(report["exit_status"], 0) << report["lines"] << report["error"];
  EXPECT_EQ(report["right"]["roles"][0], "tokens first, mask second, positions third");
  EXPECT_EQ(report["right"]["source"], folder + "/decoder.onnxtxt");
  // A user has the last word; a file that is no such configuration says nothing.
  EXPECT_EQ(Report({Model("cached"), folder, "--role", "third=token_types"})["exit_status"], 1);
  WriteFile(folder + "/genai_config.json", "[1,");
  EXPECT_EQ(Onnxcmp({"generate", Model("cached"), folder}).status, 2);
}

TEST(SplitDecoderTest, MistakesNameTheFile) {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& part) {
    std::vector<std::string> line = {"generate"};
    line.insert(line.end(), arguments.begin(), arguments.end());
    const auto outcome = Onnxcmp(line);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(part));
  };
  const std::string cached = Model("cached"), prompt = Prompt();
  refused({Split(Model("plain"), cached), cached},
          absl::StrCat(Model("plain"), " neither reads the prompt for ", cached,
                       " nor is an encoder for it: no output is the next value of the state "
                       "`past_key_0`"));
  refused({Split(Split(prompt, prompt), cached), cached}, "reads the prompt, too");
  refused({Split(prompt, cached), "--invariants"}, "--invariants is for one model");
}

}  // namespace
}  // namespace onnxcmp
