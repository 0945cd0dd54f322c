#include "prove/whole_numbers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compare/outcome/proof_report.h"
#include "evaluator/tensor/tensor.h"
#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::ProofOfModels;

// Two bodies of models from x to y, of four elements each; `constant` has a name and a value.
struct Pair {
  std::string x, y, constant, left, right;
};

bool IsProved(const Pair& pair) {
  const auto text = [&](const std::string& body) {
    return absl::StrCat("g (", pair.x, "[4] x) => (", pair.y, "[4] y) <", pair.constant, "> { ",
                        body, " }");
  };
  const Tensor x = pair.x == "int8"    ? Tensor::Of<int8_t>({4}, {1, -2, 100, -128})
                   : pair.x == "uint8" ? Tensor::Of<uint8_t>({4}, {1, 2, 100, 200})
                   : pair.x == "int32" ? Tensor::Of<int32_t>({4}, {1, -2, 300, 4})
                                       : Tensor::Of<int64_t>({4}, {1, 2, 0, 3});
  return ProofOfModels(text(pair.left), text(pair.right), x).proved;
}

TEST(WholeNumbers, RestsOfRestsAreTheyThemselves) {
  const std::string two = "int64 c = {6}, int64 d = {4}";
  const std::string rest = "a = Mod(x, c) ";
  EXPECT_TRUE(IsProved({"int64", "int64", two, rest + "y = Mod(a, c)", "y = Mod(x, c)"}));
  EXPECT_TRUE(IsProved({"int64", "int64", two, "a = Mod(x, d) y = Mod(a, c)", "y = Mod(x, d)"}));
  const std::vector<Pair> different = {
      {"int64", "int64", two, rest + "y = Mod(a, d)", "y = Mod(x, d)"},
      {"int64", "int64", two, rest + "y = Mod(a, d)", "y = Mod(x, c)"},
      {"int64", "int64", two, "a = Add(x, c) y = Mod(a, c)", "y = Mod(x, c)"},
      {"int64", "int64", two, rest + "n = Neg(a) y = Mod(n, c)", rest + "y = Neg(a)"},
      {"int64", "int64", two, "n = Neg(c) a = Mod(x, n) y = Mod(a, c)", "n = Neg(c) y = Mod(x, n)"},
      {"int64", "int64", two, "a = Mod<fmod = 1>(x, c) y = Mod(a, c)", "y = Mod<fmod = 1>(x, c)"},
      {"int64", "int64", two, "a = Mod(x, c) y = Mod<fmod = 1>(x, c)", "y = Mod(x, c)"},
      {"int64", "int64", two, rest + "b = Add(a, d) y = Mod(b, c)", rest + "y = Add(a, d)"},
      {"int8", "int8", "int8 c = {6}", "a = Mul(x, c) y = Mod(a, c)", "y = Sub(x, x)"},
      {"int64", "int64", two, rest + "b = Mul(a, a) y = Mod(b, c)", rest + "y = Mul(a, a)"},
  };
  for (const Pair& pair : different) EXPECT_FALSE(IsProved(pair)) << pair.left;
}

TEST(WholeNumbers, WrapInTheirType) {
  const std::string as_float = "f = Cast<to = 1>(x) ";
  const std::vector<Pair> different = {
      {"int64", "int64", "int64 c = {1}", "i = Cast<to = 6>(x) y = Cast<to = 7>(i)",
       "y = Identity(x)"},
      {"int32", "float", "int32 c = {1}", "i = Cast<to = 2>(x) y = Cast<to = 1>(i)",
       "y = Cast<to = 1>(x)"},
      {"int8", "int32", "int8 c = {1}", "i = Cast<to = 2>(x) y = Cast<to = 6>(i)",
       "y = Cast<to = 6>(x)"},
      {"uint8", "float", "uint8 c = {128}", "d = Sub(x, c) y = Cast<to = 1>(d)",
       as_float + "g = Cast<to = 1>(c) y = Sub(f, g)"},
      {"uint8", "float", "uint8 c = {128}", "d = Add(x, c) y = Cast<to = 1>(d)",
       as_float + "g = Cast<to = 1>(c) y = Add(f, g)"},
      {"int64", "int64", "int64 c = {1}",
       "h = Cast<to = 10>(x) f = Cast<to = 1>(h) y = Cast<to = 7>(f)",
       "f = Cast<to = 1>(x) y = Cast<to = 7>(f)"},
      {"int64", "float", "float[5] c = {1, 2, 3, 4, 5}",
       "f = Cast<to = 1>(x) h = Cast<to = 16>(f) i = Cast<to = 7>(h) y = Gather(c, i)",
       "f = Cast<to = 1>(x) i = Cast<to = 7>(f) y = Gather(c, i)"},
      {"int8", "float", "int8 c = {1}", "d = Mul(x, x) y = Cast<to = 1>(d)",
       as_float + "y = Mul(f, f)"},
      {"int8", "float", "int8 c = {1}", "d = Neg(x) y = Cast<to = 1>(d)", as_float + "y = Neg(f)"},
      {"int8", "float", "int8 c = {1}", "d = Abs(x) y = Cast<to = 1>(d)", as_float + "y = Abs(f)"},
      {"int64", "double", "int64 c = {0}", "d = CumSum(x, c) y = Cast<to = 11>(d)",
       "f = Cast<to = 11>(x) y = CumSum(f, c)"},
      // What only chooses, moves or compares has wrapped numbers, too.
      {"int8", "float", "int8 c = {0}", "d = Add(x, x) e = Max(d, c) y = Cast<to = 1>(e)",
       as_float + "d = Add(f, f) g = Cast<to = 1>(c) y = Max(d, g)"},
      {"int8", "float", "int64[2] c = {2, 2}",
       "d = Add(x, x) e = Reshape(d, c) g = Flatten<axis = 0>(e) h = Squeeze(g) y = Cast<to = "
       "1>(h)",
       as_float + "y = Add(f, f)"},
      {"int8", "bool", "int8 c = {0}", "d = Add(x, x) y = Greater(d, c)",
       "i = Cast<to = 6>(x) k = Cast<to = 6>(c) d = Add(i, i) y = Greater(d, k)"},
  };
  for (const Pair& pair : different) EXPECT_FALSE(IsProved(pair)) << pair.left;
}

