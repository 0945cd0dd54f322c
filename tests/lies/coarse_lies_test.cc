// What passes through coarse types may be as far off as those explain, and not wrong in other ways.
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

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

struct CoarseWay {
  const char* name;
  std::string text;
  // Relative RMS of an output that the type explains: what is less can hide in it.
  double explains;
};

// What becomes of the weights, or of what is computed, on its way.
const std::vector<CoarseWay>& Ways() {
  static const auto& ways = *new std::vector<CoarseWay>{
      {"float16", "h = Cast<to = 10>(w) v = Cast<to = 1>(h)", 4e-3},
      {"bfloat16", "h = Cast<to = 16>(w) v = Cast<to = 1>(h)", 3e-2},
      {"float8e4m3fn", "h = Cast<to = 17>(w) v = Cast<to = 1>(h)", 0.12},
      {"int8",
       "s = Constant<value_float = 0.03>() z = Constant<value = int8 {0}>()"
       "q = QuantizeLinear(w, s, z) v = DequantizeLinear(q, s, z)",
       0.1},
      {"uint8",
       "s = Constant<value_float = 0.03>() z = Constant<value = uint8 {128}>()"
       "q = QuantizeLinear(w, s, z) v = DequantizeLinear(q, s, z)",
       0.1},
      {"int4",
       "s = Constant<value_float = 0.4>()"
       "q = QuantizeLinear<output_dtype = 22>(w, s) v = DequantizeLinear(q, s)",
       0.25},
      {"dynamic", "q, s, z = DynamicQuantizeLinear(w) v = DequantizeLinear(q, s, z)", 0.1},
  };
  return ways;
}

// Text of the model without a fault, and with it.
struct Fault {
  const char* name;
  std::string from;
  std::string to;
};

const std::vector<Fault>& Faults() {
  static const auto& faults = *new std::vector<Fault>{
      {"output_zero", "y = Add(f, d)", "n = Sub(f, f) y = Mul(n, d)"},
      {"output_scaled", "y = Add(f, d)",
       "k = Add(f, d) c = Constant<value_float = 1.35>()"
       "y = Mul(k, c)"},
      {"output_scaled_a_little", "y = Add(f, d)",
       "k = Add(f, d) c = Constant<value_float = 1.15>() y = Mul(k, c)"},
      {"bias_lost", "y = Add(f, d)", "y = Identity(f)"},
      {"bias_subtracted", "y = Add(f, d)", "y = Sub(f, d)"},
      {"weights_zero", "a = MatMul(sum, v)", "o = Sub(v, v) a = MatMul(sum, o)"},
      {"weights_negated", "a = MatMul(sum, v)", "o = Neg(v) a = MatMul(sum, o)"},
      {"activation_lost", "b = Relu(a)", "b = Identity(a)"},
      {"activation_other", "b = Relu(a)", "b = Sigmoid(a)"},
      {"gelu_for_relu", "b = Relu(a)", "b = Gelu(a)"},
      {"second_product_lost", "f = MatMul(b, u)", "f = Identity(b)"},
      {"operand_transposed", "f = MatMul(b, u)", "o = Transpose(u) f = MatMul(b, o)"},
      {"attention_uniform", "p = Softmax<axis = -1>(g)", "o = Sub(g, g) p = Softmax<axis = -1>(o)"},
      {"attention_axis", "p = Softmax<axis = -1>(g)", "p = Softmax<axis = 0>(g)"},
      {"mask_inverted", "g = Where(m, t, low)", "g = Where(m, low, t)"},
      {"mask_lost", "g = Where(m, t, low)", "g = Identity(t)"},
  };
  return faults;
}

// Attention over x with a mask; two products.
constexpr char kGraph[] =
    "(float[12,24] x, bool[1,12] m, float[24,24] w, float[24,24] u, float[24] d)"
    " => (float[12,24] y) {"
    " WAY"
    " low = Constant<value_float = -1e4>()"
    " xt = Transpose(x) t = MatMul(x, xt) g = Where(m, t, low) p = Softmax<axis = -1>(g)"
    " mixed = MatMul(p, x) sum = Add(mixed, x)"
    " a = MatMul(sum, v) b = Relu(a) f = MatMul(b, u) y = Add(f, d) }";

