// Faults inside loops, branches and functions: named with the place where they first show.
#include "compare/causes/body_search.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/compare.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::GivenX;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

using Changes = std::vector<std::pair<std::string, std::string>>;

// A loop of five iterations whose last two take the other branch.
constexpr char kLoop[] = R"(g (float[2,4] x) => (float[2,4] y, float[k,2,4] all)
<float[4,4] w = {0.5, -0.25, 0.125, 0.75, -0.5, 0.3, 0.8, -0.1, 0.9, 0.2, -0.7, 0.4, 0.1, -0.6, 0.35,
                 0.45},
 float[4] bias = {0.1, -0.2, 0.3, -0.4}, int64 n = {5}, bool go = {1}> {
  start = Tanh (x)
  state, all = Loop <body = step (int64 i, bool more, float[2,4] h) =>
      (bool again, float[2,4] next, float[2,4] shown) <float[4] scale = {1.1, 0.9, 1.2, 0.8}> {
    product = MatMul (h, w)
    sum = Add (product, bias)
    scaled = Mul (sum, scale)
    change = Sub (scaled, h)
    three = Constant <value_int = 3> ()
    early = Less (i, three)
    next = If <then_branch = first () => (float[2,4] a) {
                 open = Sigmoid (change)
                 a = Mul (open, scaled)
               },
               else_branch = second () => (float[2,4] b) {
                 bent = Tanh (change)
                 b = Sub (bent, scaled)
               }> (early)
    shown = Softmax <axis = 1> (next)
    again = Identity (more)
  }> (n, go, start)
  y = Relu (state)
})";

constexpr char kScan[] = R"(g (float[2,4] x) => (float[4] last, float[2,4] rows)
<float[4,4] u = {0.5, -0.25, 0.125, 0.75, -0.5, 0.3, 0.8, -0.1, 0.9, 0.2, -0.7, 0.4, 0.1, -0.6, 0.35,
                 0.45},
 float[4] zero = {0, 0, 0, 0}> {
  held, rows = Scan <num_scan_inputs = 1, body = cell (float[4] h, float[4] row) =>
      (float[4] after, float[4] given) <float[4] b = {0.1, 0.2, -0.3, 0.4}> {
    turned = MatMul (h, u)
    added = Add (turned, row)
    moved = Sub (added, b)
    after = Tanh (moved)
    given = Exp (after)
  }> (zero, x)
  last = Neg (held)
})";

constexpr char kIf[] = R"(g (float[2,4] x) => (float[2,4] y)
<float[4] k = {0.5, 1.5, -2, 3}, float none = {0}> {
  mean = ReduceMean <keepdims = 0> (x)
  test = Greater (mean, none)
  chosen = If <then_branch = yes () => (float[2,4] a) {
                 wide = Mul (x, k)
                 open = Sigmoid (wide)
                 a = Sub (open, x)
               },
               else_branch = no () => (float[2,4] b) {
                 less = Div (x, k)
                 b = Tanh (less)
               }> (test)
  y = Cos (chosen)
})";

constexpr char kNested[] = R"(g (float[2,4] x) => (float[2,4] y)
<float[4,4] w = {0.5, -0.25, 0.125, 0.75, -0.5, 0.3, 0.8, -0.1, 0.9, 0.2, -0.7, 0.4, 0.1, -0.6, 0.35,
                 0.45},
 int64 n = {3}, bool go = {1}> {
  outcome = Loop <body = outer (int64 i, bool c, float[2,4] h) => (bool c2, float[2,4] h2) {
    two = Constant <value_int = 2> ()
    h2 = Loop <body = inner (int64 j, bool d, float[2,4] a) => (bool d2, float[2,4] a2) {
      product = MatMul (a, w)
      bent = Tanh (product)
      factor = Constant <value_float = 0.7> ()
      a2 = Mul (bent, factor)
      d2 = Identity (d)
    }> (two, go, h)
    c2 = Identity (c)
  }> (n, go, x)
  y = Neg (outcome)
})";

