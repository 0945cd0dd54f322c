// Indices, labels, keys and booleans are exact, whatever came before them and whatever is said of
// elements.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/lies/given_models.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Agrees;
using ::onnxcmp::testing::CompareModels;
using ::onnxcmp::testing::GivenModel;
using ::onnxcmp::testing::RandomFloats;
using ::onnxcmp::testing::WhatWasSaid;

struct Choice {
  const char* name;
  const char* nodes;  // from scores s, float[16,40], to the output
  const char* type;   // of the output
};

// What is chosen by scores, and what is made of it.
constexpr Choice kChoices[] = {
    {"ArgMax", "y = ArgMax<axis = 1, keepdims = 0>(s)", "int64[16]"},
    {"ArgMin", "y = ArgMin<axis = 1, keepdims = 0>(s)", "int64[16]"},
    {"TopK", "k = Constant<value_ints = [3]>() top, y = TopK(s, k)", "int64[16,3]"},
    {"NonZero", "o = Constant<value_float = 1.0>() g = Greater(s, o) y = NonZero(g)", "int64[2,n]"},
    {"Greater", "o = Constant<value_float = 1.0>() y = Greater(s, o)", "bool[16,40]"},
    {"LargeIds",
     "i = ArgMax<axis = 1, keepdims = 0>(s) o = Constant<value_int = 100000>() y = Add(i, o)",
     "int64[16]"},
    {"CastToInt32", "i = ArgMax<axis = 1, keepdims = 0>(s) y = Cast<to = 6>(i)", "int32[16]"},
    {"CastToFloat",
     "i = ArgMax<axis = 1, keepdims = 0>(s) o = Constant<value_int = 3800>() j = Add(i, o)"
     " y = Cast<to = 1>(j)",
     "float[16]"},
    {"CastToFloatAndBack",
     "i = ArgMax<axis = 1, keepdims = 0>(s) o = Constant<value_int = 3800>() j = Add(i, o)"
     " f = Cast<to = 1>(j) y = Cast<to = 7>(f)",
     "int64[16]"},
    {"Sequence",
     "i = ArgMax<axis = 1, keepdims = 0>(s) o = Constant<value_int = 3800>() j = Add(i, o)"
     " y = SequenceConstruct(o, j)",
     "seq(int64[16])"},
    {"Optional",
     "i = ArgMax<axis = 1, keepdims = 0>(s) o = Constant<value_int = 3800>() j = Add(i, o)"
     " y = Optional(j)",
     "optional(int64[16])"},
    {"Gathered",
     "i = ArgMax<axis = 1, keepdims = 0>(s) a = Constant<value_int = 0>()"
     " b = Constant<value_int = 40>() c = Constant<value_int = 1>() r = Range(a, b, c)"
     " o = Constant<value_int = 5000>() t = Add(r, o) y = Gather(t, i)",
     "int64[16]"},
    {"Where",
     "i = ArgMax<axis = 1, keepdims = 0>(s) o = Constant<value_int = 7>() g = Less(i, o)"
     " a = Constant<value_int = 100>() b = Constant<value_int = 101>() y = Where(g, a, b)",
     "int64[16]"},
    {"Strings",
     "i = ArgMax<axis = 1, keepdims = 0>(s) two = Constant<value_int = 2>() j = Mod(i, two)"
     " y = ai.onnx.ml.LabelEncoder<keys_int64s = [0, 1], values_strings = [\"dog\", \"dot\"]>(j)",
     "string[16]"},
    {"AsText", "i = ArgMax<axis = 1, keepdims = 0>(s) y = Cast<to = 8>(i)", "string[16]"},
    {"Unique",
     "i = ArgMax<axis = 1, keepdims = 0>(s) o = Constant<value_int = 100000>() j = Add(i, o)"
     " y = Unique(j)",
     "int64[n]"},
    {"CumSum",
     "i = ArgMax<axis = 1, keepdims = 0>(s) a = Constant<value_int = 0>()"
     " f = Cast<to = 6>(i) y = CumSum(f, a)",
     "int32[16]"},
    {"OneHot",
     "i = ArgMax<axis = 1, keepdims = 0>(s) n = Constant<value_int = 40>()"
     " o = Constant<value_ints = [50000, 50001]>() y = OneHot(i, n, o)",
     "int64[16,40]"},
    {"Rounded", "r = Round(s) y = Cast<to = 7>(r)", "int64[16,40]"},
};

// What the scores' weights pass through first.
struct Way {
  const char* name;
  const char* nodes;
};
constexpr Way kWays[] = {
    {"float", "v = Identity(w)"},
    {"float16", "h = Cast<to = 10>(w) v = Cast<to = 1>(h)"},
    {"bfloat16", "h = Cast<to = 16>(w) v = Cast<to = 1>(h)"},
    {"int8",
     "qs = Constant<value_float = 0.03>() qz = Constant<value = int8 {0}>()"
     " q = QuantizeLinear(w, qs, qz) v = DequantizeLinear(q, qs, qz)"},
    {"dynamic", "q, qs, qz = DynamicQuantizeLinear(w) v = DequantizeLinear(q, qs, qz)"},
};

