#include "feed/made_up/input_purpose.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "evaluator/load/load_model.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::LoadGraph;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNan;

// Of input x; kNumbers if nothing is known of it.
InputPurpose PurposeOfX(const std::string& graph) {
  const auto model = LoadGraph(absl::StrCat("g ", graph));
  EXPECT_TRUE(model.ok()) << model.status() << graph;
  if (!model.ok()) return {};
  const auto purposes = PurposesOf((*model)->graph);
  const auto it = purposes.find("x");
  return it == purposes.end() ? InputPurpose() : it->second;
}

// The same with operators of ai.onnx.ml.
InputPurpose PurposeOfFeatures(const std::string& graph) {
  const auto model = LoadModelFromText(
      absl::StrCat("<ir_version: 9, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 3]>\ng ", graph),
      testing::Registry(), {});
  EXPECT_TRUE(model.ok()) << model.status() << graph;
  if (!model.ok()) return {};
  const auto purposes = PurposesOf((*model)->graph);
  const auto it = purposes.find("x");
  return it == purposes.end() ? InputPurpose() : it->second;
}

template <typename Alternative>
bool Is(const InputPurpose& purpose) {
  return purpose.Is<Alternative>();
}

struct Case {
  const char* name;
  const char* graph;
  bool (*purpose)(const InputPurpose& purpose);
  int64_t limit = 0;  // 0: none
};