TEST(WholeNumbers, AreTruncatedByFunctionsOfTheirOwn) {
  const std::string end = " y = Cast<to = 1>(d)";
  const std::string as_float = "f = Cast<to = 1>(x) ";
  const std::vector<Pair> different = {
      {"int32", "float", "float c = {0.5}", "d = Pow(x, c)" + end, as_float + "y = Sqrt(f)"},
      {"int32", "float", "float c = {0.3}", "d = Pow(x, c)" + end, as_float + "y = Pow(f, c)"},
      {"int32", "float", "int32 c = {40}", "d = Pow(x, c)" + end, as_float + "y = Pow(f, c)"},
      {"int32", "float", "int64[1] c = {0}",
       "u = Unsqueeze(x, c) d = ReduceL2<keepdims = 0>(u, c)" + end,
       as_float + "u = Unsqueeze(f, c) y = ReduceL2<keepdims = 0>(u, c)"},
      {"int32", "float", "int64[1] c = {0}",
       "u = Unsqueeze(x, c) d = ReduceLogSum<keepdims = 0>(u, c)" + end,
       as_float + "u = Unsqueeze(f, c) y = ReduceLogSum<keepdims = 0>(u, c)"},
      {"int8", "int32", "int8 c = {-1}", "d = Div(x, c) y = Cast<to = 6>(d)",
       "f = Cast<to = 6>(x) g = Cast<to = 6>(c) y = Div(f, g)"},
  };
  for (const Pair& pair : different) EXPECT_FALSE(IsProved(pair)) << pair.left;
}

TEST(WholeNumbers, KeepTheRulesOfSumsAndProducts) {
  const std::string as_float = "f = Cast<to = 1>(x) ";
  const std::vector<Pair> same = {
      {"int32", "int32", "int32 c = {5}", "d = Add(x, c) y = Sub(d, c)", "y = Identity(x)"},
      {"int8", "float", "int8 c = {5}", "d = Add(x, c) e = Mul(d, d) y = Cast<to = 1>(e)",
       "a = Mul(x, x) b = Mul(x, c) e = Add(b, b) g = Mul(c, c) h = Add(a, e) i = Add(h, g) "
       "y = Cast<to = 1>(i)"},
      {"int32", "int8", "int32 c = {5}", "d = Add(x, c) y = Cast<to = 3>(d)",
       "a = Cast<to = 3>(x) b = Cast<to = 3>(c) y = Add(a, b)"},
      {"int32", "int32", "int32 c = {5}", "i = Cast<to = 12>(x) y = Cast<to = 6>(i)",
       "y = Identity(x)"},
      {"int32", "int32", "int32 c = {2}", "y = Pow(x, c)", "y = Mul(x, x)"},
      // Sums that fit into their type are those of the numbers.
      {"uint8", "float", "uint8 c = {128}",
       "i = Cast<to = 6>(x) k = Cast<to = 6>(c) d = Sub(i, k) y = Cast<to = 1>(d)",
       as_float + "g = Cast<to = 1>(c) y = Sub(f, g)"},
      {"int8", "float", "int8 c = {1}", "h = Cast<to = 10>(x) y = Cast<to = 1>(h)",
       "y = Cast<to = 1>(x)"},
      {"int8", "int64", "int8 c = {1}", "i = Cast<to = 6>(x) y = Cast<to = 7>(i)",
       "y = Cast<to = 7>(x)"},
      // An id that is valid has not wrapped.
      {"int64", "float", "float[5] c = {1, 2, 3, 4, 5}", "i = Cast<to = 6>(x) y = Gather(c, i)",
       "y = Gather(c, x)"},
  };
  for (const Pair& pair : same) EXPECT_TRUE(IsProved(pair)) << pair.left;
}

TEST(WholeNumbers, ThatMayWrapAreTheReason) {
  const ProofReport report =
      ProofOfModels("g (int8[4] x) => (float[4] y) { d = Add(x, x) y = Cast<to = 1>(d) }",
                    "g (int8[4] x) => (float[4] y) { f = Cast<to = 1>(x) y = Add(f, f) }",
                    Tensor::Of<int8_t>({4}, {1, 2, 3, 4}));
  ASSERT_FALSE(report.parted.empty());
  EXPECT_NE(report.parted.back().why.find("int8 may wrap"), std::string::npos)
      << report.parted.back().why;
}

}  // namespace
}  // namespace onnxcmp
