// Outputs of a Split, or of nodes that take parts of one value, that were exchanged: each is what
// another is on the left, and what reads them does what it did.
#include "compare/causes/repair/exchanged_results.h"

#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "compare/compare.h"
#include "compare/outcome/exit_status.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Replaced;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

// A step of a cell: three gates in one value, and what is after them.
constexpr char kGates[] = R"(g (float[2,8] x) => (float[2,8] y)
<float two = {2}, float[8] shift = {0.5, 0.25, 0.125, 0.75, 0.625, 0.875, 0.0625, 0.3}> {
  a = Tanh (x)
  b = Mul (x, two)
  c = Add (x, shift)
  gates = Concat <axis = 1> (a, b, c)
  g_in, g_out, g_new = Split <axis = 1, num_outputs = 3> (gates)
  s_in = Sigmoid (g_in)
  s_out = Sigmoid (g_out)
  t_new = Tanh (g_new)
  kept = Mul (s_in, t_new)
  sum = Add (kept, x)
  y = Mul (sum, s_out)
})";

// The same in Gathers.
constexpr char kColumns[] = R"(g (float[2,8] x) => (float[2] y)
<int64 zero = {0}, int64 one = {1}, int64 two = {2}, float half = {0.5}> {
  p = Tanh (x)
  left_edge = Gather <axis = 1> (p, zero)
  top = Gather <axis = 1> (p, one)
  size = Gather <axis = 1> (p, two)
  e = Exp (size)
  w = Mul (e, half)
  u = Sub (left_edge, w)
  v = Div (top, e)
  y = Add (u, v)
})";

Tensor Fed() {
  std::vector<float> elements;
  for (int i = 0; i < 16; ++i) elements.push_back(0.31f * static_cast<float>(i * 5 % 13) - 1.43f);
  return Tensor::Of<float>({2, 8}, elements);
}

std::vector<std::string> WrongIn(const std::string& left, const std::string& right) {
  CompareOptions options;
  options.fail_on = FailOn::kCauses;
  const Comparison comparison = testing::CompareFedWith(Fed(), left, Fed(), right, options);
  std::vector<std::string> names = testing::NamesOfWrong(comparison);
  EXPECT_EQ(ExitStatusOf(comparison), names.empty() ? 0 : 1);
  return names;
}

TEST(ExchangedResults, TheSplitIsNamedAndNothingElse) {
  for (const char* outputs : {"g_out, g_new, g_in", "g_new, g_in, g_out", "g_out, g_in, g_new",
                              "g_new, g_out, g_in", "g_in, g_new, g_out"}) {
    const std::vector<std::string> names =
        WrongIn(kGates, Replaced(kGates, "g_in, g_out, g_new =", std::string(outputs) + " ="));
    ASSERT_THAT(names, SizeIs(1)) << outputs;
    EXPECT_THAT(names, Each(StartsWith("g_"))) << outputs;
  }
}

TEST(ExchangedResults, WithoutNamesToo) {
  const std::string rotated =
      Replaced(kGates, "g_in, g_out, g_new = Split", "g_out, g_new, g_in = Split");
  const std::string renamed = absl::StrReplaceAll(rotated, {{"g_in", "q1"},
                                                            {"g_out", "q2"},
                                                            {"g_new", "q3"},
                                                            {"s_in", "r1"},
                                                            {"s_out", "r2"},
                                                            {"t_new", "r3"},
                                                            {"kept", "r4"}});
  const std::vector<std::string> names = WrongIn(kGates, renamed);
  ASSERT_THAT(names, SizeIs(1));
  EXPECT_THAT(names, Each(StartsWith("q")));
}

// The parts come in another order as well, as exporters do it.
TEST(ExchangedResults, PartsThatMoveWithThemAreNoFault) {
  const std::string right = absl::StrReplaceAll(
      kGates, {{"(a, b, c)", "(c, a, b)"}, {"g_in, g_out, g_new =", "g_new, g_in, g_out ="}});
  EXPECT_THAT(WrongIn(kGates, right), IsEmpty());
  EXPECT_THAT(WrongIn(right, kGates), IsEmpty());
}