constexpr Case kCases[] = {
    {"numbers", "(float[2,3] x) => (float[2,3] y) { y = Relu(x) }", Is<NumberPurpose>},
    {"threshold",
     "(float[2,3] x) => (float[2,3] y) <float o = {1}, float z = {0}> {"
     " c = Greater(x, o) y = Where(c, x, z) }",
     Is<NumberPurpose>},
    {"positive", "(float[2,3] x) => (float[2,3] y) { y = Sqrt(x) }", Is<PositivePurpose>},
    {"fractional_power", "(float[2] x) => (float[2] y) <float e = {1.5}> { y = Pow(x, e) }",
     Is<PositivePurpose>},
    {"square", "(float[2] x) => (float[2] y) <float e = {2}> { y = Pow(x, e) }", Is<NumberPurpose>},
    {"divisor", "(int64[2] a, int64[2] x) => (int64[2] y) { y = Div(a, x) }", Is<PositivePurpose>},
    {"ids", "(int64[2,3] x) => (float[2,3] y) <float[5] t = {1, 2, 3, 4, 5}> { y = Gather(t, x) }",
     Is<IdPurpose>, 5},
    {"ids_of_two_tables",
     "(int64[2] x) => (float[2] y) <float[5] t = {1, 2, 3, 4, 5}, float[3] u = {1, 2, 3}> {"
     " a = Gather(t, x) b = Gather(u, x) y = Add(a, b) }",
     Is<IdPurpose>, 3},
    {"ids_that_are_cast_and_reshaped",
     "(int32[6] x) => (float[2,3] y) <float[5] t = {1, 2, 3, 4, 5}, int64[2] s = {2, 3}> {"
     " l = Cast<to = 7>(x) r = Reshape(l, s) y = Gather(t, r) }",
     Is<IdPurpose>, 5},
    {"ids_that_are_held_against_padding_too",
     "(int64[2] x) => (float[2] y, bool[2] m)"
     " <float[5] t = {1, 2, 3, 4, 5}, int64 z = {0}> { y = Gather(t, x) m = Equal(x, z) }",
     Is<IdPurpose>, 5},
    {"one_hot",
     "(int64[2] x) => (float[2,7] y) <int64 d = {7}, float[2] v = {0, 1}> { y = OneHot(x, d, v) }",
     Is<IdPurpose>, 7},
    {"condition_of_where",
     "(bool[2] x, float[2] a, float[2] b) => (float[2] y) {"
     " y = Where(x, a, b) }",
     Is<MaskPurpose>},
    {"attention_mask",
     "(int64[2,4] x, float[2,1,4,4] s) => (float[2,1,4,4] y)"
     " <float o = {1}, float big = {-3.4e38}, int64[2] a = {1, 2}> {"
     " f = Cast<to = 1>(x) u = Unsqueeze(f, a) i = Sub(o, u) m = Mul(i, big) t = Add(s, m)"
     " y = Softmax(t) }",
     Is<MaskPurpose>},
    {"mask_of_a_mean",
     "(int64[2,4] x, float[2,4] h) => (float[2,4] y) { f = Cast<to = 1>(x) y = Mul(h, f) }",
     Is<MaskPurpose>},
    {"added_mask",
     "(float[2,4,4] x, float[2,4,3] q, float[2,3,4] k) => (float[2,4,4] y) {"
     " s = MatMul(q, k) t = Add(s, x) y = Softmax(t) }",
     Is<AddedMaskPurpose>},
    {"lengths",
     "(float[6,2,3] a, int64[2] x) => (float[6,2,3] y) {"
     " y = ReverseSequence<time_axis = 0, batch_axis = 1>(a, x) }",
     Is<LengthPurpose>},
    {"lengths_against_a_constant",
     "(int64[2] x, float[2,5] a) => (float[2,5] y)"
     " <int64[1,5] r = {0, 1, 2, 3, 4}, int64[1] o = {1}, float z = {0}> { u = Unsqueeze(x, o)"
     " c = Less(r, u) y = Where(c, a, z) }",
     Is<LengthPurpose>, 5},
    {"classes_against_a_constant",
     "(int64[2] x) => (float[2,4] y) <int64[1,4] r = {0, 1, 2, 3}, int64[1] o = {1}> {"
     " u = Unsqueeze(x, o) c = Equal(r, u) y = Cast<to = 1>(c) }",
     Is<IdPurpose>, 4},
    {"mask_against_a_constant",
     "(int64[2,3] x, float[2,3] a) => (float[2,3] y) <int64[3] r = {0, 0, 0}, float z = {0}> {"
     " c = Equal(x, r) y = Where(c, z, a) }",
     Is<MaskPurpose>},
    {"condition",
     "(bool x, float[2] a) => (float[2] y) { y = If(x) <then_branch = t () => (float[2] p) {"
     " p = Relu(a) }, else_branch = e () => (float[2] q) { q = Neg(a) }> }",
     Is<ConditionPurpose>},
    {"rounds",
     "(int64 x, bool c, float[2] a) => (float[2] y) { y = Loop(x, c, a) <body = b (int64 i, bool k,"
     " float[2] s) => (bool l, float[2] t) { l = Identity(k) t = Add(s, s) }> }",
     Is<SmallPurpose>},
    {"ids_read_in_a_branch",
     "(bool c, int64[2] x) => (float[2] y) <float[4] t = {1, 2, 3, 4}> { y = If(c) <then_branch ="
     " a () => (float[2] p) { p = Gather(t, x) }, else_branch = e () => (float[2] q) {"
     " q = Cast<to = 1>(x) }> }",
     Is<IdPurpose>, 4},
    {"ids_carried_into_a_loop",
     "(int64 n, bool c, int64[2] x) => (int64[2] y) <int64[4] t = {3, 2, 1, 0}> {"
     " y = Loop(n, c, x) <body = b (int64 i, bool k, int64[2] s) => (bool l, int64[2] u) {"
     " l = Identity(k) u = Gather(t, s) }> }",
     Is<IdPurpose>, 4},
    {"phases",
     "(int64[2,4] x, float[1,3] f) => (float[2,4,3] y) <int64[1] a = {2}> {"
     " u = Unsqueeze(x, a) c = Cast<to = 1>(u) p = MatMul(c, f) y = Cos(p) }",
     Is<PositionPurpose>},
    {"packed_rows",
     "(int64[2] x) => (float[2,1] y) <uint8[2,4] t = {0, 0, 0, 0, 0, 0, 0, 0}> { y ="
     " com.microsoft.GatherPacked<K = 1, packed_type = 0, output_dtype = 1>(t, x) }",
     Is<IdPurpose>, 2},
    {"positions_of_heads",
     "(float16[1,2,1,4] a, float[4] s, int64[1,2] x, float[8,1] c, float[8,1] d) =>"
     " (bfloat16[1,2,4] y) { y = com.microsoft.RMSNormRotary<rotary_embedding_dim = 2>"
     "(a, s, x, c, d) }",
     Is<PositionPurpose>},
    {"shape", "(float[6] a, int64[2] x) => (float[n,m] y) { y = Reshape(a, x) }", Is<SmallPurpose>},
    {"k", "(float[6] a, int64[1] x) => (float[n] y, int64[n] i) { y, i = TopK(a, x) }",
     Is<SmallPurpose>},
    {"image", "(uint8[n] x) => (uint8[h,w,c] y) { y = ImageDecoder(x) }", Is<ImagePurpose>},
    {"weights", "(float[2,3] a, float[3,4] x) => (float[2,4] y) { y = MatMul(a, x) }",
     Is<NumberPurpose>},
};

class InputPurposeTest : public ::testing::TestWithParam<Case> {};

TEST_P(InputPurposeTest, IsReadFromTheGraph) {
  const InputPurpose purpose = PurposeOfX(GetParam().graph);
  EXPECT_TRUE(GetParam().purpose(purpose)) << purpose.why;
  EXPECT_EQ(purpose.limit.value_or(0), GetParam().limit);
}

