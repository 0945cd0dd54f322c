// An excuse for outputs that differ: what satisfies it and is wrong.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/outcome/nearer_outputs.h"
#include "tests/lies/given_models.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Agrees;
using ::onnxcmp::testing::CompareModels;
using ::onnxcmp::testing::GivenModel;
using ::onnxcmp::testing::RandomFloats;
using ::onnxcmp::testing::WhatWasSaid;

// What is exchanged: the outputs, or the states of a decoder.
struct Exchange {
  const char* name;
  const char* graph;  // with P and Q as names
};
constexpr Exchange kExchanges[] = {
    {"results", "(float[6,6] x) => (float[6,6] y, float[6,6] z) { P = Relu(x) Q = Tanh(x) }"},
    {"signs", "(float[6,6] x) => (float[6,6] y, float[6,6] z) { P = Tanh(x) Q = Neg(P) }"},
    {"states",
     "(float[6,6] x, float[6,6] k, float[6,6] v) => (float[6,6] m, float[12,6] y, float[12,6] z)"
     " { m = MatMul(x, x) P = Concat<axis = 0>(k, x) Q = Concat<axis = 0>(v, x) }"},
    {"numbers_as_large_as_masks",
     "(float[6,6] x) => (float[6,6] y, float[6,6] z) { c = Constant<value_float = 1e34>()"
     " d = Constant<value_float = 2e34>() e = Exp(x) P = Mul(e, c) Q = Mul(e, d) }"},
    {"masks_of_other_signs",
     "(float[6,6] x) => (float[6,6] y, float[6,6] z) { c = Constant<value_float = 1e34>()"
     " n = Constant<value_float = -1e34>() e = Exp(x) P = Mul(e, c) Q = Mul(e, n) }"},
};

class ExchangeTest : public ::testing::TestWithParam<Exchange> {
 protected:
  static GivenModel Made(const char* p, const char* q) {
    return {absl::StrReplaceAll(GetParam().graph, {{"P", p}, {"Q", q}})};
  }
  static Feeds Fed() {
    Feeds feeds = {{"x", RandomFloats({6, 6}, 1)}};
    if (std::string(GetParam().name) != "states") return feeds;
    feeds["k"] = RandomFloats({6, 6}, 2);
    feeds["v"] = RandomFloats({6, 6}, 3);
    return feeds;
  }
};

// Every node is right, and both run in double as they run: rounding explains nothing.
TEST_P(ExchangeTest, IsNoRounding) {
  CompareOptions options;
  options.shadow = true;
  Comparison comparison = CompareModels(Made("y", "z"), Made("z", "y"), Fed(), options);
  EXPECT_FALSE(Agrees(comparison)) << WhatWasSaid(comparison);
  EXPECT_FALSE(AcceptNearerOutputs(comparison, &comparison));
  EXPECT_FALSE(Agrees(comparison)) << WhatWasSaid(comparison);
}

INSTANTIATE_TEST_SUITE_P(All, ExchangeTest, ::testing::ValuesIn(kExchanges),
                         [](const ::testing::TestParamInfo<Exchange>& info) {
                           return std::string(info.param.name);
                         });

TEST(ExchangeWordsTest, ValuesUnderAnotherNameAreSaid) {
  const auto model = [](const char* outputs, const char* nodes) {
    return GivenModel{absl::StrCat("(float[6,6] x) => (", outputs, ") {", nodes, "}")};
  };
  const char* const kYz = "float[6,6] y, float[6,6] z";
  const Feeds feeds = {{"x", RandomFloats({6, 6}, 1)}};
  const Comparison exchanged = CompareModels(model(kYz, "y = Relu(x) z = Tanh(x)"),
                                             model(kYz, "z = Relu(x) y = Tanh(x)"), feeds);
  ASSERT_EQ(exchanged.outputs.pairs.size(), 2u);
  EXPECT_EQ(exchanged.outputs.pairs[0].difference.fault, "the right has these values as `z`");
  EXPECT_EQ(exchanged.outputs.pairs[1].difference.fault, "the right has these values as `y`");
  // Names count, and a program that reads by position gets others.
  const Comparison order =
      CompareModels(model(kYz, "y = Relu(x) z = Tanh(x)"),
                    model("float[6,6] z, float[6,6] y", "y = Relu(x) z = Tanh(x)"), feeds);
  EXPECT_EQ(order.verdict, Verdict::kSame);
  EXPECT_THAT(order.notes, ::testing::Contains("outputs are in another order on the right, by "
                                               "their names: `y`, `z`"));
}

}  // namespace
}  // namespace onnxcmp
