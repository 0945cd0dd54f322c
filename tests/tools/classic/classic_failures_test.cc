// What the classic table gets wrong, with the default engine.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::CompareGraphs;
using ::onnxcmp::testing::ResultTexts;
using ::onnxcmp::testing::RowTexts;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

// Numbers that look random, the same on every run.
std::vector<float> Noise(size_t count, uint32_t seed) {
  std::vector<float> values;
  uint32_t state = seed * 2654435761u + 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back(static_cast<float>(state >> 8) / 16777216.0f - 0.5f);
  }
  return values;
}

Tensor Random(std::vector<int64_t> shape, uint32_t seed) {
  size_t count = 1;
  for (const int64_t dim : shape) count *= static_cast<size_t>(dim);
  return Tensor::Of<float>(shape, Noise(count, seed));
}

Comparison Compared(const std::string& left, const std::string& right, const Feeds& left_feeds,
                    const Feeds& right_feeds) {
  auto comparison = CompareGraphs(left, right, left_feeds, right_feeds);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? *std::move(comparison) : Comparison();
}
Comparison Compared(const std::string& left, const std::string& right, const Feeds& feeds) {
  return Compared(left, right, feeds, feeds);
}

TEST(ClassicFailuresTest, AnInitializerAtTheFrontShiftsNothing) {
  const Comparison comparison = Compared(
      R"((float[4] x) => (float[4] z) <float a = {2}, float b = {5}>
         { y = Mul(x, a) z = Add(y, b) })",
      R"((float[4] x) => (float[4] z) <float n = {7}, float a = {2}, float b = {5}>
         { y = Mul(x, a) z = Add(y, b) })",
      {{"x", Random({4}, 1)}});
  EXPECT_THAT(
      RowTexts(comparison),
      UnorderedElementsAre("right_only INITIALIZER n", "same INITIALIZER a | INITIALIZER a",
                           "same INITIALIZER b | INITIALIZER b", "same INPUT x | INPUT x",
                           "same Mul y | Mul y", "same Add z | Add z", "same OUTPUT z | OUTPUT z"));
}

TEST(ClassicFailuresTest, OtherOrderOfQKV) {
  const std::string head =
      "(float[2,3] x, float[3,3] a, float[3,3] b, float[3,3] c) => (float[2,3] o)";
  const Comparison comparison = Compared(
      head + "{ q = MatMul(x, a) k = MatMul(x, b) v = MatMul(x, c) s = Mul(q, k) o = Add(s, v) }",
      head + "{ v = MatMul(x, c) q = MatMul(x, a) k = MatMul(x, b) s = Mul(q, k) o = Add(s, v) }",
      {{"x", Random({2, 3}, 1)},
       {"a", Random({3, 3}, 2)},
       {"b", Random({3, 3}, 3)},
       {"c", Random({3, 3}, 4)}});
  const std::vector<std::string> texts = ResultTexts(comparison);
  EXPECT_THAT(texts, Each(StartsWith("same ")));
  EXPECT_THAT(texts, Contains(StartsWith("same MatMul q | MatMul q")));
  EXPECT_THAT(texts, Contains(StartsWith("same MatMul k | MatMul k")));
  EXPECT_THAT(texts, Contains(StartsWith("same MatMul v | MatMul v")));
}

// A chain of `names`, each result being the sine of 4 times the one before, which never settles;
// results whose names begin with 'n' are dead ends beside it.
std::string ChainOfNames(const std::vector<std::string>& names) {
  std::string graph =
      "(float[8] x) => (float[8] out) <float f = {4}, float g = {3.7}> { prev_0 = Identity(x) ";
  std::string before = "prev_0";
  for (const std::string& name : names) {
    if (name[0] == 'n') {
      absl::StrAppend(&graph, name, "_m = Mul(", before, ", g) ", name, " = Cos(", name, "_m) ");
    } else {
      absl::StrAppend(&graph, name, "_m = Mul(", before, ", f) ", name, " = Sin(", name, "_m) ");
      before = name;
    }
  }
  return absl::StrCat(graph, "out = Identity(", before, ") }");
}

std::vector<std::string> Range(const std::string& prefix, int first, int last) {
  std::vector<std::string> names;
  for (int i = first; i < last; ++i) names.push_back(absl::StrCat(prefix, i));
  return names;
}

void Append(const std::vector<std::string>& more, std::vector<std::string>* names) {
  names->insert(names->end(), more.begin(), more.end());
}

// Rows of one side apart, every row pairs namesakes with equal bits. Returns the number of pairs.
int CheckNamesakes(const Comparison& comparison) {
  int pairs = 0;
  for (const std::string& text : ResultTexts(comparison)) {
    if (text.find(" | ") == std::string::npos) continue;
    ++pairs;
    EXPECT_THAT(text, StartsWith("same "));
    const size_t bar = text.find(" | ");
    const std::string left = text.substr(5, bar - 5);
    EXPECT_EQ(text.substr(bar + 3, left.size()), left);
  }
  return pairs;
}

TEST(ClassicFailuresTest, InsertedAndDropped) {
  std::vector<std::string> left = Range("s", 0, 10);
  Append(Range("n_left", 0, 30), &left);
  Append(Range("s", 10, 120), &left);
  std::vector<std::string> right = Range("s", 0, 10);
  Append(Range("s", 10, 110), &right);
  Append(Range("n_right", 0, 30), &right);
  Append(Range("s", 110, 120), &right);
  const Comparison comparison =
      Compared(ChainOfNames(left), ChainOfNames(right), {{"x", Random({8}, 5)}});
  EXPECT_GE(CheckNamesakes(comparison), 240);
}

