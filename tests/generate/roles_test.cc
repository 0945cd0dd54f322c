// Roles of inputs and outputs: by names, readers, types and shapes, and by what a user says.
#include "generate/roles.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "evaluator/load/load_model.h"
#include "ops/operators.h"
#include "testing/test_model.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ModelText;
using ::onnxcmp::testing::TestModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<DecoderRoles> RolesOf(const TestModel& model,
                                     const std::vector<std::string>& states = {},
                                     const std::vector<std::string>& roles = {}) {
  const auto loaded = model.Load(AllOperators(), {});
  if (!loaded.ok()) return loaded.status();
  return FindRoles((*loaded)->graph, states, roles);
}

std::vector<std::string> InputsOf(const DecoderRoles& roles) {
  std::vector<std::string> inputs;
  for (const DecoderRoles::Input& input : roles.inputs) {
    inputs.push_back(absl::StrCat(input.name, " ", RoleName(input.role)));
  }
  return inputs;
}

std::vector<std::string> StatesOf(const DecoderRoles& roles) {
  std::vector<std::string> states;
  for (const StatePair& state : roles.states) {
    states.push_back(absl::StrCat(state.past, "=", state.present,
                                  state.axis.has_value() ? absl::StrCat("@", *state.axis) : "",
                                  state.cross ? " cross" : ""));
  }
  return states;
}

TestModel Of(const std::string& inputs, const std::string& outputs, const std::string& body) {
  return ModelText(absl::StrCat("<ir_version: 10, opset_import: [\"\": 21]>\ng (", inputs, ") => (",
                                outputs, ") <float[4,8] table = {",
                                "0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0, ",
                                "0,0,0,0,0,0,0,0}> {", body, "}"));
}

TEST(RolesTest, CachesThatGrow) {
  const absl::StatusOr<DecoderRoles> roles = RolesOf(TestData("generate/cached.onnxtxt"));
  ASSERT_TRUE(roles.ok()) << roles.status();
  EXPECT_THAT(InputsOf(*roles),
              ElementsAre("input_ids tokens", "attention_mask mask", "position_ids positions",
                          "past_key_0 state", "past_value_0 state", "past_key_1 state",
                          "past_value_1 state"));
  EXPECT_THAT(StatesOf(*roles),
              ElementsAre("past_key_0=present_key_0@2", "past_value_0=present_value_0@2",
                          "past_key_1=present_key_1@2", "past_value_1=present_value_1@2"));
  EXPECT_EQ(roles->logits, "logits");
  EXPECT_EQ(roles->vocabulary, 16);
}

TEST(RolesTest, BuffersAndStatesOfOneSize) {
  const absl::StatusOr<DecoderRoles> buffered = RolesOf(TestData("generate/buffered.onnxtxt"));
  ASSERT_TRUE(buffered.ok()) << buffered.status();
  EXPECT_THAT(StatesOf(*buffered),
              ElementsAre("past_key_0=present_key_0", "past_value_0=present_value_0",
                          "past_key_1=present_key_1", "past_value_1=present_value_1"));
  EXPECT_EQ(RoleName(buffered->inputs[1].role), "cache_position");
  const absl::StatusOr<DecoderRoles> recurrent = RolesOf(TestData("generate/recurrent.onnxtxt"));
  ASSERT_TRUE(recurrent.ok()) << recurrent.status();
  EXPECT_THAT(StatesOf(*recurrent),
              ElementsAre("conv_state=new_conv_state", "ssm_state=new_ssm_state"));
}