Comparison Compared(const std::string& left, const std::string& right, const LoadOptions& load = {},
                    std::optional<int> max_depth = std::nullopt, const Tensor& x = GivenX()) {
  const auto a = testing::SideFedWith(x, left, load);
  const auto b = testing::SideFedWith(x, right, load);
  if (a == nullptr || b == nullptr) return {};
  CompareOptions options;
  options.threads = 1;
  if (max_depth.has_value()) options.max_depth = *max_depth;
  absl::StatusOr<Comparison> comparison = Compare(*a, *b, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? *std::move(comparison) : Comparison();
}

std::string Altered(std::string text, const Changes& changes) {
  for (const auto& [from, to] : changes) {
    EXPECT_THAT(text, HasSubstr(from));
    text = absl::StrReplaceAll(text, {{from, to}});
  }
  return text;
}

std::string LeftName(const Comparison& comparison, const Cause& cause) {
  return comparison.left.results[Index(cause.left)].name;
}

std::string Texts(const Comparison& comparison) {
  std::string texts;
  for (const Cause& cause : comparison.causes) absl::StrAppend(&texts, cause.text, "\n");
  return texts;
}

// The only cause, inside: "path/name" on the left and on the right.
void ExpectInside(const Comparison& comparison, const std::string& left, const std::string& right,
                  const std::string& text) {
  ASSERT_THAT(comparison.causes, SizeIs(1)) << Texts(comparison);
  const Cause& cause = comparison.causes[0];
  ASSERT_TRUE(cause.in_body.has_value()) << cause.text;
  EXPECT_EQ(absl::StrCat(cause.in_body->left_path, "/", cause.in_body->left_name), left);
  EXPECT_EQ(absl::StrCat(cause.in_body->right_path, "/", cause.in_body->right_name), right);
  EXPECT_THAT(cause.text, HasSubstr(text));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
}

// The only cause, in the main graph.
void ExpectOutside(const Comparison& comparison, CauseKind kind, const std::string& left,
                   const std::string& text) {
  ASSERT_THAT(comparison.causes, SizeIs(1)) << Texts(comparison);
  const Cause& cause = comparison.causes[0];
  EXPECT_FALSE(cause.in_body.has_value());
  EXPECT_EQ(CauseKindName(cause.kind), CauseKindName(kind));
  EXPECT_EQ(LeftName(comparison, cause), left);
  EXPECT_THAT(cause.text, HasSubstr(text));
}

// The same model under other names.
std::string Renamed(const std::string& text) {
  return absl::StrReplaceAll(text, {{"product", "v1"},
                                    {"scaled", "v2"},
                                    {"change", "v3"},
                                    {"state", "v4"},
                                    {"bias", "v5"},
                                    {"early", "v6"},
                                    {"bent", "v7"},
                                    {"moved", "v8"},
                                    {"held", "v9"},
                                    {"outcome", "va"},
                                    {"chosen", "vb"},
                                    {"open", "vc"},
                                    {"factor", "vd"},
                                    {"shown", "ve"}});
}

TEST(BodySearch, OfTheSameModelUnderOtherNamesThereIsNone) {
  for (const char* model : {kLoop, kScan, kIf, kNested}) {
    EXPECT_THAT(Compared(model, Renamed(model)).causes, IsEmpty());
  }
}

TEST(BodySearch, TheFirstIterationOfALoop) {
  ExpectInside(Compared(kLoop, Altered(kLoop, {{"Sub (scaled, h)", "Sub (h, scaled)"}})),
               "state[0]/change", "state[0]/change", "inputs in another order");
  ExpectInside(Compared(kLoop, Altered(kLoop, {{"Softmax <axis = 1>", "Softmax <axis = 0>"}})),
               "state[0]/shown", "state[0]/shown", "attribute axis: 1 | 0");
}

TEST(BodySearch, AResultInABodyIsAResultOfTheStreams) {
  const Comparison comparison =
      Compared(kLoop, Altered(kLoop, {{"Sub (scaled, h)", "Sub (h, scaled)"}}));
  ASSERT_THAT(comparison.causes, SizeIs(1)) << Texts(comparison);
  const Cause& cause = comparison.causes[0];
  ASSERT_TRUE(cause.in_body.has_value());
  const StreamResult& left = comparison.left.results[Index(cause.left)];
  const StreamResult& right = comparison.right.results[Index(cause.right)];
  EXPECT_EQ(left.path, "state[0]");
  EXPECT_EQ(left.name, "change");
  EXPECT_EQ(right.path, "state[0]");
  EXPECT_EQ(right.name, "change");
  EXPECT_EQ(comparison.left.results[Index(cause.in_body->left)].name, "state");
  EXPECT_EQ(comparison.left.results[Index(cause.in_body->left)].path, "");
}

TEST(BodySearch, NamesDoNotMatter) {
  const std::string right = Renamed(Altered(kLoop, {{"Sub (scaled, h)", "Sub (h, scaled)"}}));
  ExpectInside(Compared(kLoop, right), "state[0]/change", "v4[0]/v3", "inputs in another order");
}

TEST(BodySearch, ABranchThatIsFirstTakenLater) {
  const std::string right = Renamed(Altered(kLoop, {{"Sub (bent, scaled)", "Sub (scaled, bent)"}}));
  ExpectInside(Compared(kLoop, right), "state[3]/next[else_branch]/b", "v4[3]/next[else_branch]/b",
               "inputs in another order");
}

TEST(BodySearch, ACondition) {
  // Iteration 3 takes the branch that the left no longer takes.
  ExpectInside(Compared(kLoop, Altered(kLoop, {{"value_int = 3", "value_int = 4"}})),
               "state[3]/three", "state[3]/three", "the constants differ by up to 1");
  ExpectInside(Compared(kLoop, Altered(kLoop, {{"Less (i", "LessOrEqual (i"}})), "state[3]/early",
               "state[3]/early", "operator: Less | LessOrEqual");
}

TEST(BodySearch, TwoFaultsInBranchesOfDifferentIterations) {
  const Comparison comparison =
      Compared(kLoop, Altered(kLoop, {{"Sub (bent, scaled)", "Sub (scaled, bent)"},
                                      {"Sigmoid (change)", "Tanh (change)"}}));
  std::vector<std::string> places;
  for (const Cause& cause : comparison.causes) {
    ASSERT_TRUE(cause.in_body.has_value()) << cause.text;
    places.push_back(absl::StrCat(cause.in_body->left_path, "/", cause.in_body->left_name));
  }
  EXPECT_THAT(places, UnorderedElementsAre("state[0]/next[then_branch]/open",
                                           "state[3]/next[else_branch]/b"));
}

TEST(BodySearch, AnInitializerOfABody) {
  const Comparison comparison = Compared(kLoop, Altered(kLoop, {{"0.9, 1.2", "0.9, 1.25"}}));
  ExpectInside(comparison, "state[0]/scale", "state[0]/scale",
               "the constants differ by up to 0.05");
  EXPECT_EQ(CauseKindName(comparison.causes[0].kind), CauseKindName(CauseKind::kInitializer));
  // It is no result.
  EXPECT_EQ(LeftName(comparison, comparison.causes[0]), "state");
}

TEST(BodySearch, AWeightThatABodyReadsFromAround) {
  ExpectOutside(Compared(kLoop, Altered(kLoop, {{"-0.7, 0.4", "-0.7, 0.42"}})),
                CauseKind::kInitializer, "w", "the constants differ by up to 0.02");
  // Nothing of it is as it was.
  ExpectOutside(Compared(kLoop, Altered(kLoop, {{"{0.1, -0.2, 0.3, -0.4}", "{3, 2, -1, 5}"}})),
                CauseKind::kInitializer, "bias", "the constants differ by up to 5.4");
}

TEST(BodySearch, AnotherOuterValue) {
  ExpectInside(Compared(kLoop, Altered(kLoop, {{"Sub (scaled, h)", "Sub (scaled, start)"}})),
               "state[1]/change", "state[1]/change", "input 1: h | start");
}

TEST(BodySearch, AScan) {
  ExpectInside(Compared(kScan, Renamed(Altered(kScan, {{"Sub (added, b)", "Sub (b, added)"}}))),
               "held[0]/moved", "v9[0]/v8", "inputs in another order");
  ExpectInside(Compared(kScan, Altered(kScan, {{"0.2, -0.3", "0.2, -0.31"}})), "held[0]/b",
               "held[0]/b", "the constants differ by up to 0.01");
  // The state is zero in the first step.
  ExpectInside(Compared(kScan, Altered(kScan, {{"MatMul (h, u)", "MatMul (u, h)"}})),
               "held[1]/turned", "held[1]/turned", "inputs in another order");
}

TEST(BodySearch, AStateThatBeginsWithZeros) {
  // In the first step the sum has the bits of what is added to zero.
  constexpr char kCell[] = R"(g (float[3,4] x) => (float[4] last)
<float[4,4] u = {0.5, -0.25, 0.125, 0.75, -0.5, 0.3, 0.8, -0.1, 0.9, 0.2, -0.7, 0.4, 0.1, -0.6, 0.35,
                 0.45},
 float[4] zero = {0, 0, 0, 0}> {
  last = Scan <num_scan_inputs = 1, body = cell (float[4] c, float[4] row) => (float[4] cell) {
    gate = MatMul (row, u)
    input = Sigmoid (gate)
    forget = Tanh (gate)
    kept = Mul (forget, c)
    fresh = Mul (input, row)
    cell = Add (kept, fresh)
  }> (zero, x)
})";
  const std::vector<float> rows = {1, -2,     0.5f, 3,    -1.5f, 0.25f,
                                   2, -0.75f, 0.4f, 1.2f, -0.6f, 2.5f};
  const Comparison comparison =
      Compared(kCell, Altered(kCell, {{"Add (kept, fresh)", "Sub (kept, fresh)"}}), {},
               std::nullopt, Tensor::Of<float>({3, 4}, rows));
  ExpectInside(comparison, "last[0]/cell", "last[0]/cell", "operator: Add | Sub");
}