INSTANTIATE_TEST_SUITE_P(All, InputPurposeTest, ::testing::ValuesIn(kCases),
                         [](const ::testing::TestParamInfo<Case>& info) {
                           return std::string(info.param.name);
                         });

TEST(PurposesOfTest, LengthsSpeakOfAnAxis) {
  const InputPurpose purpose = PurposeOfX(
      "(float[T,2,3] a, int64[2] x) => (float[T,2,3] y) { r = Relu(a)"
      " y = ReverseSequence<time_axis = 0, batch_axis = 1>(r, x) }");
  ASSERT_EQ(purpose.limit_sum.size(), 1u);
  EXPECT_EQ(purpose.limit_sum[0].input, "a");
  EXPECT_EQ(purpose.limit_sum[0].axis, 0);
}

TEST(PurposesOfTest, LengthsOfARangeGoAsFarAsIt) {
  const InputPurpose purpose = PurposeOfX(
      "(float[b,T,3] a, int32[b] x) => (bool[b,T] y)"
      " <int64 z = {0}, int64 o = {1}, int64[1] ax = {1}> { d = Shape<start = 1, end = 2>(a)"
      " e = Squeeze(d) r = Range(z, e, o) c = Cast<to = 6>(r) u = Unsqueeze(x, ax)"
      " y = Less(c, u) }");
  EXPECT_TRUE(purpose.Is<LengthPurpose>());
  ASSERT_EQ(purpose.limit_sum.size(), 1u);
  EXPECT_EQ(purpose.limit_sum[0].input, "a");
  EXPECT_EQ(purpose.limit_sum[0].axis, 1);
}

TEST(PurposesOfTest, LandmarksAreThoseOfTheInput) {
  EXPECT_THAT(PurposeOfX("(int64[2] x) => (int64[2] y) <int64 l = {-4}, int64 h = {90},"
                         " int64 t = {10}> { s = Sub(x, t) y = Clip(s, l, h) }")
                  .landmarks,
              ElementsAre(6, 100));
  EXPECT_THAT(PurposeOfX("(float[2] x) => (bool[2] y) { y = IsNaN(x) }").missing,
              ElementsAre(IsNan()));
  EXPECT_THAT(PurposeOfX("(float[2] x) => (float[2] y) { y = Relu(x) }").landmarks, IsEmpty());
  EXPECT_THAT(PurposeOfFeatures("(float[2] x) => (float[2] y) { y = ai.onnx.ml.Imputer<"
                                "imputed_value_floats = [1.0], replaced_value_float = -9.0>(x) }")
                  .missing,
              ElementsAre(-9));
}

TEST(PurposesOfTest, RangesAreThoseThatItIsQuantizedTo) {
  const InputPurpose purpose = PurposeOfX(
      "(float[2] x) => (uint8[2] y) <float s = {0.5}, uint8 z = {55}> {"
      " y = QuantizeLinear(x, s, z) }");
  ASSERT_TRUE(purpose.range.has_value());
  EXPECT_EQ(purpose.range->least, -27.5);
  EXPECT_EQ(purpose.range->greatest, 100);
}

TEST(PurposesOfTest, IdsBelow0AreLegalForGatherAlone) {
  EXPECT_FALSE(PurposeOfX("(int64[2] x) => (float[2] y) <float[3] t = {1, 2, 3}> {"
                          " y = Gather(t, x) }")
                   .not_negative);
  EXPECT_TRUE(PurposeOfX("(int64[2] x) => (float[2] y) <float[3] t = {1, 2, 3}, int64 o = {1}> {"
                         " s = Sub(x, o) y = Gather(t, s) }")
                  .not_negative);
  InputPurpose gather;
  gather.purpose = IdPurpose();
  EXPECT_FALSE(Merged(gather, gather).not_negative);
  EXPECT_TRUE(Merged(gather, {}).not_negative);
}

TEST(PurposesOfTest, PathsLeadToLeaves) {
  const InputPurpose purpose = PurposeOfFeatures(
      "(float[n,2] x) => (float[n,1] y) { y = ai.onnx.ml.TreeEnsembleRegressor<n_targets = 1,"
      " nodes_treeids = [0, 0, 0, 0, 0], nodes_nodeids = [0, 1, 2, 3, 4],"
      " nodes_featureids = [1, 1, 0, 0, 0], nodes_values = [5.0, 2.0, 0.0, 0.0, 0.0],"
      " nodes_modes = [\"BRANCH_LEQ\", \"BRANCH_LEQ\", \"LEAF\", \"LEAF\", \"LEAF\"],"
      " nodes_truenodeids = [1, 3, 0, 0, 0], nodes_falsenodeids = [2, 4, 0, 0, 0],"
      " target_treeids = [0, 0, 0], target_nodeids = [2, 3, 4], target_ids = [0, 0, 0],"
      " target_weights = [1.0, 2.0, 3.0]>(x) }");
  ASSERT_TRUE(purpose.Is<FeaturePurpose>());
  const auto& paths = purpose.As<FeaturePurpose>()->paths;
  ASSERT_EQ(paths.size(), 3u);
  for (const TreePath& path : paths) {
    ASSERT_EQ(path.size(), 1u);
    EXPECT_EQ(path[0].first, 1);
  }
  EXPECT_EQ(paths[0][0].second.greatest, 2);
  EXPECT_EQ(paths[1][0].second.least, 2);
  EXPECT_EQ(paths[1][0].second.greatest, 5);
  EXPECT_EQ(paths[2][0].second.least, 5);
}