TEST(RolesTest, NamesThatSayNothing) {
  const absl::StatusOr<DecoderRoles> roles =
      RolesOf(Of("int64[b,n] a0, int64[b,t] a1, int64[b,n] a2, float[b,2,p,8] a3",
                 "float[b,n,4] y, float[b,2,t,8] z",
                 R"(x = Gather(table, a0) h = CastLike(a2, x) m = CastLike(a1, x)
         i = Identity(x) axes = Constant<value_ints = [1]>() k = Unsqueeze(i, axes)
         ones = Constant<value_ints = [1, 2, 1, 1]>() k2 = Tile(k, ones) z = Concat<axis = 2>(a3, k2)
         across = Transpose<perm = [1, 0]>(table) s = MatMul(x, across)
         last = Constant<value_ints = [2]>() w = Unsqueeze(h, last) y0 = Add(s, w)
         all = ReduceSum<keepdims = 1>(m) y = Add(y0, all))"));
  ASSERT_TRUE(roles.ok()) << roles.status();
  EXPECT_THAT(InputsOf(*roles), ElementsAre("a0 tokens", "a1 mask", "a2 positions", "a3 state"));
  EXPECT_THAT(StatesOf(*roles), ElementsAre("a3=z@2"));
  EXPECT_EQ(roles->logits, "y");
}

TEST(RolesTest, MasksThatAreOnlyCounted) {
  const auto counted = [](const std::string& sum) {
    const absl::StatusOr<DecoderRoles> roles =
        RolesOf(Of("int64[b,n] input_ids, int64[b,t] attention_mask", "float[b,n,4] logits",
                   absl::StrCat("logits = Gather(table, input_ids) ",
                                "last = Constant<value_ints = [1]>() ", sum)));
    return roles.ok() && roles->mask_is_counted;
  };
  EXPECT_TRUE(counted("all = ReduceSum<keepdims = 0>(attention_mask, last)"));
  // Alibi: each position's number tells which ones count.
  EXPECT_FALSE(counted("axis = Squeeze(last) places = CumSum(attention_mask, axis)"));
}

TEST(RolesTest, RoomOfPositions) {
  const auto room = [](const std::string& places) {
    const absl::StatusOr<DecoderRoles> roles =
        RolesOf(Of("int64[b,n] input_ids, int64[b,n] position_ids", "float[b,n,4] logits",
                   absl::StrCat("x = Gather(table, input_ids) two = Constant<value_int = 2>() ",
                                places, " p = Gather(table, places) logits = Add(x, p)")));
    return roles.ok() ? roles->most_positions.value_or(0) : -1;
  };
  EXPECT_GT(room("places = Identity(position_ids)"), 0);
  // Any position has a remainder.
  EXPECT_EQ(room("places = Mod(position_ids, two)"), 0);
}

TEST(RolesTest, EncodersStatesStay) {
  const absl::StatusOr<DecoderRoles> roles =
      RolesOf(Of("int64[b,n] input_ids, float[b,e,8] encoder_hidden_states, int64[b,e] "
                 "encoder_attention_mask, "
                 "float[b,2,e,8] past_key_values_encoder_key, bool[1] use_cache_branch",
                 "float[b,n,4] logits, float[b,2,e,8] present_encoder_key",
                 R"(x = Gather(table, input_ids) across = Transpose<perm = [1, 0]>(table)
         logits = MatMul(x, across)
         present_encoder_key = Identity(past_key_values_encoder_key))"));
  ASSERT_TRUE(roles.ok()) << roles.status();
  EXPECT_THAT(
      InputsOf(*roles),
      ElementsAre("input_ids tokens", "encoder_hidden_states given", "encoder_attention_mask given",
                  "past_key_values_encoder_key state", "use_cache_branch use_cache"));
  EXPECT_THAT(StatesOf(*roles),
              ElementsAre("past_key_values_encoder_key=present_encoder_key cross"));
}

TEST(RolesTest, CorrectionsComeFirst) {
  const std::string cached = TestData("generate/cached.onnxtxt");
  const absl::StatusOr<DecoderRoles> roles =
      RolesOf(cached, {"past_key_0=present_value_0", "past_value_0=present_key_0"},
              {"position_ids=token_types"});
  ASSERT_TRUE(roles.ok()) << roles.status();
  EXPECT_EQ(StatesOf(*roles)[0], "past_key_0=present_value_0@2");
  EXPECT_EQ(InputsOf(*roles)[2], "position_ids token_types");
  EXPECT_THAT(RolesOf(cached, {"past_key_9=present_key_0"}).status().message(),
              HasSubstr("inputs that may be states: `past_key_0`"));
  EXPECT_THAT(RolesOf(cached, {}, {"position_ids=place"}).status().message(),
              HasSubstr("one of tokens, mask, positions"));
}

TEST(RolesTest, ErrorsNameTheTensor) {
  const std::string body = "x = Gather(table, input_ids) logits = Identity(x)";
  EXPECT_THAT(RolesOf(Of("int64[b,n] input_ids, float[b,2,p,4] past_key_values",
                         "float[b,n,8] logits", body))
                  .status()
                  .message(),
              HasSubstr("no output is the next value of the state `past_key_values`"));
  EXPECT_THAT(RolesOf(Of("int64[b,n] x0", "int64[b,n] y", "y = Neg(x0)")).status().message(),
              HasSubstr("no input takes tokens"));
  EXPECT_THAT(RolesOf(Of("int64[b,n] input_ids", "int64[b,n] y", "y = Identity(input_ids)"))
                  .status()
                  .message(),
              HasSubstr("no output has logits"));
  EXPECT_THAT(RolesOf(Of("int64[b,n] input_ids, int64[b,n,3] what", "float[b,n,8] logits", body))
                  .status()
                  .message(),
              HasSubstr("the role of input `what` is not known"));
}

}  // namespace
}  // namespace onnxcmp