TEST(BodySearch, WhatTheNodeDoesAroundItsBodyIsTheNode) {
  ExpectOutside(
      Compared(kScan, Altered(kScan, {{"num_scan_inputs = 1,",
                                       "num_scan_inputs = 1, scan_input_directions = [1],"}})),
      CauseKind::kOperator, "held", "attribute scan_input_directions: not given | [1]");
}

TEST(BodySearch, ABranch) {
  ExpectInside(Compared(kIf, Renamed(Altered(kIf, {{"Sigmoid (wide)", "Tanh (wide)"}}))),
               "chosen[then_branch]/open", "vb[then_branch]/vc", "operator: Sigmoid | Tanh");
}

TEST(BodySearch, ExchangedBranches) {
  const std::string right = Altered(
      kIf, {{"then_branch", "other"}, {"else_branch", "then_branch"}, {"other", "else_branch"}});
  ExpectOutside(Compared(kIf, right), CauseKind::kOperator, "chosen", "its branches are exchanged");
}

TEST(BodySearch, BranchesThatAreExchangedWithTheirConditionAreNoFault) {
  const std::string right = Altered(kIf, {{"then_branch", "other"},
                                          {"else_branch", "then_branch"},
                                          {"other", "else_branch"},
                                          {"Greater", "LessOrEqual"}});
  EXPECT_THAT(Compared(kIf, right).causes, IsEmpty());
}

