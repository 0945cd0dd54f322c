// Outputs of a Split, or of nodes that take parts of one value, that were exchanged: each is what
// another is on the left, and what reads them does what it did.
#include "compare/repair/exchanged_results.h"

#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "compare/causes/cause_class.h"
#include "compare/compare.h"
#include "compare/comparison/exit_status.h"
#include "tests/compare/model_pair.h"

namespace onnxcmp {
namespace {

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
  std::vector<std::string> names;
  for (const Cause& cause : comparison.causes) {
    if (IsWrong(cause)) {
      names.push_back(comparison.right.results[static_cast<size_t>(cause.right)].name);
    }
  }
  EXPECT_EQ(ExitStatusOf(comparison), names.empty() ? 0 : 1);
  return names;
}

std::string Replaced(const std::string& model, const std::string& from, const std::string& to) {
  const std::string replaced = absl::StrReplaceAll(model, {{from, to}});
  EXPECT_NE(replaced, model);
  return replaced;
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

}  // namespace
}  // namespace onnxcmp