TEST(ClassicFailuresTest, AMovedBlock) {
  // Two independent runs of 30 steps, in either order.
  const auto graph = [](bool swapped) {
    std::string runs[2];
    for (int run = 0; run < 2; ++run) {
      std::string before = "x";
      for (int i = 0; i < 30; ++i) {
        const std::string name = absl::StrCat("r", run, "_", i);
        absl::StrAppend(&runs[run], name, "_m = Mul(", before, ", ", run == 0 ? "f" : "g", ") ",
                        name, " = Sin(", name, "_m) ");
        before = name;
      }
    }
    return absl::StrCat("(float[8] x) => (float[8] out) <float f = {4}, float g = {3.7}> {",
                        runs[swapped ? 1 : 0], runs[swapped ? 0 : 1], "out = Add(r0_29, r1_29) }");
  };
  const Comparison comparison = Compared(graph(false), graph(true), {{"x", Random({8}, 6)}});
  EXPECT_EQ(CheckNamesakes(comparison), 121);
}

TEST(ClassicFailuresTest, GemmForMatMulAndAddAndConstantsForInitializers) {
  const Comparison comparison = Compared(
      R"((float[2,3] x) => (float[2,3] z) <float[3,3] w = {1,2,3,4,5,6,7,8,10}, float[3] b = {1,2,3}>
         { y = MatMul(x, w) z = Add(y, b) })",
      R"((float[2,3] x) => (float[2,3] z) <float[3,3] w = {1,2,3,4,5,6,7,8,10}>
         { b = Constant<value = float[3] {1,2,3}>() z = Gemm(x, w, b) })",
      {{"x", Random({2, 3}, 7)}});
  const std::vector<std::string> texts = RowTexts(comparison);
  EXPECT_THAT(texts, Contains(StartsWith("same INITIALIZER b | Constant b")));
  EXPECT_THAT(texts, Contains("same Add z | Gemm z fused"));
}

TEST(ClassicFailuresTest, LettersThatAgreeByChance) {
  // Of `values`, paired by their only use: whether the pair counts as equal.
  const auto relation = [](const std::vector<float>& left, const std::vector<float>& right) {
    const auto count = static_cast<int64_t>(left.size());
    const Comparison comparison = Compared(
        absl::StrCat("(float[", count, "] x) => (float[", count, "] y) { y = Abs(x) }"),
        absl::StrCat("(float[", count, "] x) => (float[", count, "] y) { y = Abs(x) }"),
        {{"x", Tensor::Of<float>({count}, left)}}, {{"x", Tensor::Of<float>({count}, right)}});
    return std::string(RelationName(comparison.rows.back().relation));
  };
  // Sixteen rows of 64: each run of letters sums to 16 either way.
  const std::vector<float> even(1024, 1.0f / 64);
  std::vector<float> hot(1024, 0.0f);
  for (size_t row = 0; row < 16; ++row) hot[row * 64 + row] = 1;
  EXPECT_EQ(relation(even, hot), "different");
  const std::vector<float> zeros(1024, 0.0f);
  EXPECT_EQ(relation(zeros, std::vector<float>(1024, 0.003f)), "different");
  std::vector<float> small = Noise(1024, 8);
  for (float& value : small) value *= 1e-3f;
  EXPECT_EQ(relation(zeros, small), "different");
  EXPECT_EQ(relation({1.0f}, {27.0f}), "different");
  EXPECT_EQ(relation({0.99999994f}, {1.0f}), "close");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(relation({nan}, {infinity}), "different");
  EXPECT_EQ(relation({nan}, {1e10f}), "different");
  EXPECT_EQ(relation({infinity}, {1e10f}), "different");
  EXPECT_EQ(relation({nan}, {nan}), "same");
}

TEST(ClassicFailuresTest, OtherBatchSizesArePaired) {
  const std::string left = "(float[1,4,8,8] x) => (float[1,4,8,8] z) { y = Tanh(x) z = Neg(y) }";
  const std::string right = "(float[2,4,8,8] x) => (float[2,4,8,8] z) { y = Tanh(x) z = Neg(y) }";
  const Comparison comparison =
      Compared(left, right, {{"x", Random({1, 4, 8, 8}, 9)}}, {{"x", Random({2, 4, 8, 8}, 10)}});
  EXPECT_THAT(RowTexts(comparison),
              ElementsAre("different INPUT x | INPUT x", "different Tanh y | Tanh y",
                          "different Neg z | Neg z", "different OUTPUT z | OUTPUT z"));
  ASSERT_NE(comparison.rows[1].difference, nullptr);
  EXPECT_THAT(comparison.rows[1].difference->values.reason, HasSubstr("[1,4,8,8] | [2,4,8,8]"));
}

TEST(ClassicFailuresTest, IntegersAreComparedAsSuch) {
  const Comparison comparison = Compared(
      "(int64[1] x) => (int64[1] y) { y = Neg(x) }", "(int64[1] x) => (int64[1] y) { y = Neg(x) }",
      {{"x", Tensor::Of<int64_t>({1}, {16777216})}}, {{"x", Tensor::Of<int64_t>({1}, {16777217})}});
  EXPECT_THAT(RowTexts(comparison), Each(StartsWith("different ")));
  EXPECT_EQ(comparison.rows.back().difference->values.max_absolute, 1);
}

}  // namespace
}  // namespace onnxcmp