TEST(BodySearch, AWrongConditionIsTheCause) {
  ExpectOutside(Compared(kIf, Altered(kIf, {{"Greater (mean", "Less (mean"}})),
                CauseKind::kOperator, "test", "operator: Greater | Less");
}

TEST(BodySearch, AConditionWhoseValueStandsForAnother) {
  // The wrong condition is right where it is read elsewhere.
  const auto tested = [](const char* condition) {
    return Altered(kIf,
                   {{"(test)", absl::StrCat("(", condition, ")")},
                    {"test =", "other = Less (mean, none)\n  test ="},
                    {"y = Cos (chosen)",
                     "flag = Cast <to = 1> (other)\n  sum = Add (chosen, flag)\n  y = Cos (sum)"}});
  };
  ExpectOutside(Compared(tested("test"), tested("other")), CauseKind::kOperator, "test",
                "with the other branch the right gives what the left does");
}

TEST(BodySearch, LoopsInLoops) {
  ExpectInside(Compared(kNested, Renamed(Altered(kNested, {{"Tanh", "Atan"}}))),
               "outcome[0]/h2[0]/bent", "va[0]/h2[0]/v7", "operator: Tanh | Atan");
  ExpectInside(Compared(kNested, Altered(kNested, {{"value_float = 0.7", "value_float = 0.72"}})),
               "outcome[0]/h2[0]/factor", "outcome[0]/h2[0]/factor", "the constants differ");
  ExpectInside(Compared(kNested, Altered(kNested, {{"value_int = 2", "value_int = 1"}})),
               "outcome[0]/two", "outcome[0]/two", "the constants differ by up to 1");
  ExpectOutside(Compared(kNested, Altered(kNested, {{"-0.7, 0.4", "-0.7, 0.42"}})),
                CauseKind::kInitializer, "w", "the constants differ by up to 0.02");
}