TEST(PurposesOfTest, ColumnsThatAreSelectedAndScaledLeadToLeaves) {
  const InputPurpose purpose = PurposeOfFeatures(
      "(float[n,6] x) => (float[n,1] y) <int64[2] c = {4, 2}, int64[1] d = {5}, int64[1] k = {1}> {"
      " a = ai.onnx.ml.ArrayFeatureExtractor(x, d) b = ai.onnx.ml.ArrayFeatureExtractor(x, c)"
      " g = Gather<axis = 1>(b, k)"
      " s = ai.onnx.ml.Scaler<offset = [1.0], scale = [0.5]>(g) z = Concat<axis = 1>(a, s)"
      " y = ai.onnx.ml.TreeEnsembleRegressor<n_targets = 1, nodes_treeids = [0, 0, 0],"
      " nodes_nodeids = [0, 1, 2], nodes_featureids = [1, 0, 0], nodes_values = [3.0, 0.0, 0.0],"
      " nodes_modes = [\"BRANCH_LEQ\", \"LEAF\", \"LEAF\"], nodes_truenodeids = [1, 0, 0],"
      " nodes_falsenodeids = [2, 0, 0], target_treeids = [0, 0], target_nodeids = [1, 2],"
      " target_ids = [0, 0], target_weights = [1.0, 2.0]>(z) }");
  // (x - 1) * 0.5 <= 3, of column 2.
  ASSERT_TRUE(purpose.Is<FeaturePurpose>());
  const auto& paths = purpose.As<FeaturePurpose>()->paths;
  ASSERT_EQ(paths.size(), 2u);
  ASSERT_EQ(paths[0].size(), 1u);
  EXPECT_EQ(paths[0][0].first, 2);
  EXPECT_EQ(paths[0][0].second.greatest, 7);
}

TEST(PurposesOfTest, KeysOfAStrictEncoderAreDemanded) {
  const InputPurpose purpose = PurposeOfFeatures(
      "(float[n,6] x) => (float[n,1,3] y) <int64[1] c = {4}> {"
      " a = ai.onnx.ml.ArrayFeatureExtractor(x, c) i = Cast<to = 7>(a)"
      " y = ai.onnx.ml.OneHotEncoder<cats_int64s = [3, 7, 8], zeros = 0>(i) }");
  ASSERT_TRUE(purpose.demanded.contains(4));
  EXPECT_THAT(purpose.demanded.at(4), ElementsAre(3, 7, 8));
  EXPECT_TRUE(PurposeOfFeatures("(string[n,1] x) => (float[n,1,2] y) { y ="
                                " ai.onnx.ml.OneHotEncoder<cats_strings = [\"a\", \"b\"],"
                                " zeros = 0>(x) }")
                  .only_known);
}

TEST(PurposesOfTest, WeightsAreScaled) {
  const InputPurpose purpose =
      PurposeOfX("(float[2,3] a, float[3,4] x) => (float[2,4] y) { y = MatMul(a, x) }");
  ASSERT_TRUE(purpose.Is<NumberPurpose>());
  EXPECT_TRUE(purpose.As<NumberPurpose>()->weights);
}

TEST(PurposeCacheTest, LooksAtEachGraphOnce) {
  const auto ids = LoadGraph(
      "g (int64[2] x) => (float[2] y) <float[5] t = {1, 2, 3, 4, 5}> { y = Gather(t, x) }");
  const auto roots = LoadGraph("g (float[2] x) => (float[2] y) { y = Sqrt(x) }");
  ASSERT_TRUE(ids.ok() && roots.ok());
  PurposeCache cache;
  const InputPurposes& first = cache.Of((*ids)->graph);
  const InputPurposes& second = cache.Of((*roots)->graph);
  EXPECT_TRUE(first.at("x").Is<IdPurpose>());
  EXPECT_TRUE(second.at("x").Is<PositivePurpose>());
  EXPECT_EQ(&cache.Of((*ids)->graph), &first);
}

}  // namespace
}  // namespace onnxcmp