GivenModel Made(const std::string& way, const Fault* fault = nullptr) {
  std::string graph = absl::StrReplaceAll(kGraph, {{"WAY", way}});
  if (fault != nullptr) {
    EXPECT_NE(graph.find(fault->from), std::string::npos) << fault->from;
    graph = absl::StrReplaceAll(graph, {{fault->from, fault->to}});
  }
  return {graph,
          {{"w", RandomFloats({24, 24}, 2)},
           {"u", RandomFloats({24, 24}, 3, 0.3f)},
           {"d", RandomFloats({24}, 4, 3)}}};
}

Feeds CoarseFeeds() {
  return {{"x", RandomFloats({12, 24}, 1, 0.5f)},
          {"m", testing::Bools({1, 12}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0})}};
}

Tensor OutputOf(const GivenModel& given) {
  return testing::ResultsOf(Load(given), CoarseFeeds()).back().second.tensor();
}

class CoarseLiesTest : public ::testing::TestWithParam<CoarseWay> {};

TEST_P(CoarseLiesTest, TheTypeAlonePasses) {
  const GivenModel coarse = Made(GetParam().text);
  Comparison comparison = CompareModels(Made("v = Identity(w)"), coarse, CoarseFeeds());
  EXPECT_TRUE(Agrees(comparison)) << WhatWasSaid(comparison);
  comparison = CompareModels(coarse, coarse, CoarseFeeds());
  EXPECT_EQ(comparison.verdict(), Verdict::kSame) << WhatWasSaid(comparison);
}

TEST_P(CoarseLiesTest, NoFaultPasses) {
  for (const Fault& fault : Faults()) {
    const GivenModel faulty = Made(GetParam().text, &fault);
    const double moved = testing::RelativeRms(OutputOf(Made(GetParam().text)), OutputOf(faulty));
    EXPECT_GT(moved, 1e-2) << fault.name;
    for (const bool both : {false, true}) {
      if (!both && moved < GetParam().explains) continue;
      const Comparison comparison =
          CompareModels(Made(both ? GetParam().text : "v = Identity(w)"), faulty, CoarseFeeds());
      EXPECT_FALSE(Agrees(comparison))
          << fault.name << (both ? ", both coarse: " : ", one coarse: ") << WhatWasSaid(comparison);
    }
  }
}

// A type that loses nothing excuses nothing.
TEST_P(CoarseLiesTest, AnExactWayExcusesNothing) {
  const std::string way = absl::StrReplaceAll(GetParam().text, {{"(w", "(w1"}, {"v =", "v1 ="}});
  const auto model = [&](const char* tail) {
    return GivenModel{absl::StrReplaceAll("(float[12,24] x, float[1,24] w, float[24] d)"
                                          " => (float[12,24] y) { zero = Sub(w, w) "
                                          " w1 = Add(zero, zero) WAY "
                                          " k = Add(x, v1) TAIL }",
                                          {{"WAY", way}, {"TAIL", tail}}),
                      {{"w", RandomFloats({1, 24}, 2)}, {"d", RandomFloats({24}, 4)}}};
  };
  const Feeds feeds = {{"x", RandomFloats({12, 24}, 1)}};
  const Comparison comparison =
      CompareModels(model("y = Add(k, d)"),
                    model("c = Constant<value_float = 1.01>() e = Mul(d, c) y = Add(k, e)"), feeds);
  EXPECT_FALSE(Agrees(comparison)) << WhatWasSaid(comparison);
}

INSTANTIATE_TEST_SUITE_P(All, CoarseLiesTest, ::testing::ValuesIn(Ways()),
                         [](const ::testing::TestParamInfo<CoarseWay>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace onnxcmp