TEST(BodySearch, RoundingThatAddsUpIsNone) {
  // A chaotic map: each step doubles what went before, and is written in two ways.
  constexpr char kMap[] = R"(g (float[2,4] x) => (float[2,4] y)
<int64 n = {30}, bool go = {1}, float[1] rate = {3.9}, float one = {1}> {
  start = Sigmoid (x)
  y = Loop <body = step (int64 i, bool c, float[2,4] h) => (bool c2, float[2,4] after) {
    rest = Sub (one, h)
    part = Mul (h, rest)
    after = Mul (part, rate)
    c2 = Identity (c)
  }> (n, go, start)
})";
  const std::string other =
      Altered(kMap, {{"part = Mul (h, rest)", "part = Mul (rate, h)"},
                     {"after = Mul (part, rate)", "after = Mul (part, rest)"}});
  const Comparison comparison = Compared(kMap, other);
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_THAT(comparison.causes, IsEmpty());
  ExpectInside(Compared(kMap, Altered(other, {{"Sub (one, h)", "Sub (h, one)"}})), "y[0]/rest",
               "y[0]/rest", "inputs in another order");
}

TEST(BodySearch, ADetourThatTheLoopsOwnNoiseWouldHide) {
  constexpr char kMap[] = R"(g (float[2,4] x) => (float[2,4] y)
<int64 n = {8}, bool go = {1}, float[1] rate = {3.7}, float one = {1}> {
  start = Sigmoid (x)
  y = Loop <body = step (int64 i, bool c, float[2,4] h) => (bool c2, float[2,4] after) {
    rest = Sub (one, h)
    part = Mul (h, rest)
    after = Mul (part, rate)
    c2 = Identity (c)
  }> (n, go, start)
})";
  const Comparison comparison = Compared(kMap, Altered(kMap, {{"part = Mul (h, rest)",
                                                               "coarse = Cast <to = 10> (rest)\n"
                                                               "    back = Cast <to = 1> (coarse)\n"
                                                               "    part = Mul (h, back)"}}));
  ASSERT_THAT(comparison.causes, SizeIs(1)) << Texts(comparison);
  EXPECT_EQ(CauseKindName(comparison.causes[0].kind), CauseKindName(CauseKind::kPrecision));
  ASSERT_TRUE(comparison.causes[0].in_body.has_value());
  EXPECT_EQ(comparison.causes[0].in_body->left_path, "y[0]");
}

TEST(BodySearch, ALoopThatEndsEarlier) {
  // What it collects has another shape and no match.
  constexpr char kRoot[] = R"(g (float[2,4] x) => (float[2,4] root, float[k,2,4] trail)
<int64 n = {12}, bool go = {1}> {
  positive = Abs (x)
  root, trail = Loop <body = step (int64 i, bool keep, float[2,4] guess) =>
      (bool more, float[2,4] better, float[2,4] seen) <float half = {0.5}, float little = {0.001}> {
    quotient = Div (positive, guess)
    sum = Add (guess, quotient)
    better = Mul (sum, half)
    seen = Identity (better)
    gap = Sub (better, guess)
    size = Abs (gap)
    most = ReduceMax <keepdims = 0> (size)
    more = Greater (most, little)
  }> (n, go, positive)
})";
  // Newton's method for 3 begins with gaps of 1, 0.25 and 0.018.
  const Comparison comparison =
      Compared(kRoot, Altered(kRoot, {{"little = {0.001}", "little = {0.3}"}}));
  ASSERT_THAT(comparison.causes, SizeIs(1)) << Texts(comparison);
  ASSERT_TRUE(comparison.causes[0].in_body.has_value());
  EXPECT_EQ(comparison.causes[0].in_body->left_name, "little");
  EXPECT_EQ(comparison.causes[0].in_body->left_path, "root[1]");
}