GivenModel Made(const Choice& choice, const Way& way, const Tensor& w) {
  return {absl::StrReplaceAll(
              "(float[16,24] x, float[24,40] w) => (TYPE y) { WAY s = MatMul(x, v) CHOICE }",
              {{"TYPE", choice.type}, {"WAY", way.nodes}, {"CHOICE", choice.nodes}}),
          {{"w", w}}};
}

const Tensor& Weights() {
  static const auto& weights = *new Tensor(RandomFloats({24, 40}, 2));
  return weights;
}
Feeds ScoreFeeds() { return {{"x", RandomFloats({16, 24}, 1)}}; }

// One more class in front: its scores are the last one's.
Tensor Rolled() {
  std::vector<float> elements(Weights().data<float>(), Weights().data<float>() + 24 * 40);
  for (int row = 0; row < 24; ++row) {
    const auto begin = elements.begin() + row * 40;
    std::rotate(begin, begin + 39, begin + 40);
  }
  return Tensor::Of<float>({24, 40}, elements);
}

// What rounding may do.
Tensor Rounded() {
  std::vector<float> elements(Weights().data<float>(), Weights().data<float>() + 24 * 40);
  for (size_t i = 0; i < elements.size(); i += 3) elements[i] *= 1 + 1.2e-7f;
  return Tensor::Of<float>({24, 40}, elements);
}

class DiscreteLiesTest : public ::testing::TestWithParam<std::tuple<Choice, Way>> {
 protected:
  const Choice& choice() const { return std::get<0>(GetParam()); }
  const Way& way() const { return std::get<1>(GetParam()); }
};

TEST_P(DiscreteLiesTest, OthersNeverPass) {
  CompareOptions ties;
  ties.ties_agree = true;
  CompareOptions wide;
  wide.tolerance.rtol = 0.1;
  CompareOptions wider;
  wider.tolerance.atol = 0.4;
  const GivenModel right = Made(choice(), way(), Rolled());
  for (const Way& left_way : {kWays[0], way()}) {
    const GivenModel left = Made(choice(), left_way, Weights());
    for (const CompareOptions& options : {CompareOptions(), ties, wide, wider}) {
      const Comparison comparison = CompareModels(left, right, ScoreFeeds(), options);
      EXPECT_FALSE(Agrees(comparison)) << left_way.name << ": " << WhatWasSaid(comparison);
    }
  }
}

TEST_P(DiscreteLiesTest, TheSamePass) {
  Comparison comparison = CompareModels(Made(choice(), way(), Weights()),
                                        Made(choice(), way(), Weights()), ScoreFeeds());
  EXPECT_EQ(comparison.verdict(), Verdict::kSame) << WhatWasSaid(comparison);
  comparison = CompareModels(Made(choice(), kWays[0], Weights()),
                             Made(choice(), kWays[0], Rounded()), ScoreFeeds());
  EXPECT_TRUE(Agrees(comparison)) << WhatWasSaid(comparison);
}

INSTANTIATE_TEST_SUITE_P(All, DiscreteLiesTest,
                         ::testing::Combine(::testing::ValuesIn(kChoices),
                                            ::testing::ValuesIn(kWays)),
                         [](const ::testing::TestParamInfo<std::tuple<Choice, Way>>& info) {
                           return absl::StrCat(std::get<0>(info.param).name, "_",
                                               std::get<1>(info.param).name);
                         });

// A classifier's labels and the keys of its probabilities.
constexpr char kClassifier[] =
    "(float[16,2] x) => (seq(map(int64, float)) z) {"
    " p = Softmax(x) z = ai.onnx.ml.ZipMap<classlabels_int64s = [KEYS]>(p) }";

TEST(MapLiesTest, KeysAreExact) {
  const auto model = [](const char* keys) {
    return GivenModel{absl::StrReplaceAll(kClassifier, {{"KEYS", keys}})};
  };
  const Feeds feeds = {{"x", RandomFloats({16, 2}, 1)}};
  CompareOptions wide;
  wide.tolerance.rtol = 0.1;
  for (const char* keys : {"100000, 100005", "100001, 100000", "100000, 100002"}) {
    for (const CompareOptions& options : {CompareOptions(), wide}) {
      const Comparison comparison =
          CompareModels(model("100000, 100001"), model(keys), feeds, options);
      EXPECT_FALSE(Agrees(comparison)) << keys << ": " << WhatWasSaid(comparison);
    }
  }
  EXPECT_TRUE(Agrees(CompareModels(model("7, 9"), model("7, 9"), feeds)));
}

}  // namespace
}  // namespace onnxcmp