// One reader that takes another part is at fault itself, and so are two whose parts keep their
// names.
TEST(ExchangedResults, AReaderOfAnotherPartIsNamedItself) {
  EXPECT_THAT(WrongIn(kGates, Replaced(kGates, "Tanh (g_new)", "Tanh (g_out)")),
              Each(Not(StartsWith("g_"))));
  EXPECT_THAT(WrongIn(kColumns, Replaced(kColumns, "Sub (left_edge, w)", "Sub (w, left_edge)")),
              ElementsAre("u"));
}

TEST(ExchangedResults, IndicesThatWereExchangedAreNamed) {
  const std::string right =
      absl::StrReplaceAll(kColumns, {{"zero = {0}", "zero = {1}"}, {"one = {1}", "one = {0}"}});
  EXPECT_THAT(WrongIn(kColumns, right), UnorderedElementsAre("zero", "one"));
}

// Two rows of indices, which an optimizer takes from one Split.
constexpr char kEdges[] = R"(g (float[2,8] x) => (float[3] y)
<int64[2,3] edges = {0, 3, 5, 2, 7, 1}, int64 zero = {0}, int64 one = {1}, int64[1] first = {0}> {
  p = Gather <axis = 0> (x, zero)
  q = Tanh (p)
  ends = Identity (edges)
  from_end = Gather <axis = 0> (ends, zero)
  to_end = Gather <axis = 0> (ends, one)
  a = Gather <axis = 0> (q, from_end)
  b = Gather <axis = 0> (q, to_end)
  e = Exp (b)
  y = Sub (a, e)
})";

TEST(ExchangedResults, PartsOfAnotherShapeAreExchangedToo) {
  const std::string right = absl::StrReplaceAll(
      kEdges, {{"from_end = Gather <axis = 0> (ends, zero)",
                "s, t = Split <axis = 0, num_outputs = 2> (ends)  m = Squeeze (s, first)"},
               {"to_end = Gather <axis = 0> (ends, one)", "n = Squeeze (t, first)"},
               {"(q, from_end)", "(q, m)"},
               {"(q, to_end)", "(q, n)"}});
  EXPECT_THAT(WrongIn(kEdges, right), IsEmpty());
  const std::vector<std::string> names = WrongIn(kEdges, Replaced(right, "s, t =", "t, s ="));
  ASSERT_THAT(names, Not(IsEmpty()));
  EXPECT_THAT(names, Each(::testing::AnyOf("s", "t")));
}

// Two tables whose rows are added up: the sum alone does not tell which reads what.
constexpr char kTables[] = R"(g (float[2,8] x) => (float[2,4] y)
<float[3,4] table = {0.5, -0.25, 0.75, 1, -1, 0.3, 0.2, -0.6, 0.9, 0.1, -0.8, 0.4},
 float[3,4] other = {0.15, 0.35, -0.65, 0.45, 1.5, -0.7, 0.25, 0.8, -0.55, 0.05, 0.95, -0.3},
 int64[2] ids = {0, 2}, int64[2] places = {1, 2}, int64[1] rest = {4}, int64[1] begin = {0},
 int64[1] axis = {1}> {
  a = Gather <axis = 0> (table, ids)
  b = Gather <axis = 0> (other, places)
  sum = Add (a, b)
  s = Slice (x, begin, rest, axis)
  t = Mul (sum, s)
  y = Tanh (t)
})";

TEST(ExchangedResults, ConstantsThatWereExchangedAreNamed) {
  const std::string right =
      absl::StrReplaceAll(kTables, {{"] table =", "] other ="}, {"] other =", "] table ="}});
  EXPECT_THAT(WrongIn(kTables, right), UnorderedElementsAre("table", "other"));
}

// One that reads the other table is at fault itself.
TEST(ExchangedResults, AReaderOfAnotherConstantIsNamedItself) {
  EXPECT_THAT(WrongIn(kTables, Replaced(kTables, "(table, ids)", "(other, ids)")),
              ElementsAre("a"));
}

}  // namespace
}  // namespace onnxcmp