TEST(BodySearch, AnUnrolledLoopIsNamedAsOneNode) {
  constexpr char kShort[] = R"(g (float[2,4] x) => (float[2,4] y)
<int64 n = {2}, bool go = {1}> {
  h = Loop <body = step (int64 i, bool c, float[2,4] a) => (bool c2, float[2,4] b) {
    t = Tanh (a)
    b = Sub (t, x)
    c2 = Identity (c)
  }> (n, go, x)
  y = Exp (h)
})";
  constexpr char kUnrolled[] = R"(g (float[2,4] x) => (float[2,4] y) {
  t0 = Tanh (x)
  b0 = Sub (t0, x)
  t1 = Tanh (b0)
  h = Mul (t1, x)
  y = Exp (h)
})";
  ExpectOutside(Compared(kShort, kUnrolled), CauseKind::kOperator, "h", "operator: Loop | Mul");
}

constexpr char kCalls[] = R"(g (float[2,4] x) => (float[2,4] y)
<float[4] k = {0.5, 1.5, -2, 3}> {
  first = acme.Bend (x, k)
  y = acme.Bend (first, k)
}
<domain: "acme", opset_import: ["" : 21]>
Bend (a, s) => (b) {
  wide = Mul (a, s)
  part = Sigmoid (wide)
  b = Sub (part, a)
})";

TEST(BodySearch, AFunctionThatIsInlinedSaysItsCallPath) {
  const Comparison comparison =
      Compared(kCalls, Altered(kCalls, {{"Sub (part, a)", "Sub (a, part)"}}));
  ASSERT_THAT(comparison.causes, SizeIs(2));
  EXPECT_THAT(comparison.causes[0].text, HasSubstr("in Bend"));
  EXPECT_THAT(comparison.causes[0].text, HasSubstr("inputs in another order"));
}

TEST(BodySearch, AFunctionThatIsKept) {
  LoadOptions keep;
  keep.functions = Functions::kKeep;
  const Comparison comparison =
      Compared(kCalls, Altered(kCalls, {{"Sub (part, a)", "Sub (a, part)"}}), keep);
  ASSERT_THAT(comparison.causes, SizeIs(2));
  for (const Cause& cause : comparison.causes) {
    ASSERT_TRUE(cause.in_body.has_value()) << cause.text;
    EXPECT_EQ(cause.in_body->left_name, "b");
    EXPECT_THAT(cause.text, HasSubstr("inputs in another order"));
    // Its results are in no stream.
    EXPECT_EQ(cause.left, cause.in_body->left);
  }
}

TEST(BodySearch, DepthsThatAreLeftOutAreNamedAllTheSame) {
  const Comparison comparison =
      Compared(kNested, Altered(kNested, {{"Tanh", "Atan"}}), {}, /*max_depth=*/0);
  ExpectInside(comparison, "outcome[0]/h2[0]/bent", "outcome[0]/h2[0]/bent",
               "operator: Tanh | Atan");
  EXPECT_EQ(LeftName(comparison, comparison.causes[0]), "outcome");
}

// The greatest of the first step is the same, so that the steps go apart after the second.
TEST(BodySearch, AStepWhoseOutputsAgreeIsNamed) {
  const std::string model = R"(g (float[2,4] x) => (float[2,4] y)
<int64 n = {3}, bool go = {1}, int64[1] first = {0}> {
  last = Loop <body = step (int64 i, bool more, int64[1] token) => (bool again, int64[1] next)
      <float[3,3] t = {1, 4, -2, 1, 2, -7, 5, 3, -1}> {
    scores = Gather (t, token)
    sizes = LeakyRelu <alpha = -1.0> (scores)
    next = ArgMax <axis = 1, keepdims = 0> (sizes)  again = Identity (more)
  }> (n, go, first)
  f = Cast <to = 1> (last)  y = Add (x, f)
})";
  const Comparison comparison = Compared(model, absl::StrReplaceAll(model, {{"-1.0", "0.0"}}));
  ASSERT_THAT(comparison.causes, SizeIs(1));
  EXPECT_EQ(comparison.causes[0].in_body->left_path, "last[0]");
  EXPECT_EQ(comparison.causes[0].in_body->left_name, "sizes");
}

}  // namespace
}  // namespace onnxcmp
